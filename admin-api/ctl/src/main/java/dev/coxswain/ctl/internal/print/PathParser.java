// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import dev.coxswain.ctl.internal.cli.CommandException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parser of paths, and of templates of texts and paths in braces. Messages have the position of what is wrong, from 1.
 */
final class PathParser {

  private static final String ENDS_NAME = ".,[]{}()@$'\"=!<> \t\n";

  /** So many ranges, or filters, in each other are parsed; what is read has no depth like that. */
  private static final int DEEPEST = 100;

  private static final List<String> OPERATORS = List.of("==", "!=", "<=", ">=", "<", ">");

  private final String text;
  private final String where;
  private int at;
  private int depth;

  /**
   * Creates a parser.
   *
   * @param where the text is from, for messages
   */
  PathParser(String text, String where) {
    this.text = text;
    this.where = where;
  }

  /** Parses a path that is the whole text, with or without braces and the first dot. */
  FieldPath alone() {
    skipSpace();
    boolean braces = skip("{");
    FieldPath path = path();
    if (braces) {
      expect("}");
    }
    skipSpace();
    if (at < text.length()) {
      throw failure("unexpected " + found());
    }
    return path;
  }

  /** Parses a template; one without any braces is a path. */
  List<PathTemplate.Part> template() {
    if (text.indexOf('{') < 0) {
      return List.of(new PathTemplate.Value(alone()));
    }
    List<PathTemplate.Part> parts = parts(-1);
    if (at < text.length()) {
      throw failure("{end} without a {range}");
    }
    return parts;
  }

  /**
   * Parses to the end of the text, or to the end of a range.
   *
   * @param range where it begins, or -1
   */
  private List<PathTemplate.Part> parts(int range) {
    List<PathTemplate.Part> parts = new ArrayList<>();
    while (at < text.length()) {
      int brace = text.indexOf('{', at);
      int end = brace < 0 ? text.length() : brace;
      if (end > at) {
        parts.add(new PathTemplate.Text(text.substring(at, end)));
        at = end;
        continue;
      }
      int began = at++;
      skipSpace();
      if (skipWord("end")) {
        if (range < 0) {
          at = began;
          return parts;
        }
        expect("}");
        return parts;
      }
      if (skipWord("range")) {
        FieldPath over = path();
        expect("}");
        enter(began);
        parts.add(new PathTemplate.Range(over, parts(began)));
        depth--;
      } else if (peek() == '"' || peek() == '\'') {
        parts.add(new PathTemplate.Text(quoted()));
        expect("}");
      } else {
        parts.add(new PathTemplate.Value(path()));
        expect("}");
      }
    }
    if (range >= 0) {
      at = range;
      throw failure("this {range} has no {end}");
    }
    return parts;
  }

  /** Parses a path; an empty one, a dot alone and {@code @} are the value itself. */
  private FieldPath path() {
    skipSpace();
    int began = at;
    List<FieldPath.Step> steps = new ArrayList<>();
    if (skip("$")) {
      steps.add(new FieldPath.Root());
    } else if (!skip("@") && isName(peek())) {
      steps.add(new FieldPath.Field(name()));
    }
    while (true) {
      if (skip("..")) {
        steps.add(new FieldPath.Descendants());
        if (peek() != '[') {
          steps.add(member());
        }
      } else if (peek() == '.' && text.startsWith(".[", at)) {
        at++;
      } else if (peek() == '.'
          && steps.isEmpty()
          && at + 1 < text.length()
          && "} \t".indexOf(text.charAt(at + 1)) >= 0) {
        at++;
      } else if (skip(".")) {
        steps.add(member());
      } else if (skip("[")) {
        steps.add(brackets());
      } else {
        break;
      }
    }
    if (at == began) {
      throw failure("expected a path such as .key.name, found " + found());
    }
    return new FieldPath(text.substring(began, at).strip(), steps);
  }

  private FieldPath.Step member() {
    if (skip("*")) {
      return new FieldPath.All();
    }
    if (!isName(peek())) {
      throw failure("expected the name of a field, found " + found());
    }
    return new FieldPath.Field(name());
  }

  /** Parses a name, in which a backslash keeps the next character. */
  private String name() {
    StringBuilder name = new StringBuilder();
    while (isName(peek())) {
      if (peek() == '\\' && at + 1 < text.length()) {
        at++;
      }
      name.append(text.charAt(at++));
    }
    return name.toString();
  }

  private static boolean isName(int c) {
    return c >= 0 && ENDS_NAME.indexOf(c) < 0 && c != '*';
  }

