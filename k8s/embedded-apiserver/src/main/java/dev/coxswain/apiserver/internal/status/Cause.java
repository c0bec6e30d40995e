// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.status;

/**
 * One reason why an object is invalid; immutable.
 *
 * @param reason machine-readable kind, as in {@code FieldValueInvalid}
 * @param field path of the field, as in {@code spec.ports[0].port}
 * @param message what is wrong, without the path
 */
public record Cause(String reason, String field, String message) {
  /** Quotes text as Go's {@code %q} does for the usual characters. */
  public static String quote(String text) {
    StringBuilder out = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\t' -> out.append("\\t");
        case '\r' -> out.append("\\r");
        default -> out.append(c);
      }
    }
    return out.append('"').toString();
  }
}
