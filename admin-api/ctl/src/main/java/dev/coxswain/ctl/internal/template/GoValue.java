// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.template;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Values as Go has them: a JSON number is an {@code int64} (Long) or a {@code float64} (Double), one of
 * the template itself an {@code int} (Integer, or Long when it is larger) or a {@code float64}.
 *
 * <p>Thread rule: stateless.
 */
final class GoValue {

  /** The value of a key that a map does not have. */
  static final Object MISSING = Absence.KEY;

  private enum Absence {
    KEY
  }

  private static final BigInteger LONGEST = BigInteger.valueOf(Long.MAX_VALUE);
  private static final int EXPONENT_FROM = 6;
  private static final int EXPONENT_BELOW = -4;

  private GoValue() {}

  /** Returns a value of a document. */
  static @Nullable Object of(@Nullable Object json) {
    return switch (json) {
      case Integer number -> number.longValue();
      case BigInteger number ->
          number.abs().compareTo(LONGEST) <= 0 ? number.longValue() : number.doubleValue();
      case BigDecimal number -> number.doubleValue();
      case Float number -> number.doubleValue();
      case null, default -> json;
    };
  }

  /** Returns the value of a number in a template, or null when it is none. */
  static @Nullable Object literal(String written) {
    String plain = written.replaceFirst("^[+-]", "").replace("_", "");
    boolean negative = written.startsWith("-");
    int radix =
        plain.matches("0[xX].+")
            ? 16
            : plain.matches("0[bB].+") ? 2 : plain.matches("0[oO]?[0-7]+") ? 8 : 10;
    try {
      if (radix == 10 && plain.matches(".*[.eE].*")) {
        double value = Double.parseDouble(plain);
        return plain.matches("[0-9.eE+-]+") && !Double.isInfinite(value)
            ? (Object) (negative ? -value : value)
            : null;
      }
      String digits = plain.replaceFirst("^0[xXbBoO]", "");
      long value = Long.parseLong((negative ? "-" : "") + digits, radix);
      return (int) value == value ? (Object) (int) value : (Object) value;
    } catch (NumberFormatException e) {
      return null;
    }
  }

  /** Returns null for what is missing, as functions receive it. */
  static @Nullable Object present(@Nullable Object value) {
    return isMissing(value) ? null : value;
  }

  static boolean isMissing(@Nullable Object value) {
    return value instanceof Absence;
  }

  static boolean isEmpty(@Nullable Object value) {
    return switch (value) {
      case null -> true;
      case String text -> text.isEmpty();
      case Boolean flag -> !flag;
      case Number number -> number.doubleValue() == 0;
      case List<?> list -> list.isEmpty();
      case Map<?, ?> map -> map.isEmpty();
      default -> true; // missing
    };
  }

  static String type(@Nullable Object value) {
    return switch (value) {
      case null -> "<nil>";
      case String _ -> "string";
      case Boolean _ -> "bool";
      case Integer _ -> "int";
      case Double _ -> "float64";
      case Number _ -> "int64";
      case List<?> _ -> "[]interface {}";
      case Map<?, ?> _ -> "map[string]interface {}";
      default -> "<nil>";
    };
  }

  /** Returns the entries of a map in the order of their keys. */
  static Map<String, @Nullable Object> sorted(Map<?, ?> map) {
    Map<String, @Nullable Object> sorted = new TreeMap<>();
    map.forEach((name, value) -> sorted.put(String.valueOf(name), of(value)));
    return sorted;
  }

  /** Returns the default text of a value. */
  static String text(@Nullable Object value) {
    return GoFormat.ofVerb('v', value);
  }

  /** Returns the shortest text of a number, with an exponent where Go has one. */
  static String text(double value) {
    return text(value, EXPONENT_FROM);
  }

  /**
   * Returns the shortest text of a number.
   *
   * @param from the least exponent that is written
   */
  static String text(double value, int from) {
    if (value == 0) {
      return 1 / value < 0 ? "-0" : "0";
    }
    BigDecimal decimal = new BigDecimal(Double.toString(value)).stripTrailingZeros();
    int exponent = decimal.precision() - decimal.scale() - 1;
    if (exponent >= EXPONENT_BELOW && exponent < from) {
      return decimal.toPlainString();
    }
    return scientific(decimal);
  }

  /** Returns all digits of a number with an exponent. */
  static String scientific(BigDecimal value) {
    int exponent = value.signum() == 0 ? 0 : value.precision() - value.scale() - 1;
    String digits = value.unscaledValue().abs().toString();
    return (value.signum() < 0 ? "-" : "")
        + digits.charAt(0)
        + (digits.length() > 1 ? "." + digits.substring(1) : "")
        + (exponent < 0 ? "e-" : "e+")
        + (Math.abs(exponent) < 10 ? "0" : "")
        + Math.abs(exponent);
  }
}
