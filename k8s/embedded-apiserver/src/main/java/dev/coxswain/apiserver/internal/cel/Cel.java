// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.internal.json.Json;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/** A parsed expression; immutable. */
@FunctionalInterface
interface Cel {
  /** Computes the value under the given variables; throws {@link CelException} when it cannot. */
  JsonNode evaluate(Map<String, JsonNode> variables);

  static JsonNode bool(boolean value) {
    return BooleanNode.valueOf(value);
  }

  static boolean truth(JsonNode value) {
    if (!value.isBoolean()) {
      throw new CelException("no such overload: a boolean is expected, found " + value);
    }
    return value.booleanValue();
  }

  static boolean same(JsonNode a, JsonNode b) {
    return (a.isNumber() && b.isNumber())
        ? a.decimalValue().compareTo(b.decimalValue()) == 0
        : a.equals(b);
  }

  static int compare(JsonNode a, JsonNode b) {
    if (a.isNumber() && b.isNumber()) {
      return a.decimalValue().compareTo(b.decimalValue());
    }
    if (a.isTextual() && b.isTextual()) {
      return a.textValue().compareTo(b.textValue());
    }
    throw new CelException("no such overload: cannot compare " + a + " with " + b);
  }

  static JsonNode arithmetic(String op, JsonNode a, JsonNode b) {
    if (op.equals("+") && a.isTextual() && b.isTextual()) {
      return Json.text(a.textValue() + b.textValue());
    }
    if (op.equals("+") && a instanceof ArrayNode x && b instanceof ArrayNode y) {
      return Json.array().addAll(x).addAll(y);
    }
    if (!a.isNumber() || !b.isNumber()) {
      throw new CelException("no such overload: " + a + " " + op + " " + b);
    }
    BigDecimal x = a.decimalValue();
    BigDecimal y = b.decimalValue();
    boolean whole = a.isIntegralNumber() && b.isIntegralNumber();
    if ((op.equals("/") || op.equals("%")) && y.signum() == 0) {
      throw new CelException("division by zero");
    }
    BigDecimal result =
        switch (op) {
          case "+" -> x.add(y);
          case "-" -> x.subtract(y);
          case "*" -> x.multiply(y);
          case "/" -> whole ? x.divideToIntegralValue(y) : x.divide(y, 17, RoundingMode.HALF_EVEN);
          default -> x.remainder(y);
        };
    return whole
        ? JsonNodeFactory.instance.numberNode(result.longValue())
        : JsonNodeFactory.instance.numberNode(result.doubleValue());
  }

  static JsonNode field(JsonNode object, String name) {
    JsonNode found = object.get(name);
    if (found == null) {
      throw new CelException("no such key: " + name);
    }
    return found;
  }

  static JsonNode index(JsonNode target, JsonNode index) {
    JsonNode found =
        target instanceof ArrayNode list && index.isIntegralNumber()
            ? list.get(index.intValue())
            : target.get(index.asText());
    if (found == null) {
      throw new CelException("no such key or index: " + index);
    }
    return found;
  }

  static boolean in(JsonNode item, JsonNode collection) {
    return collection instanceof ObjectNode map
        ? map.has(item.asText())
        : collection.valueStream().anyMatch(v -> same(v, item));
  }

  /** Functions and methods; a method's receiver is the first argument. */
  static JsonNode call(String name, List<JsonNode> args) {
    JsonNode first = args.getFirst();
    String text = first.asText();
    String second = args.size() > 1 ? args.get(1).asText() : "";
    return switch (name) {
      case "size" ->
          JsonNodeFactory.instance.numberNode(
              first.isTextual() ? text.codePointCount(0, text.length()) : first.size());
      case "startsWith" -> bool(text.startsWith(second));
      case "endsWith" -> bool(text.endsWith(second));
      case "contains" -> bool(text.contains(second));
      case "lowerAscii" -> Json.text(text.toLowerCase(java.util.Locale.ROOT));
      case "upperAscii" -> Json.text(text.toUpperCase(java.util.Locale.ROOT));
      case "trim" -> Json.text(text.strip());
      case "matches" -> matches(text, second);
      case "string" -> Json.text(text);
      case "int" -> JsonNodeFactory.instance.numberNode(number(text).longValue());
      case "double" -> JsonNodeFactory.instance.numberNode(number(text).doubleValue());
      default -> throw new CelException("unsupported function " + name);
    };
  }

  private static JsonNode matches(String text, String pattern) {
    try {
      return bool(Pattern.compile(pattern).matcher(text).find());
    } catch (PatternSyntaxException e) {
      throw new CelException("invalid regular expression " + pattern);
    }
  }

  private static BigDecimal number(String text) {
    try {
      return new BigDecimal(text);
    } catch (NumberFormatException e) {
      throw new CelException("not a number: " + text);
    }
  }

  /** The macros over lists, and over the keys of maps. */
  static JsonNode macro(
      String name, JsonNode collection, String variable, Cel body, Map<String, JsonNode> outer) {
    ArrayNode selected = Json.array();
    int holds = 0;
    ArrayNode items = Json.array();
    if (collection instanceof ObjectNode map) {
      map.fieldNames().forEachRemaining(items::add);
    } else {
      collection.forEach(items::add);
    }
    for (JsonNode item : items) {
      Map<String, JsonNode> inner = new HashMap<>(outer);
      inner.put(variable, item);
      JsonNode value = body.evaluate(inner);
      if (name.equals("map")) {
        selected.add(value);
      } else if (truth(value)) {
        holds++;
        selected.add(item);
      }
    }
    return switch (name) {
      case "all" -> bool(holds == items.size());
      case "exists" -> bool(holds > 0);
      case "exists_one" -> bool(holds == 1);
      default -> selected;
    };
  }
}
