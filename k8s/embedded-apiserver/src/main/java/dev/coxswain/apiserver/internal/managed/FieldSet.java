// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.managed;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A set of field paths as a tree, in the shape of {@code FieldsV1}: steps are {@code f:name},
 * {@code k:{keys}} and {@code v:value}. One thread at a time.
 */
final class FieldSet {
  private boolean member;
  private final Map<String, FieldSet> children = new TreeMap<>();

  /** Reads the {@code FieldsV1} form. */
  static FieldSet parse(@Nullable JsonNode node) {
    FieldSet set = new FieldSet();
    if (node != null) {
      set.read(node);
      set.member = node.has(".");
    }
    return set;
  }

  private void read(JsonNode node) {
    for (Map.Entry<String, JsonNode> e : node.properties()) {
      if (!e.getKey().equals(".")) {
        FieldSet child = child(e.getKey());
        child.read(e.getValue());
        child.member = e.getValue().isEmpty() || e.getValue().has(".");
      }
    }
  }

  /** Prints the {@code FieldsV1} form. */
  ObjectNode print() {
    ObjectNode node = Json.object();
    if (member && !children.isEmpty()) {
      node.putObject(".");
    }
    children.forEach((step, child) -> node.set(step, child.print()));
    return node;
  }

  FieldSet child(String step) {
    return children.computeIfAbsent(step, k -> new FieldSet());
  }

  void add() {
    member = true;
  }

  void remove() {
    member = false;
  }

  boolean member() {
    return member;
  }

  Map<String, FieldSet> children() {
    return children;
  }

  boolean isEmpty() {
    return !member && children.isEmpty();
  }

  FieldSet copy() {
    FieldSet copy = new FieldSet();
    copy.addAll(this);
    return copy;
  }

  void addAll(FieldSet other) {
    member |= other.member;
    other.children.forEach((step, child) -> child(step).addAll(child));
  }

  /** Removes the members of another set, and branches that are empty then. */
  void removeAll(FieldSet other) {
    if (other.member) {
      member = false;
    }
    other.children.forEach((step, theirs) -> {
      FieldSet ours = children.get(step);
      if (ours != null) {
        ours.removeAll(theirs);
        if (ours.isEmpty()) {
          children.remove(step);
        }
      }
    });
  }

  /** Returns the members that are in both sets. */
  FieldSet intersection(FieldSet other) {
    FieldSet both = new FieldSet();
    both.member = member && other.member;
    children.forEach((step, ours) -> {
      FieldSet theirs = other.children.get(step);
      if (theirs != null) {
        FieldSet inner = ours.intersection(theirs);
        if (!inner.isEmpty()) {
          both.children.put(step, inner);
        }
      }
    });
    return both;
  }

  /** Returns the members as readable paths, as in {@code .spec.containers[name="a"].image}. */
  List<String> paths() {
    List<String> paths = new ArrayList<>();
    collect("", paths);
    return paths;
  }

  private void collect(String prefix, List<String> paths) {
    if (member) {
      paths.add(prefix);
    }
    children.forEach((step, child) -> child.collect(prefix + readable(step), paths));
  }

  /** Prints one step as in {@link #paths}. */
  static String readable(String step) {
    String rest = step.substring(2);
    if (step.startsWith("f:")) {
      return "." + rest;
    }
    if (step.startsWith("v:")) {
      return "[=" + rest + "]";
    }
    try {
      List<String> parts = new ArrayList<>();
      for (Map.Entry<String, JsonNode> e : Json.mapper().readTree(rest).properties()) {
        parts.add(e.getKey() + "=" + e.getValue());
      }
      return "[" + String.join(",", parts) + "]";
    } catch (IOException e) {
      return "[" + rest + "]";
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FieldSet set && member == set.member && children.equals(set.children);
  }

  @Override
  public int hashCode() {
    return 31 * children.hashCode() + (member ? 1 : 0);
  }
}
