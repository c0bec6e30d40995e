// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A template of {@code -o jsonpath}: texts, paths in braces, and ranges over the values of a path.
 *
 * <p>Thread rule: immutable.
 */
final class PathTemplate {

  /** A part of a template. */
  sealed interface Part {}

  /** A text as it is. */
  record Text(String text) implements Part {}

  /** The values of a path, separated by spaces. */
  record Value(FieldPath path) implements Part {}

  /** Parts that are printed for each value of a path. */
  record Range(FieldPath path, List<Part> parts) implements Part {}

  private final List<Part> parts;

  /**
   * Parses a template.
   *
   * @param where the text is from, for messages
   * @throws dev.coxswain.ctl.internal.cli.CommandException with the position of what is wrong
   */
  PathTemplate(String text, String where) {
    parts = new PathParser(text, where).template();
  }

  /** Prints the text for a document. */
  void print(Json document, Consumer<String> to) {
    print(parts, document.value(), document.value(), to);
  }

  private static void print(
      List<Part> parts, @Nullable Object root, @Nullable Object at, Consumer<String> to) {
    for (Part part : parts) {
      switch (part) {
        case Text(String text) -> to.accept(text);
        case Value(FieldPath path) ->
            to.accept(
                path.values(root, at).stream()
                    .map(PathTemplate::text)
                    .collect(Collectors.joining(" ")));
        case Range(FieldPath path, List<Part> body) ->
            path.values(root, at).forEach(value -> print(body, root, value, to));
      }
    }
  }

  /** Returns a value as text, objects and lists as JSON; control characters but line breaks and tabs are blanks. */
  static String text(Object value) {
    Json json = new Json(value);
    return value instanceof List || json.isObject()
        ? json.toString()
        : Console.cleanLines(json.asText());
  }
}
