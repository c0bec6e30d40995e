// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.resource;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which elements of a changed list are elements of the list before. The steps are in the order of their
 * certainty: by mark, by equality, by key, and, without a key, by index.
 *
 * <p>Thread rule: confined to one change.
 */
final class ElementMatch {

  /** The keys of lists in the built-in resources, and of conditions; the longer of two first. */
  private static final List<List<String>> USUAL_KEYS =
      List.of(
          List.of("name"),
          List.of("type"),
          List.of("uid"),
          List.of("id"),
          List.of("containerPort", "protocol"),
          List.of("containerPort"),
          List.of("port", "protocol"),
          List.of("port"),
          List.of("mountPath"),
          List.of("devicePath"),
          List.of("topologyKey", "whenUnsatisfiable"),
          List.of("topologyKey"),
          List.of("key", "effect"),
          List.of("key"),
          List.of("ip"));

  private static final int NEW = -1;

  private final JsonArray from;
  private final JsonArray to;
  private final Set<Integer> kept;
  private final List<String> declaredKeys;
  private final int[] origins;
  private final boolean[] taken;

  /**
   * Creates a match.
   *
   * @param from the list before
   * @param to the list now
   * @param kept the marks of all elements that are still somewhere in the object
   * @param declaredKeys the keys that the class declares for this list; empty for none
   */
  ElementMatch(JsonArray from, JsonArray to, Set<Integer> kept, List<String> declaredKeys) {
    this.from = from;
    this.to = to;
    this.kept = kept;
    this.declaredKeys = declaredKeys;
    this.origins = new int[to.size()];
    this.taken = new boolean[from.size()];
    Arrays.fill(origins, NEW);
  }

  /** Returns the index in the list before for each element, or a negative number for a new one. */
  int[] origins() {
    byMark();
    byEquality();
    List<String> keys = keys(declaredKeys, from, to);
    if (keys == null) {
      byIndex();
    } else {
      byKey(keys);
    }
    return origins;
  }

  private void byMark() {
    Map<Integer, Integer> indexes = new HashMap<>();
    for (int j = 0; j < from.size(); j++) {
      Integer mark = ElementMarks.of(from.get(j));
      if (mark != null) {
        indexes.put(mark, j);
        taken[j] = kept.contains(mark);
      }
    }
    for (int i = 0; i < to.size(); i++) {
      Integer mark = ElementMarks.of(to.get(i));
      Integer found = mark == null ? null : indexes.remove(mark);
      if (found != null) {
        origins[i] = found;
      }
    }
  }

  private void byEquality() {
    Map<String, Deque<Integer>> indexes = new HashMap<>();
    for (int j = 0; j < from.size(); j++) {
      if (!taken[j]) {
        indexes.computeIfAbsent(text(from.get(j)), _ -> new ArrayDeque<>()).add(j);
      }
    }
    for (int i = 0; !indexes.isEmpty() && i < to.size(); i++) {
      if (isOpen(i)) {
        Deque<Integer> same = indexes.get(text(to.get(i)));
        if (same != null && !same.isEmpty()) {
          match(i, same.removeFirst());
        }
      }
    }
  }

  private void byKey(List<String> keys) {
    Map<List<String>, Integer> indexes = new HashMap<>();
    for (int j = 0; j < from.size(); j++) {
      List<String> key = key(from.get(j), keys);
      if (!taken[j] && key != null) {
        indexes.put(key, j);
      }
    }
    for (int i = 0; i < to.size(); i++) {
      Integer found = isOpen(i) ? indexes.get(key(to.get(i), keys)) : null;
      if (found != null) {
        match(i, found);
      }
    }
  }

  /** Where elements were added, removed or moved too, the index is no sign of an element. */
  private void byIndex() {
    boolean inPlace = from.size() == to.size();
    for (int i = 0; inPlace && i < origins.length; i++) {
      inPlace = origins[i] == i || (isOpen(i) && !taken[i]);
    }
    for (int i = 0; inPlace && i < origins.length; i++) {
      origins[i] = i;
    }
  }

  /** An element with a mark is a known Java object, and never another element. */
  private boolean isOpen(int index) {
    return origins[index] == NEW && ElementMarks.of(to.get(index)) == null;
  }

  private void match(int index, int origin) {
    origins[index] = origin;
    taken[origin] = true;
  }

  /** Returns the index of the element with the same key, or that is equal; negative for none. */
  static int byKey(JsonElement wanted, JsonArray among, JsonArray elements, List<String> declared) {
    List<String> keys = keys(declared, among, elements);
    List<String> key = keys == null ? null : key(wanted, keys);
    for (int i = 0; i < elements.size(); i++) {
      if ((keys == null || key == null)
          ? JsonEquality.same(wanted, elements.get(i))
          : key.equals(key(elements.get(i), keys))) {
        return i;
      }
    }
    return NEW;
  }

  /** Returns the keys that all elements of both lists have, each once in its list; null for none. */
  static @Nullable List<String> keys(List<String> declared, JsonArray one, JsonArray other) {
    List<List<String>> candidates = declared.isEmpty() ? USUAL_KEYS : List.of(declared);
    return candidates.stream()
        .filter(keys -> isUnique(one, keys) && isUnique(other, keys))
        .findFirst()
        .orElse(null);
  }

  private static boolean isUnique(JsonArray elements, List<String> keys) {
    Map<List<String>, Integer> seen = new HashMap<>();
    for (JsonElement element : elements) {
      List<String> key = key(element, keys);
      if (key == null || seen.put(key, 0) != null) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable List<String> key(JsonElement element, List<String> keys) {
    List<String> values = new ArrayList<>();
    for (String name : keys) {
      JsonElement value = element instanceof JsonObject object ? object.get(name) : null;
      if (value == null || !value.isJsonPrimitive()) {
        return null;
      }
      values.add(value.getAsString());
    }
    return values;
  }

  /** The text of an element without marks: a copy has none, at any depth. */
  private static String text(JsonElement element) {
    return ElementMarks.without(element).toString();
  }
}
