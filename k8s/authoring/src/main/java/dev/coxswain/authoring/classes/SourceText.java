// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.classes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.lang.model.SourceVersion;

/** Java source text with indentation. */
final class SourceText {

  private static final int WIDTH = 100;

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
    return words
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("@", "&#64;")
        .replace("*/", "*&#47;")
        .replace("\\u", "&#92;u");
  }

  static String quoted(String value) {
    return '"'
        + value
            .replace("\\", "\\\\")
            .replace("\"", "\\\"")
            .replace("\n", "\\n")
            .replace("\r", "\\r")
            .replace("\t", "\\t")
        + '"';
  }

  /** Returns a name that Java accepts. */
  static String identifier(String name) {
    StringBuilder result = new StringBuilder();
    boolean upper = false;
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (!Character.isJavaIdentifierPart(c)) {
        upper = !result.isEmpty();
      } else {
        if (result.isEmpty() && !Character.isJavaIdentifierStart(c)) {
          result.append('_');
        }
        result.append(upper ? Character.toUpperCase(c) : c);
        upper = false;
      }
    }
    String made = result.isEmpty() ? "_value" : result.toString();
    return SourceVersion.isKeyword(made) || OF_OBJECT.contains(made) ? made + "_" : made;
  }

  /** Methods of every object, which a record component cannot be named after. */
  private static final List<String> OF_OBJECT =
      List.of(
          "clone", "finalize", "getClass", "hashCode", "notify", "notifyAll", "toString", "wait");

  static String capitalized(String name) {
    return Character.toUpperCase(name.charAt(0)) + name.substring(1);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
