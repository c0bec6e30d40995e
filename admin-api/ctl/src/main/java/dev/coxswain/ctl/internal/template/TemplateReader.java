// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.template;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Cuts a template into texts and the pieces of actions. Applies trim markers and drops comments. */
final class TemplateReader {

  /** What a piece is. */
  enum Kind {
    TEXT,
    OPEN,
    CLOSE,
    DOT,
    FIELD,
    VARIABLE,
    WORD,
    VALUE,
    MARK,
    END
  }

  /**
   * A piece.
   *
   * @param at where it begins in the text
   * @param text a name, or the piece itself
   * @param value of a text or number in an action
   * @param apart whether a blank is before it
   */
  record Piece(Kind kind, int at, String text, @Nullable Object value, boolean apart) {

    boolean is(Kind other) {
      return kind == other;
    }

    boolean is(Kind other, String what) {
      return kind == other && text.equals(what);
    }
  }

  private static final String OPEN = "{{";
  private static final String CLOSE = "}}";
  private static final String BLANKS = " \t\r\n";

  private final String text;
  private final List<Piece> pieces = new ArrayList<>();
  private int at;
  private boolean apart;

  TemplateReader(String text) {
    this.text = text;
  }

  /** Returns all pieces, of which the last one is the end. */
  List<Piece> pieces() {
    boolean trims = false;
    while (true) {
      int open = text.indexOf(OPEN, at);
      String plain = text.substring(at, open < 0 ? text.length() : open);
      int began = at;
      boolean trimsBefore = open >= 0 && text.startsWith("-", open + 2) && isBlank(open + 3);
      if (trims) {
        plain = plain.substring(blanksAtStart(plain));
      }
      if (trimsBefore) {
        plain = plain.substring(0, plain.length() - blanksAtEnd(plain));
      }
      if (!plain.isEmpty()) {
        pieces.add(new Piece(Kind.TEXT, began, plain, null, false));
      }
      if (open < 0) {
        pieces.add(new Piece(Kind.END, text.length(), "the end", null, false));
        return pieces;
      }
      at = open + (trimsBefore ? 3 : 2);
      trims = action(open);
    }
  }

  /** Reads an action to its end; returns whether blanks behind it are dropped. */
  private boolean action(int open) {
    int begin = at;
    if (begin < text.length() && isBlank(begin) && text.charAt(begin - 1) == '-') {
      begin += blanksAtStart(text.substring(begin));
    }
    if (text.startsWith("/*", begin)) {
      int end = text.indexOf("*/", begin + 2);
      if (end < 0) {
        throw new TemplateException(open, "this comment has no end");
      }
      at = end + 2;
      boolean trims = isBlank(at) && text.startsWith("-" + CLOSE, at + 1);
      if (!trims && !text.startsWith(CLOSE, at)) {
        throw new TemplateException(at, "expected }} behind a comment");
      }
      at += trims ? 4 : 2;
      return trims;
    }
    add(Kind.OPEN, open, OPEN, null);
    while (true) {
      int before = at;
      while (isBlank(at)) {
        at++;
      }
      apart = at > before;
      boolean trims = apart && text.startsWith("-" + CLOSE, at);
      if (trims || text.startsWith(CLOSE, at)) {
        pieces.add(new Piece(Kind.CLOSE, at, CLOSE, null, apart));
        at += trims ? 3 : 2;
        return trims;
      }
      if (at >= text.length()) {
        throw new TemplateException(open, "this {{ has no }}");
      }
      piece();
    }
  }

  private void piece() {
    int begin = at;
    char c = text.charAt(at);
    if (c == '"' || c == '\'') {
      quoted(c);
    } else if (c == '`') {
      int end = text.indexOf('`', at + 1);
      if (end < 0) {
        throw new TemplateException(begin, "this text has no end");
      }
      at = end + 1;
      add(Kind.VALUE, begin, text.substring(begin, at), text.substring(begin + 1, end));
    } else if (isDigit(at) || ("+-.".indexOf(c) >= 0 && isDigit(at + 1))) {
      number();
    } else if (c == '.') {
      at++;
      String name = name();
      add(name.isEmpty() ? Kind.DOT : Kind.FIELD, begin, name.isEmpty() ? "." : name, null);
    } else if (c == '$') {
      at++;
      add(Kind.VARIABLE, begin, name(), null);
    } else if (isName(c)) {
      add(Kind.WORD, begin, name(), null);
    } else if (text.startsWith(":=", at)) {
      at += 2;
      add(Kind.MARK, begin, ":=", null);
    } else if ("()|=,".indexOf(c) >= 0) {
      at++;
      add(Kind.MARK, begin, String.valueOf(c), null);
    } else {
      throw new TemplateException(
          begin, "unexpected \"" + Character.toString(text.codePointAt(at)) + "\"");
    }
  }

