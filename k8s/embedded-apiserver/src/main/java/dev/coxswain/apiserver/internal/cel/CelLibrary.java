// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.Quantities;
import java.math.BigDecimal;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/** The functions that expressions may call; a method's receiver is the first argument. */
final class CelLibrary {
  /** Functions called by name, as in {@code size(x)}. */
  static final Set<String> FUNCTIONS =
      Set.copyOf(
          Json.words(
              """
              size string int uint double bool dyn type matches quantity isQuantity isURL
              """));

  /** Functions called on a value, as in {@code x.size()}. */
  static final Set<String> METHODS =
      Set.copyOf(
          Json.words(
              """
              size startsWith endsWith contains matches lowerAscii upperAscii trim replace
              split join substring charAt indexOf lastIndexOf find findAll isSorted sum min
              max hasValue value orValue isGreaterThan isLessThan compareTo isInteger
              asInteger add sub
              """));

  private CelLibrary() {}

  /** Calls a function; throws {@link CelException} when it fails. */
  static JsonNode call(String name, List<JsonNode> args) {
    JsonNode first = args.getFirst();
    return switch (name) {
      case "size" -> number(first.isTextual() ? length(first.textValue()) : first.size());
      case "dyn", "value" -> present(first);
      case "hasValue" -> Cel.bool(!first.isMissingNode());
      case "orValue" -> first.isMissingNode() ? args.get(1) : first;
      case "string" -> Json.text(first.asText());
      case "bool" -> Cel.bool(first.asBoolean());
      case "type" -> Json.text(type(first));
      case "int", "uint" -> number(decimal(first).longValue());
      case "double" -> JsonNodeFactory.instance.numberNode(decimal(first).doubleValue());
      case "contains", "indexOf", "lastIndexOf", "min", "max", "sum", "isSorted", "join" ->
          first instanceof ArrayNode list ? onList(name, list, args) : onText(name, args);
      case "quantity",
          "isQuantity",
          "isGreaterThan",
          "isLessThan",
          "compareTo",
          "isInteger",
          "asInteger",
          "add",
          "sub" ->
          onQuantity(name, args);
      default -> onText(name, args);
    };
  }

  private static JsonNode present(JsonNode value) {
    if (value.isMissingNode()) {
      throw new CelException("optional.none() dereference");
    }
    return value;
  }

  private static JsonNode number(long value) {
    return JsonNodeFactory.instance.numberNode(value);
  }

  private static int length(String text) {
    return text.codePointCount(0, text.length());
  }

  private static String type(JsonNode value) {
    return switch (value.getNodeType()) {
      case OBJECT -> "map";
      case ARRAY -> "list";
      case BOOLEAN -> "bool";
      case NUMBER -> value.isIntegralNumber() ? "int" : "double";
      case NULL -> "null_type";
      default -> "string";
    };
  }

  private static BigDecimal decimal(JsonNode value) {
    try {
      return new BigDecimal(value.asText());
    } catch (NumberFormatException e) {
      throw new CelException("type conversion error: not a number: " + value.asText());
    }
  }

  private static JsonNode onList(String name, ArrayNode list, List<JsonNode> args) {
    List<JsonNode> items = list.valueStream().toList();
    return switch (name) {
      case "indexOf" -> number(index(items, args.get(1)));
      case "lastIndexOf" -> {
        int at = index(items.reversed(), args.get(1));
        yield number(at < 0 ? -1 : items.size() - 1 - at);
      }
      case "contains" -> Cel.bool(index(items, args.get(1)) >= 0);
      case "min", "max" ->
          items.stream()
              .max((a, b) -> name.equals("max") ? Cel.compare(a, b) : Cel.compare(b, a))
              .orElseThrow(() -> new CelException(name + " called on an empty list"));
      case "sum" -> items.stream().reduce(number(0), (a, b) -> Cel.arithmetic("+", a, b));
      case "isSorted" -> {
        boolean sorted = true;
        for (int i = 1; i < items.size(); i++) {
          sorted &= Cel.compare(items.get(i - 1), items.get(i)) <= 0;
        }
        yield Cel.bool(sorted);
      }
      default ->
          Json.text(
              items.stream()
                  .map(JsonNode::asText)
                  .collect(Collectors.joining(args.size() > 1 ? args.get(1).asText() : "")));
    };
  }

