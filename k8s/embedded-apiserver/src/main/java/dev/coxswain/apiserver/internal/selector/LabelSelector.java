// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.selector;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.json.Json;
import dev.coxswain.apiserver.internal.status.ApiException;
import dev.coxswain.apiserver.internal.status.Cause;
import dev.coxswain.apiserver.internal.status.Names;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** A label selector; immutable, any thread. */
public final class LabelSelector {
  /** Selects everything. */
  public static final LabelSelector ALL = new LabelSelector(List.of());

  enum Operator {
    IN,
    NOT_IN,
    EXISTS,
    ABSENT,
    GREATER,
    LESS
  }

  record Requirement(String key, Operator operator, Set<String> values) {
    boolean matches(Map<String, String> labels) {
      String value = labels.get(key);
      return switch (operator) {
        case IN -> value != null && values.contains(value);
        case NOT_IN -> value == null || !values.contains(value);
        case EXISTS -> value != null;
        case ABSENT -> value == null;
        case GREATER -> compare(value) > 0;
        case LESS -> compare(value) < 0;
      };
    }

    /** Compares numbers; what is no number is neither greater nor less. */
    private int compare(@Nullable String value) {
      try {
        return value == null
            ? 0
            : Long.compare(Long.parseLong(value), Long.parseLong(values.iterator().next()));
      } catch (NumberFormatException e) {
        return 0;
      }
    }
  }

  private final List<Requirement> requirements;

  private LabelSelector(List<Requirement> requirements) {
    this.requirements = List.copyOf(requirements);
  }

  /** Parses the query form, as in {@code env in (a,b),!tier}; throws a 400 for a malformed one. */
  public static LabelSelector parse(@Nullable String text) {
    if (text == null || text.isBlank()) {
      return ALL;
    }
    return new LabelSelector(new LabelSelectorParser(text).all());
  }

  /** Reads the object form with {@code matchLabels} and {@code matchExpressions}. */
  public static LabelSelector of(@Nullable JsonNode node) {
    List<Requirement> list = new ArrayList<>();
    if (node != null) {
      node.path("matchLabels")
          .properties()
          .forEach(e ->
              list.add(new Requirement(e.getKey(), Operator.IN, Set.of(e.getValue().asText()))));
      for (JsonNode expression : node.path("matchExpressions")) {
        Set<String> values = new TreeSet<>(Json.texts(expression.path("values")));
        Operator operator =
            switch (expression.path("operator").asText()) {
              case "NotIn" -> Operator.NOT_IN;
              case "Exists" -> Operator.EXISTS;
              case "DoesNotExist" -> Operator.ABSENT;
              default -> Operator.IN;
            };
        list.add(new Requirement(expression.path("key").asText(), operator, values));
      }
    }
    return new LabelSelector(list);
  }

  public boolean matches(Map<String, String> labels) {
    for (Requirement requirement : requirements) {
      if (!requirement.matches(labels)) {
        return false;
      }
    }
    return true;
  }

  /** Recursive descent over the query form of label selectors; used once. */
  private static final class LabelSelectorParser {
    private static final String SYMBOLS = "=!(),<>";
    private static final String OPERATORS = "in, notin, =, ==, !=, gt, lt";

    private final List<String> tokens = new ArrayList<>();
    private int at;

    LabelSelectorParser(String text) {
      int i = 0;
      while (i < text.length()) {
        char c = text.charAt(i);
        if (Character.isWhitespace(c)) {
          i++;
        } else if (text.startsWith("==", i) || text.startsWith("!=", i)) {
          tokens.add(text.substring(i, i + 2));
          i += 2;
        } else if (SYMBOLS.indexOf(c) >= 0) {
          tokens.add(String.valueOf(c));
          i++;
        } else {
          int start = i;
          while (i < text.length()
              && SYMBOLS.indexOf(text.charAt(i)) < 0
              && !Character.isWhitespace(text.charAt(i))) {
            i++;
          }
          tokens.add(text.substring(start, i));
        }
      }
    }

