// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.selector;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A label selector in the text form of the API: {@code a=b,c!=d,e in (x,y),f notin (z),g,!h}. It
 * has the semantics of the server, without the comparisons of numbers ({@code <} and {@code >}),
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
   * One requirement of a selector.
   *
   * @param negated whether the requirement is negated
   * @param exists whether any value is accepted
   * @param values the accepted values otherwise
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
   * @throws IllegalArgumentException when it cannot be parsed; the message has the position and the
   *     expected token
   */
  public static LabelSelector parse(String text) {
    return new LabelSelector(text, new SelectorParser(text).all());
  }

  /** Returns whether these labels are selected; null means none. */
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
