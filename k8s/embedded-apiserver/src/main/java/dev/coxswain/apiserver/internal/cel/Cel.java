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
import java.util.Map;
import org.jspecify.annotations.Nullable;

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

  /**
   * Evaluates {@code ||} (deciding value true) and {@code &&} (false): the side that decides wins over a failure of the other, in any order.
   */
  static JsonNode either(Cel a, Cel b, Map<String, JsonNode> variables, boolean deciding) {
    boolean left;
    try {
      left = truth(a.evaluate(variables));
    } catch (CelException e) {
      if (truth(b.evaluate(variables)) == deciding) {
        return bool(deciding);
      }
      throw e;
    }
    return left == deciding ? bool(deciding) : bool(truth(b.evaluate(variables)));
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

  /**
   * The macros over lists, and over the keys of maps; {@code chosen} selects what {@code map} maps.
   */
  static JsonNode macro(
      String name,
      JsonNode collection,
      String variable,
      @Nullable Cel chosen,
      Cel body,
      Map<String, JsonNode> outer) {
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
      if (chosen != null && !truth(chosen.evaluate(inner))) {
        continue;
      }
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
