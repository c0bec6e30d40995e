// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.classes;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/** Java source text with indentation. */
final class SourceText {

  private static final int WIDTH = 100;

  /** Characters that no file should have, and halves of surrogate pairs, which none can. */
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cs}&&[^\\n\\t]]");

  private final StringBuilder text = new StringBuilder();
  private String indentation = "";

  void indent() {
    indentation += "  ";
  }

  void outdent() {
    indentation = indentation.substring(2);
  }

  void line(String line) {
    text.append(line.isEmpty() ? "" : indentation + line).append('\n');
  }

  /** Writes a comment: a description, descriptions of parameters, and a last paragraph. */
  void javadoc(String description, Map<String, String> parameters, String last) {
    line("/**");
    wrapped(" * ", " * ", escaped(description));
    if (!last.isEmpty()) {
      line(" *");
      wrapped(" * ", " * ", last);
    }
    if (!parameters.isEmpty()) {
      line(" *");
      parameters.forEach((name, of) ->
          wrapped(
              " * @param " + name + " ", " *     ", escaped(of.isEmpty() ? "the " + name : of)));
    }
    line(" */");
  }

  /** Writes a comment of one line, which nothing of a definition is in. */
  void comment(String words) {
    line("/** " + words + " */");
  }

  private void wrapped(String first, String next, String words) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder(first);
    boolean empty = true;
    for (String word : words.strip().split("\\s+", -1)) {
      if (!empty && indentation.length() + line.length() + word.length() > WIDTH) {
        lines.add(line.toString());
        line = new StringBuilder(next);
      }
      line.append(word).append(' ');
      empty = false;
    }
    lines.add(line.toString());
    lines.forEach(one -> line(one.stripTrailing()));
  }

  /** What would be markup, a tag or the end of a comment is not. */
  private static String escaped(String words) {
    return UNPRINTABLE
        .matcher(words)
        .replaceAll(" ")
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("@", "&#64;")
        .replace("*/", "*&#47;")
        .replace("\\u", "&#92;u");
  }

  /** Returns a literal; what is not plain ASCII is escaped, a half of a surrogate pair too. */
  static String quoted(String value) {
    StringBuilder literal = new StringBuilder("\"");
    value
        .chars()
        .forEach(c -> {
          if (c == '"' || c == '\\') {
            literal.append('\\').append((char) c);
          } else if (c >= ' ' && c <= '~') {
            literal.append((char) c);
          } else if (c <= 0xff) {
            literal.append(
                String.format(Locale.ROOT, "\\%03o", c)); // no unicode escape of a line end
          } else {
            literal.append(String.format(Locale.ROOT, "\\u%04x", c));
          }
        });
    return literal.append('"').toString();
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