  private static int index(List<JsonNode> items, JsonNode wanted) {
    for (int i = 0; i < items.size(); i++) {
      if (Cel.same(items.get(i), wanted)) {
        return i;
      }
    }
    return -1;
  }

  private static JsonNode onText(String name, List<JsonNode> args) {
    if (!args.getFirst().isTextual()) {
      throw new CelException("no such overload: " + name + " of " + args.getFirst());
    }
    String text = args.getFirst().textValue();
    String second = args.size() > 1 ? args.get(1).asText() : "";
    return switch (name) {
      case "startsWith" -> Cel.bool(text.startsWith(second));
      case "endsWith" -> Cel.bool(text.endsWith(second));
      case "contains" -> Cel.bool(text.contains(second));
      case "lowerAscii" -> Json.text(text.toLowerCase(Locale.ROOT));
      case "upperAscii" -> Json.text(text.toUpperCase(Locale.ROOT));
      case "trim" -> Json.text(text.strip());
      case "indexOf" -> number(text.indexOf(second));
      case "lastIndexOf" -> number(text.lastIndexOf(second));
      case "replace" -> Json.text(text.replace(second, args.get(2).asText()));
      case "split" -> texts(Arrays.asList(text.split(Pattern.quote(second), -1)));
      case "charAt" -> Json.text(cut(text, args.get(1).asInt(), args.get(1).asInt() + 1));
      case "substring" ->
          Json.text(
              cut(
                  text,
                  args.get(1).asInt(),
                  args.size() > 2 ? args.get(2).asInt() : text.length()));
      case "matches" -> Cel.bool(pattern(second).matcher(text).find());
      case "find" -> {
        Matcher found = pattern(second).matcher(text);
        yield Json.text(found.find() ? found.group() : "");
      }
      case "findAll" -> texts(pattern(second).matcher(text).results().map(r -> r.group()).toList());
      case "isURL" -> Cel.bool(url(text));
      default -> throw new CelException("no such overload: " + name);
    };
  }

  private static ArrayNode texts(List<String> texts) {
    ArrayNode list = Json.array();
    new ArrayList<>(texts).forEach(list::add);
    return list;
  }

  private static String cut(String text, int from, int to) {
    if (from < 0 || to > text.length() || from > to) {
      throw new CelException("index out of range: " + from + ", " + to);
    }
    return text.substring(from, to);
  }

  private static Pattern pattern(String text) {
    try {
      return Pattern.compile(text);
    } catch (PatternSyntaxException e) {
      throw new CelException("invalid regular expression " + text);
    }
  }

  private static boolean url(String text) {
    try {
      return URI.create(text).isAbsolute() || text.startsWith("/");
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Quantities stay text; they are compared by what they mean. */
  private static JsonNode onQuantity(String name, List<JsonNode> args) {
    String text = args.getFirst().asText();
    if (name.equals("isQuantity")) {
      return Cel.bool(Quantities.value(text) != null);
    }
    BigDecimal value = quantity(text);
    return switch (name) {
      case "quantity" -> args.getFirst();
      case "isGreaterThan" -> Cel.bool(value.compareTo(quantity(args.get(1).asText())) > 0);
      case "isLessThan" -> Cel.bool(value.compareTo(quantity(args.get(1).asText())) < 0);
      case "compareTo" -> number(value.compareTo(quantity(args.get(1).asText())));
      case "isInteger" -> Cel.bool(value.stripTrailingZeros().scale() <= 0);
      case "asInteger" -> number(value.longValue());
      case "add" -> Json.text(value.add(quantity(args.get(1).asText())).toPlainString());
      default -> Json.text(value.subtract(quantity(args.get(1).asText())).toPlainString());
    };
  }

  private static BigDecimal quantity(String text) {
    BigDecimal value = Quantities.value(text);
    if (value == null) {
      throw new CelException("not a quantity: " + text);
    }
    return value;
  }
}