  /** Parses what is between brackets. */
  private FieldPath.Step brackets() {
    skipSpace();
    if (skip("?(")) {
      FieldPath.Step filter = filter();
      expect(")");
      expect("]");
      return filter;
    }
    List<FieldPath.Step> steps = new ArrayList<>();
    do {
      skipSpace();
      steps.add(
          skip("*")
              ? new FieldPath.All()
              : peek() == '\'' || peek() == '"' ? new FieldPath.Field(quoted()) : elements());
      skipSpace();
    } while (skip(","));
    expect("]");
    return steps.size() == 1 ? steps.getFirst() : new FieldPath.Union(List.copyOf(steps));
  }

  /** Parses an index or a slice. */
  private FieldPath.Step elements() {
    Integer from = integer();
    if (!skip(":")) {
      if (from == null) {
        throw failure("expected an index, a slice, * or a name in quotes, found " + found());
      }
      return new FieldPath.Element(from);
    }
    Integer to = integer();
    int began = at;
    Integer by = skip(":") ? integer() : null;
    if (by != null && by <= 0) {
      at = began;
      throw failure("the step of a slice is positive");
    }
    return new FieldPath.Slice(from, to, by == null ? 1 : by);
  }

  private @Nullable Integer integer() {
    int began = at;
    skip("-");
    while (peek() >= '0' && peek() <= '9') {
      at++;
    }
    if (at == began) {
      return null;
    }
    try {
      return Integer.valueOf(text.substring(began, at));
    } catch (NumberFormatException e) {
      at = began;
      throw failure("expected a number, found " + found());
    }
  }

  private FieldPath.Step filter() {
    enter(at);
    FieldPath.Operand left = operand();
    skipSpace();
    if (text.startsWith("=~", at)) {
      throw failure("there are no regular expressions");
    }
    for (String operator : OPERATORS) {
      if (skip(operator)) {
        FieldPath.Operand right = operand();
        skipSpace();
        if (peek() != ')') {
          throw failure("expected ) after one comparison, found " + found());
        }
        depth--;
        return new FieldPath.Filter(left, operator, right);
      }
    }
    depth--;
    return new FieldPath.Filter(left, "", FieldPath.Operand.NONE);
  }

  private FieldPath.Operand operand() {
    skipSpace();
    int c = peek();
    if (c == '@' || c == '$' || c == '.') {
      return new FieldPath.Operand(path(), null);
    }
    if (c == '\'' || c == '"') {
      return new FieldPath.Operand(null, quoted());
    }
    int began = at;
    while (peek() >= 0 && " \t)=!<>".indexOf(peek()) < 0) {
      at++;
    }
    String word = text.substring(began, at);
    if (word.equals("true") || word.equals("false")) {
      return new FieldPath.Operand(null, Boolean.valueOf(word));
    }
    try {
      return new FieldPath.Operand(null, new BigDecimal(word));
    } catch (NumberFormatException e) {
      at = began;
      throw failure(
          "expected @.field, a number, true, false or a text in quotes, found " + found());
    }
  }

  /** Parses a text in quotes with the usual escapes. */
  private String quoted() {
    int began = at;
    char quote = text.charAt(at++);
    StringBuilder value = new StringBuilder();
    while (peek() != quote) {
      boolean escaped = skip("\\");
      if (peek() < 0) {
        at = began;
        throw failure("this text has no closing " + quote);
      }
      char c = text.charAt(at++);
      value.append(escaped ? unescaped(c) : c);
    }
    at++;
    return value.toString();
  }

  private static char unescaped(char c) {
    return switch (c) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      default -> c;
    };
  }

  private void enter(int began) {
    if (++depth > DEEPEST) {
      at = began;
      throw failure("more than " + DEEPEST + " ranges or filters in each other");
    }
  }

  private int peek() {
    return at < text.length() ? text.charAt(at) : -1;
  }

  private boolean skip(String expected) {
    if (text.startsWith(expected, at)) {
      at += expected.length();
      return true;
    }
    return false;
  }

  private boolean skipWord(String word) {
    int end = at + word.length();
    if (text.startsWith(word, at) && (end >= text.length() || !isName(text.charAt(end)))) {
      at = end;
      return true;
    }
    return false;
  }

  private void skipSpace() {
    while (peek() >= 0 && Character.isWhitespace(peek())) {
      at++;
    }
  }

  private void expect(String expected) {
    skipSpace();
    if (!skip(expected)) {
      throw failure("expected " + expected + ", found " + found());
    }
  }

  private String found() {
    return at < text.length() ? text.substring(at, text.offsetByCodePoints(at, 1)) : "the end";
  }

  private CommandException failure(String why) {
    return new CommandException(
        "%s: position %s of \"%s\": %s".formatted(where, at + 1, text, why));
  }
}
