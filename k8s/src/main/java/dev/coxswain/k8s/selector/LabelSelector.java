// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.selector;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
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

  /** A parser of label selectors, in one pass. */
  private static final class SelectorParser {

    private static final String SYMBOLS = "=!(),<>";
    private static final int MAX_NAME = 63;
    private static final int MAX_PREFIX = 253;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?");
    private static final Pattern PREFIX =
        Pattern.compile("[a-z0-9]([a-z0-9-]*[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*");

    private final String text;
    private final List<String> tokens = new ArrayList<>();
    private int at;

    SelectorParser(String text) {
      this.text = text;
      int i = 0;
      while (i < text.length()) {
        int start = i++;
        char c = text.charAt(start);
        if (Character.isWhitespace(c)) {
          continue;
        }
        if ((c == '=' || c == '!') && i < text.length() && text.charAt(i) == '=') {
          i++;
        } else if (SYMBOLS.indexOf(c) < 0) {
          while (i < text.length() && isOfAWord(text.charAt(i))) {
            i++;
          }
        }
        tokens.add(text.substring(start, i));
      }
    }

    private static boolean isOfAWord(char c) {
      return SYMBOLS.indexOf(c) < 0 && !Character.isWhitespace(c);
    }

    List<Requirement> all() {
      List<Requirement> all = new ArrayList<>();
      if (tokens.isEmpty()) {
        return all;
      }
      all.add(requirement());
      while (!next().isEmpty()) {
        String token = take();
        if (!token.equals(",")) {
          throw expected("a comma or the end", token);
        }
        all.add(requirement());
      }
      return all;
    }

    /** Returns the next token, or an empty text at the end. */
    private String next() {
      return at < tokens.size() ? tokens.get(at) : "";
    }

    private String take() {
      String token = next();
      at++;
      return token;
    }

    private static boolean isWord(String token) {
      return !token.isEmpty() && isOfAWord(token.charAt(0));
    }

    private boolean endOfPart() {
      return next().isEmpty() || next().equals(",");
    }

    private Requirement requirement() {
      boolean absent = next().equals("!");
      if (absent) {
        take();
      }
      String key = take();
      if (!isWord(key)) {
        throw expected(absent ? "the name of a label behind \"!\"" : "the name of a label", key);
      }
      checkKey(key);
      if (absent || endOfPart()) {
        return new Requirement(key, absent, true, Set.of());
      }
      String operator = take();
      return switch (operator) {
        case "=", "==" -> new Requirement(key, false, false, Set.of(value()));
        case "!=" -> new Requirement(key, true, false, Set.of(value()));
        case "in" -> new Requirement(key, false, false, values(operator));
        case "notin" -> new Requirement(key, true, false, values(operator));
        default -> throw expected("=, ==, !=, in or notin behind \"" + key + "\"", operator);
      };
    }

    /** The value may be empty. */
    private String value() {
      if (endOfPart()) {
        return "";
      }
      String value = take();
      if (!isWord(value)) {
        throw expected("a value", value);
      }
      return checked(value);
    }

    private Set<String> values(String operator) {
      String open = take();
      if (!open.equals("(")) {
        throw expected("\"(\" behind \"" + operator + "\"", open);
      }
      Set<String> values = new TreeSet<>();
      while (true) {
        // Without a token before a comma or the end of the list, the value is empty.
        values.add(isWord(next()) ? checked(take()) : "");
        String token = take();
        if (token.equals(")")) {
          return values;
        }
        if (!token.equals(",")) {
          throw expected("a comma or \")\" in the values of \"" + operator + "\"", token);
        }
      }
    }

    private void checkKey(String key) {
      int slash = key.indexOf('/');
      String name = key.substring(slash + 1);
      String prefix = slash < 0 ? "" : key.substring(0, slash);
      if (slash >= 0 && (prefix.length() > MAX_PREFIX || !PREFIX.matcher(prefix).matches())) {
        throw wrong("\"" + key + "\" is no name of a label: its prefix must be a DNS name");
      }
      if (name.length() > MAX_NAME || !NAME.matcher(name).matches()) {
        throw wrong("\"" + key + "\" is no name of a label: " + allowed("a name"));
      }
    }

    private String checked(String value) {
      if (value.length() > MAX_NAME || !NAME.matcher(value).matches()) {
        throw wrong("\"" + value + "\" is no value of a label: " + allowed("a value"));
      }
      return value;
    }

    private static String allowed(String what) {
      return what
          + " has at most "
          + MAX_NAME
          + " letters, digits, '-', '_' and '.', and begins and ends with a letter or digit";
    }

    private IllegalArgumentException expected(String what, String found) {
      return wrong(
          "expected " + what + ", found " + (found.isEmpty() ? "the end" : "\"" + found + "\""));
    }

    private IllegalArgumentException wrong(String why) {
      return new IllegalArgumentException("label selector \"" + text + "\": " + why);
    }
  }
}
