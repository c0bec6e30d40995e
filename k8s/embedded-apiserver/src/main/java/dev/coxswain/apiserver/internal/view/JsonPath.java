// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The part of JSONPath that printer columns use: fields, quoted fields, indexes, slices, {@code [*]}
 * and filters with one comparison or the presence of a field. Immutable, any thread.
 */
final class JsonPath {
  private static final Pattern STEP =
      Pattern.compile(
          "\\.(?<field>(?:\\\\.|[^.\\[\\\\])+)"
              + "|\\['(?<quoted>[^']*)'\\]"
              + "|\\[(?<index>-?\\d+|\\*)\\]"
              + "|\\[(?<from>-?\\d*):(?<to>-?\\d*)\\]"
              + "|\\[\\?\\(@(?<present>[^=!<>)]+)\\)\\]"
              + "|\\[\\?\\(@(?<left>[^=!<>]+?)\\s*(?<op>==|!=)\\s*[\"']?(?<right>[^\"')]*)[\"']?\\)\\]");

  private final List<Function<JsonNode, Stream<JsonNode>>> steps;

  private JsonPath(List<Function<JsonNode, Stream<JsonNode>>> steps) {
    this.steps = steps;
  }

  /** Parses a path; what it does not understand matches nothing. */
  static JsonPath parse(String text) {
    String path = text.startsWith("$") ? text.substring(1) : text;
    if (path.startsWith("{") && path.endsWith("}")) {
      path = path.substring(1, path.length() - 1);
    }
    List<Function<JsonNode, Stream<JsonNode>>> steps = new ArrayList<>();
    Matcher matcher = STEP.matcher(path);
    int at = 0;
    while (at < path.length()) {
      if (!matcher.find(at) || matcher.start() != at) {
        steps.add(node -> Stream.empty());
        break;
      }
      steps.add(step(matcher));
      at = matcher.end();
    }
    return new JsonPath(steps);
  }

  private static Function<JsonNode, Stream<JsonNode>> step(Matcher m) {
    if (m.group("field") != null) {
      String field = m.group("field").replaceAll("\\\\(.)", "$1");
      return field.equals("*") ? JsonPath::children : node -> Stream.ofNullable(node.get(field));
    }
    if (m.group("quoted") != null) {
      String field = m.group("quoted");
      return node -> Stream.ofNullable(node.get(field));
    }
    if (m.group("index") != null) {
      String index = m.group("index");
      if (index.equals("*")) {
        return JsonPath::children;
      }
      int i = Integer.parseInt(index);
      return node ->
          Stream.ofNullable(node instanceof ArrayNode a ? a.get(i < 0 ? a.size() + i : i) : null);
    }
    if (m.group("from") != null) {
      String from = m.group("from");
      String to = m.group("to");
      return node -> {
        int start = place(from, 0, node.size());
        return children(node)
            .skip(start)
            .limit(Math.max(0, place(to, node.size(), node.size()) - start));
      };
    }
    if (m.group("present") != null) {
      JsonPath field = parse(m.group("present").strip());
      return node -> elements(node).filter(c -> !field.find(c).isEmpty());
    }
    JsonPath left = parse(m.group("left").strip());
    boolean equal = m.group("op").equals("==");
    String right = m.group("right");
    return node ->
        elements(node)
            .filter(c -> {
              List<JsonNode> found = left.find(c);
              return !found.isEmpty() && found.getFirst().asText().equals(right) == equal;
            });
  }

  /** Returns a bound of a slice; a negative one counts from the end. */
  private static int place(String text, int otherwise, int size) {
    int bound = text.isEmpty() ? otherwise : Integer.parseInt(text);
    return Math.clamp(bound < 0 ? bound + size : bound, 0, size);
  }

  /** Returns what a filter looks at: only lists are filtered. */
  private static Stream<JsonNode> elements(JsonNode node) {
    return node.isArray() ? children(node) : Stream.empty();
  }

  private static Stream<JsonNode> children(JsonNode node) {
    return node.valueStream();
  }

  List<JsonNode> find(JsonNode node) {
    Stream<JsonNode> found = Stream.of(node);
    for (Function<JsonNode, Stream<JsonNode>> step : steps) {
      found = found.flatMap(step);
    }
    return found.toList();
  }
}