    /** Returns all requirements; throws a 400 for what is no selector. */
    List<Requirement> all() {
      List<Requirement> list = new ArrayList<>();
      while (!peek().isEmpty()) {
        if (!word(peek()) && !peek().equals("!")) {
          throw bad("found '" + peek() + "', expected: !, identifier, or 'end of string'");
        }
        list.add(requirement());
        String token = next();
        if (token.isEmpty()) {
          return list;
        }
        if (!token.equals(",")) {
          throw bad("found '" + token + "', expected: ',' or 'end of string'");
        }
        if (!word(peek()) && !peek().equals("!")) {
          throw bad("found '" + peek() + "', expected: identifier after ','");
        }
      }
      return list;
    }

    private String peek() {
      return at < tokens.size() ? tokens.get(at) : "";
    }

    private String next() {
      return at < tokens.size() ? tokens.get(at++) : "";
    }

    private static boolean word(String token) {
      return !token.isEmpty() && SYMBOLS.indexOf(token.charAt(0)) < 0;
    }

    private static ApiException bad(String message) {
      return ApiException.badRequest(message);
    }

    private static ApiException unable(String why) {
      return bad("unable to parse requirement: " + why);
    }

    private static ApiException expected(String found, String expected) {
      return unable("found '" + found + "', expected: " + expected);
    }

    private Requirement requirement() {
      boolean absent = peek().equals("!");
      if (absent) {
        next();
      }
      String key = next();
      if (!word(key)) {
        throw expected(key, "identifier");
      }
      List<String> problems = Names.qualified(key);
      if (!problems.isEmpty()) {
        throw unable(
            "<nil>: Invalid value: " + Cause.quote(key) + ": " + String.join("; ", problems));
      }
      if (absent || peek().isEmpty() || peek().equals(",")) {
        return new Requirement(key, absent ? Operator.ABSENT : Operator.EXISTS, Set.of());
      }
      String operator = next();
      Requirement made =
          switch (operator) {
            case "=", "==" -> new Requirement(key, Operator.IN, exact());
            case "!=" -> new Requirement(key, Operator.NOT_IN, exact());
            case ">" -> new Requirement(key, Operator.GREATER, exact());
            case "<" -> new Requirement(key, Operator.LESS, exact());
            case "in" -> new Requirement(key, Operator.IN, values());
            case "notin" -> new Requirement(key, Operator.NOT_IN, values());
            default -> throw expected(operator, OPERATORS);
          };
      check(made);
      return made;
    }

    private static void check(Requirement made) {
      List<String> problems = new ArrayList<>();
      int i = 0;
      for (String value : made.values()) {
        boolean compared = made.operator() == Operator.GREATER || made.operator() == Operator.LESS;
        if (compared && !value.matches("[-+]?\\d{1,18}")) {
          problems.add(
              "values[%s]: Invalid value: %s: for 'Gt', 'Lt' operators, the value must be an integer"
                  .formatted(i, Cause.quote(value)));
        }
        List<String> wrong = Names.labelValue(value);
        if (!wrong.isEmpty()) {
          problems.add(
              "values[%s][%s]: Invalid value: %s: %s"
                  .formatted(i, made.key(), Cause.quote(value), String.join("; ", wrong)));
        }
        i++;
      }
      if (!problems.isEmpty()) {
        String text = String.join(", ", problems);
        throw unable(problems.size() == 1 ? text : "[" + text + "]");
      }
    }

    private Set<String> exact() {
      if (peek().isEmpty() || peek().equals(",")) {
        return Set.of("");
      }
      String value = next();
      if (!word(value)) {
        throw expected(value, "identifier");
      }
      return Set.of(value);
    }

    private Set<String> values() {
      String open = next();
      if (!open.equals("(")) {
        throw unable("found '" + open + "' expected: '('");
      }
      if (peek().equals(")")) {
        next();
        return Set.of("");
      }
      if (!word(peek()) && !peek().equals(",")) {
        throw expected(peek(), "',', ')' or identifier");
      }
      Set<String> values = new TreeSet<>();
      boolean comma = true; // an empty place before, between or behind commas is an empty value
      while (true) {
        String token = next();
        if (word(token)) {
          values.add(token);
          comma = false;
          if (!peek().equals(",") && !peek().equals(")")) {
            throw expected(peek(), "',' or ')'");
          }
        } else if (token.equals(",")) {
          if (comma) {
            values.add("");
          }
          comma = true;
        } else if (token.equals(")")) {
          if (comma) {
            values.add("");
          }
          return values;
        } else {
          throw expected(token, "',', or identifier");
        }
      }
    }
  }
}
