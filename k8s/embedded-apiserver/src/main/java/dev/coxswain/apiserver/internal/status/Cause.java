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

  /** A value that breaks a rule; {@code value} is printed as Go would print it. */
  public static Cause invalid(String field, String value, String detail) {
    return new Cause("FieldValueInvalid", field, "Invalid value: " + value + ": " + detail);
  }

  /** A text value that breaks a rule. */
  public static Cause invalidText(String field, String value, String detail) {
    return invalid(field, quote(value), detail);
  }

  /** A missing field. */
  public static Cause required(String field, String detail) {
    return new Cause(
        "FieldValueRequired",
        field,
        detail.isEmpty() ? "Required value" : "Required value: " + detail);
  }

  /** A change or value that is not allowed. */
  public static Cause forbidden(String field, String detail) {
    return new Cause("FieldValueForbidden", field, "Forbidden: " + detail);
  }

  /** A value outside a fixed set; {@code value} as printed. */
  public static Cause notSupported(String field, String value, String supported) {
    return new Cause(
        "FieldValueNotSupported",
        field,
        "Unsupported value: " + value + ": supported values: " + supported);
  }

  /** A value over a size limit. */
  public static Cause tooLong(String field, int bytes) {
    return new Cause(
        "FieldValueTooLong", field, "Too long: may not be more than " + bytes + " bytes");
  }

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
