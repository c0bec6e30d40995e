// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.selector;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.internal.json.Json;
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
}
