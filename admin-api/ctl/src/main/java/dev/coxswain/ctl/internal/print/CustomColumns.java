// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import dev.coxswain.ctl.internal.cli.CommandException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The columns of {@code -o custom-columns}: a title and a path each.
 *
 * <p>Thread rule: immutable.
 *
 * @param headers the titles
 * @param paths what is below them
 */
record CustomColumns(List<String> headers, List<FieldPath> paths) {

  /** Parses {@code TITLE:PATH,TITLE:PATH}; commas in brackets and quotes are of the path. */
  static CustomColumns of(String text, String where) {
    List<String> headers = new ArrayList<>();
    List<FieldPath> paths = new ArrayList<>();
    for (String column : split(text)) {
      int colon = column.indexOf(':');
      if (colon <= 0 || colon == column.length() - 1) {
        throw new CommandException(
            "%s: expected TITLE:PATH such as NAME:.key.name, found \"%s\""
                .formatted(where, column));
      }
      headers.add(column.substring(0, colon).strip());
      paths.add(FieldPath.relaxed(column.substring(colon + 1), where));
    }
    return new CustomColumns(List.copyOf(headers), List.copyOf(paths));
  }

  /** Parses a file with a line of titles and a line of paths, both separated by blanks. */
  static CustomColumns ofFile(String text, String where) {
    List<String> lines = text.lines().filter(line -> !line.isBlank()).toList();
    List<String> headers = lines.isEmpty() ? List.of() : words(lines.getFirst());
    List<String> paths = lines.size() < 2 ? List.of() : words(lines.get(1));
    if (lines.size() != 2 || headers.size() != paths.size()) {
      throw new CommandException(
          "%s: expected a line of titles and a line of as many paths, found %s lines, %s titles and %s paths"
              .formatted(where, lines.size(), headers.size(), paths.size()));
    }
    return new CustomColumns(
        headers, paths.stream().map(path -> FieldPath.relaxed(path, where)).toList());
  }

  private static List<String> words(String line) {
    return List.of(line.strip().split("\\s+", -1));
  }

  private static List<String> split(String text) {
    List<String> parts = new ArrayList<>();
    StringBuilder part = new StringBuilder();
    int depth = 0;
    char quote = 0;
    for (int at = 0; at < text.length(); at++) {
      char c = text.charAt(at);
      if (quote == 0 && c == ',' && depth == 0) {
        parts.add(part.toString());
        part.setLength(0);
        continue;
      }
      if (quote != 0) {
        quote = c == quote ? 0 : quote;
      } else if (c == '\'' || c == '"') {
        quote = c;
      } else if (c == '[' || c == '(') {
        depth++;
      } else if (c == ']' || c == ')') {
        depth--;
      }
      part.append(c);
    }
    parts.add(part.toString());
    return parts;
  }

  /** Returns the cells of an object; several values are separated by commas, a missing one is empty. */
  List<String> cells(Json object) {
    return paths.stream()
        .map(path ->
            path.values(object).stream().map(PathTemplate::text).collect(Collectors.joining(",")))
        .toList();
  }
}
