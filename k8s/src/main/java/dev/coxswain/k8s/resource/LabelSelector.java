// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A label selector in the text form of the API: {@code a=b,c!=d,e in (x,y),f notin (z),g,!h}. It is
 * understood as the server does, but for the comparisons of numbers ({@code <} and {@code >}),
 * which are refused.
 *
 * <p>Thread rule: immutable.
 */
public final class LabelSelector {

  private final String text;
  private final List<Requirement> requirements;

  private LabelSelector(String text, List<Requirement> requirements) {
    this.text = text;
    this.requirements = List.copyOf(requirements);
  }

  /**
   * What one part of a selector wants of a label.
   *
   * @param negated whether it must not be so
   * @param exists whether any value will do
   * @param values the values that will do otherwise
   */
  record Requirement(String key, boolean negated, boolean exists, Set<String> values) {
    boolean matches(@Nullable String value) {
      if (exists) {
        return (value != null) != negated;
      }
      // An absent label satisfies "!=" and "notin", as on the server.
      return (value != null && values.contains(value)) != negated;
    }
  }

  /**
   * Parses a selector.
   *
   * @param text the selector; empty selects everything
   * @throws IllegalArgumentException when it cannot be understood: says where, and what is expected
   */
  public static LabelSelector parse(String text) {
    return new LabelSelector(text, new SelectorParser(text).all());
  }

  /** Returns whether these labels are selected; null stands for none. */
  public boolean matches(@Nullable Map<String, String> labels) {
    for (Requirement requirement : requirements) {
      if (!requirement.matches(labels == null ? null : labels.get(requirement.key))) {
        return false;
      }
    }
    return true;
  }

  @Override
  public String toString() {
    return text;
  }
}