  private void add(Kind kind, int begin, String what, @Nullable Object value) {
    pieces.add(new Piece(kind, begin, what, value, apart));
    apart = false;
  }

  private String name() {
    int begin = at;
    while (at < text.length() && isName(text.charAt(at))) {
      at++;
    }
    return text.substring(begin, at);
  }

  /** Reads a text in quotes, or a character in single ones, which is a number. */
  private void quoted(char quote) {
    int begin = at++;
    StringBuilder content = new StringBuilder();
    while (at < text.length() && text.charAt(at) != quote && text.charAt(at) != '\n') {
      content.append(text.charAt(at) == '\\' ? escaped(quote) : text.substring(at, ++at));
    }
    if (at >= text.length() || text.charAt(at) != quote) {
      throw new TemplateException(begin, "this text has no end");
    }
    at++;
    String written = text.substring(begin, at);
    if (quote == '"') {
      add(Kind.VALUE, begin, written, content.toString());
    } else if (content.codePointCount(0, content.length()) == 1) {
      add(Kind.VALUE, begin, written, content.codePointAt(0));
    } else {
      throw new TemplateException(
          begin, "expected one character in single quotes, found " + written);
    }
  }

  private String escaped(char quote) {
    int begin = at++;
    char c = at < text.length() ? text.charAt(at) : ' ';
    at++;
    int digits =
        switch (c) {
          case 'x' -> 2;
          case 'u' -> 4;
          case 'U' -> 8;
          default -> 0;
        };
    if (digits > 0) {
      String code = text.substring(at, Math.min(at + digits, text.length()));
      at += digits;
      if (code.matches("[0-9A-Fa-f]{" + digits + "}")) {
        long point = Long.parseLong(code, 16);
        if (point <= Character.MAX_CODE_POINT) {
          return Character.toString((int) point);
        }
      }
    }
    int known = "abfnrtv\\".indexOf(c);
    if (known >= 0) {
      return "\u0007\b\f\n\r\t\u000b\\".substring(known, known + 1);
    }
    if (c == quote) {
      return String.valueOf(quote);
    }
    throw new TemplateException(begin, "unknown escape sequence in a text");
  }

  private void number() {
    int begin = at++;
    while (at < text.length()
        && (isName(text.charAt(at))
            || text.charAt(at) == '.'
            || ("+-".indexOf(text.charAt(at)) >= 0 && "eE".indexOf(text.charAt(at - 1)) >= 0))) {
      at++;
    }
    String written = text.substring(begin, at);
    Object value = GoValue.literal(written);
    if (value == null) {
      throw new TemplateException(begin, "not a number: " + written);
    }
    add(Kind.VALUE, begin, written, value);
  }

  private boolean isBlank(int index) {
    return index >= 0 && index < text.length() && BLANKS.indexOf(text.charAt(index)) >= 0;
  }

  private boolean isDigit(int index) {
    return index < text.length() && text.charAt(index) >= '0' && text.charAt(index) <= '9';
  }

  private static boolean isName(char c) {
    return c == '_' || Character.isLetterOrDigit(c);
  }

  private static int blanksAtStart(String text) {
    int count = 0;
    while (count < text.length() && BLANKS.indexOf(text.charAt(count)) >= 0) {
      count++;
    }
    return count;
  }

  private static int blanksAtEnd(String text) {
    int count = 0;
    while (count < text.length() && BLANKS.indexOf(text.charAt(text.length() - 1 - count)) >= 0) {
      count++;
    }
    return count;
  }
}
