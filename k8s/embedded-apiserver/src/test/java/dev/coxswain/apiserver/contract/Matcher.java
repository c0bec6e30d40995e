// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Compares answers with expectations; the language is described with the scenarios. */
final class Matcher {
  private static final Pattern TIMESTAMP =
      Pattern.compile("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$");
  private static final Pattern MICROTIME =
      Pattern.compile("^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{6}Z$");
  private static final Pattern UID =
      Pattern.compile("^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$");

  private final List<String> problems = new ArrayList<>();

  private Matcher() {}

  /** Returns the differences, empty when there are none. */
  static List<String> differences(JsonNode expected, JsonNode actual, String where) {
    Matcher matcher = new Matcher();
    matcher.match(expected, actual, where, false);
    return matcher.problems;
  }

  private static boolean fits(JsonNode expected, JsonNode actual, boolean exact) {
    Matcher matcher = new Matcher();
    matcher.match(expected, actual, "", exact);
    return matcher.problems.isEmpty();
  }

  private void bad(JsonNode expected, JsonNode actual, String path, String note) {
    problems.add(
        path
            + " "
            + note
            + "\n  expected: "
            + shorten(expected)
            + "\n  actual:   "
            + shorten(actual));
  }

  private static String shorten(JsonNode node) {
    String text = node.isMissingNode() ? "(absent)" : node.toString();
    return text.length() > 600 ? text.substring(0, 600) + "..." : text;
  }

  private void match(JsonNode expected, JsonNode actual, String path, boolean exact) {
    if (expected.isTextual() && expected.textValue().startsWith("$")) {
      String text = expected.textValue();
      boolean ok =
          text.startsWith("$$")
              ? actual.isTextual() && actual.textValue().equals(text.substring(1))
              : named(text, actual);
      if (!ok) {
        bad(expected, actual, path, "");
      }
      return;
    }
    if (expected instanceof ObjectNode object
        && object.size() == 1
        && object.fieldNames().next().startsWith("$")) {
      String op = object.fieldNames().next();
      operator(op, object.get(op), expected, actual, path, exact);
      return;
    }
    if (expected instanceof ObjectNode object) {
      object(object, actual, path, exact);
    } else if (expected instanceof ArrayNode list) {
      if (!actual.isArray() || actual.size() != list.size()) {
        bad(expected, actual, path, "(list of " + list.size() + " expected)");
        return;
      }
      for (int i = 0; i < list.size(); i++) {
        match(list.get(i), actual.get(i), path + "/" + i, exact);
      }
    } else if (!same(expected, actual)) {
      bad(expected, actual, path, "");
    }
  }

  private static boolean same(JsonNode a, JsonNode b) {
    return (a.isNumber() && b.isNumber())
        ? a.decimalValue().compareTo(b.decimalValue()) == 0
        : a.equals(b);
  }

  private void object(ObjectNode expected, JsonNode actual, String path, boolean exact) {
    if (!actual.isObject()) {
      bad(expected, actual, path, "");
      return;
    }
    for (Map.Entry<String, JsonNode> e : expected.properties()) {
      match(e.getValue(), actual.path(e.getKey()), path + "/" + e.getKey(), exact);
    }
    if (exact) {
      for (Map.Entry<String, JsonNode> e : actual.properties()) {
        if (!expected.has(e.getKey())) {
          bad(MissingNode.getInstance(), e.getValue(), path + "/" + e.getKey(), "unexpected field");
        }
      }
    }
  }

  private static boolean named(String name, JsonNode actual) {
    String text = actual.isTextual() ? actual.textValue() : "";
    return switch (name) {
      case "$absent" -> actual.isMissingNode();
      case "$any" -> !actual.isMissingNode();
      case "$string" -> !text.isEmpty();
      case "$int" -> actual.isIntegralNumber();
      case "$bool" -> actual.isBoolean();
      case "$object" -> actual.isObject();
      case "$list" -> actual.isArray();
      case "$timestamp" -> TIMESTAMP.matcher(text).matches();
      case "$microtime" -> MICROTIME.matcher(text).matches();
      case "$uid" -> UID.matcher(text).matches();
      case "$rv" -> number(text) > 0;
      default -> throw new IllegalArgumentException("unknown matcher " + name);
    };
  }

  private static long number(String text) {
    return text.matches("\\d+") ? Long.parseLong(text) : -1;
  }

  private void operator(
      String op, JsonNode arg, JsonNode expected, JsonNode actual, String path, boolean exact) {
    boolean ok =
        switch (op) {
          case "$optional" -> actual.isMissingNode() || nested(arg, actual, path, exact);
          case "$oneOf" -> arg.valueStream().anyMatch(a -> fits(a, actual, exact));
          case "$not" -> !fits(arg, actual, exact);
          case "$regex" ->
              actual.isTextual()
                  && Pattern.compile(arg.asText(), Pattern.DOTALL)
                      .matcher(actual.textValue())
                      .find();
          case "$newer" ->
              actual.isTextual() && number(actual.textValue()) > Long.parseLong(arg.asText());
          case "$exact" -> nested(arg, actual, path, true);
          case "$subset" -> nested(arg, actual, path, false);
          case "$length" -> actual.isArray() && actual.size() == arg.asInt();
          case "$each" ->
              actual.isArray() && actual.valueStream().allMatch(a -> fits(arg, a, exact));
          case "$unordered" ->
              actual.isArray() && actual.size() == arg.size() && contains(arg, actual, exact);
          case "$contains" -> actual.isArray() && contains(arg, actual, exact);
          case "$lacks" ->
              actual.isArray() && actual.valueStream().noneMatch(a -> fits(arg, a, exact));
          default -> throw new IllegalArgumentException("unknown operator " + op);
        };
    if (!ok) {
      bad(expected, actual, path, "");
    }
  }

  /** Reports its own problems, so that they point at the field. */
  private boolean nested(JsonNode expected, JsonNode actual, String path, boolean exact) {
    match(expected, actual, path, exact);
    return true;
  }

  private static boolean contains(JsonNode expected, JsonNode actual, boolean exact) {
    List<JsonNode> left = new ArrayList<>();
    actual.forEach(left::add);
    for (JsonNode wanted : expected) {
      boolean found = false;
      for (int i = 0; i < left.size() && !found; i++) {
        if (fits(wanted, left.get(i), exact)) {
          left.remove(i);
          found = true;
        }
      }
      if (!found) {
        return false;
      }
    }
    return true;
  }
}
