// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.selector;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.status.ApiException;
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

  private enum Operator {
    IN,
    NOT_IN,
    EXISTS,
    ABSENT,
    GREATER,
    LESS
  }

  private record Requirement(String key, Operator operator, Set<String> values) {
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
    return new LabelSelector(new Parser(text).all());
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
        Set<String> values = new TreeSet<>();
        expression.path("values").forEach(v -> values.add(v.asText()));
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

  /** Recursive descent over the query form. */
  private static final class Parser {
    private static final String SYMBOLS = "=!(),<>";
    private final List<String> tokens = new ArrayList<>();
    private int at;

    Parser(String text) {
      int i = 0;
      while (i < text.length()) {
        char c = text.charAt(i);
        if (c == ' ' || c == '\t') {
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
              && text.charAt(i) != ' ') {
            i++;
          }
          tokens.add(text.substring(start, i));
        }
      }
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

    private static ApiException bad(String found, String expected) {
      return ApiException.badRequest("found '" + found + "', expected: " + expected);
    }

    List<Requirement> all() {
      List<Requirement> list = new ArrayList<>();
      while (true) {
        list.add(one());
        String token = next();
        if (token.isEmpty()) {
          return list;
        }
        if (!token.equals(",")) {
          throw bad(token, "',' or 'end of string'");
        }
        if (peek().isEmpty()) {
          throw bad("", "identifier after ','");
        }
      }
    }

    private Requirement one() {
      boolean absent = peek().equals("!");
      if (absent) {
        next();
      }
      String key = next();
      if (!word(key)) {
        throw bad(key, absent ? "identifier" : "!, identifier, or 'end of string'");
      }
      if (absent) {
        return new Requirement(key, Operator.ABSENT, Set.of());
      }
      return switch (peek()) {
        case "", "," -> new Requirement(key, Operator.EXISTS, Set.of());
        case "=", "==" -> exact(key, Operator.IN);
        case "!=" -> exact(key, Operator.NOT_IN);
        case ">" -> exact(key, Operator.GREATER);
        case "<" -> exact(key, Operator.LESS);
        case "in" -> set(key, Operator.IN);
        case "notin" -> set(key, Operator.NOT_IN);
        default -> throw bad(peek(), "in, notin, =, ==, !=, gt, lt");
      };
    }

    private Requirement exact(String key, Operator operator) {
      next();
      String value = word(peek()) ? next() : "";
      return new Requirement(key, operator, Set.of(value));
    }

    private Requirement set(String key, Operator operator) {
      next();
      if (!next().equals("(")) {
        throw bad(peek(), "'('");
      }
      Set<String> values = new TreeSet<>();
      while (true) {
        values.add(word(peek()) ? next() : "");
        String token = next();
        if (token.equals(")")) {
          return new Requirement(key, operator, values);
        }
        if (!token.equals(",")) {
          throw bad(token, "',', ')' or identifier");
        }
      }
    }
  }
}
