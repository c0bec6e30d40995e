// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A label selector in the text form of the API: {@code a=b,c!=d,e in (x,y),f notin (z),g,!h}.
 *
 * <p>Thread rule: immutable.
 */
public final class LabelSelector {

  private static final String KEY = "[A-Za-z0-9./_-]+";
  private static final Pattern SET =
      Pattern.compile("(" + KEY + ")\\s+(in|notin)\\s*\\(([^()]*)\\)");
  private static final Pattern EQUALS = Pattern.compile("(" + KEY + ")\\s*(==|=|!=)\\s*([^\\s,]*)");
  private static final Pattern EXISTS = Pattern.compile("(!?)\\s*(" + KEY + ")");

  private final String text;
  private final List<Requirement> requirements;

  private LabelSelector(String text, List<Requirement> requirements) {
    this.text = text;
    this.requirements = List.copyOf(requirements);
  }

  private record Requirement(String key, boolean negated, boolean exists, Set<String> values) {
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
   * @throws IllegalArgumentException when it cannot be understood
   */
  public static LabelSelector parse(String text) {
    List<Requirement> requirements = new ArrayList<>();
    for (String part : split(text)) {
      requirements.add(requirement(part, text));
    }
    return new LabelSelector(text, requirements);
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

  private static Requirement requirement(String part, String whole) {
    Matcher set = SET.matcher(part);
    if (set.matches()) {
      Set<String> values =
          Arrays.stream(set.group(3).split(",", -1))
              .map(String::strip)
              .collect(Collectors.toUnmodifiableSet());
      return new Requirement(set.group(1), set.group(2).equals("notin"), false, values);
    }
    Matcher equals = EQUALS.matcher(part);
    if (equals.matches()) {
      return new Requirement(
          equals.group(1), equals.group(2).equals("!="), false, Set.of(equals.group(3)));
    }
    Matcher exists = EXISTS.matcher(part);
    if (exists.matches()) {
      return new Requirement(exists.group(2), exists.group(1).equals("!"), true, Set.of());
    }
    throw new IllegalArgumentException(
        "cannot understand \""
            + part
            + "\" in the label selector \""
            + whole
            + "\": use a=b, a!=b, a in (x,y), a notin (x,y), a or !a");
  }

  private static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int start = 0;
    for (int i = 0; i <= text.length(); i++) {
      char c = i == text.length() ? ',' : text.charAt(i);
      if (c == '(') {
        depth++;
      } else if (c == ')') {
        depth--;
      } else if (c == ',' && depth == 0) {
        parts.add(text.substring(start, i).strip());
        start = i + 1;
      }
    }
    if (parts.size() == 1 && parts.getFirst().isEmpty()) {
      return List.of();
    }
    if (depth != 0) {
      parts.add(text.substring(start));
    }
    return parts;
  }

  @Override
  public String toString() {
    return text;
  }
}
