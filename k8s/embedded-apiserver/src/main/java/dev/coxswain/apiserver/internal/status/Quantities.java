// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.status;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Quantities as requests, limits and capacities have them; any thread. */
public final class Quantities {
  /** The message of the real server for an invalid quantity. */
  public static final String MALFORMED =
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

  private static final Pattern FORM =
      Pattern.compile(
          "([+-]?(?:\\d+\\.?\\d*|\\.\\d+))(?:([eE][+-]?\\d{1,3})|(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]))?");
  private static final List<String> DECIMAL =
      List.of("n", "u", "m", "", "k", "M", "G", "T", "P", "E");
  private static final List<String> BINARY = List.of("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei");
  private static final BigDecimal KIBI = BigDecimal.valueOf(1024);

  private Quantities() {}

  /** Returns the number of a quantity, null for a text that is none. */
  public static @Nullable BigDecimal value(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return null;
    }
    BigDecimal number = new BigDecimal(matcher.group(1));
    String exponent = matcher.group(2);
    String suffix = matcher.group(3) == null ? "" : matcher.group(3);
    if (exponent != null) {
      return number.movePointRight(Integer.parseInt(exponent.substring(1)));
    }
    int binary = BINARY.indexOf(suffix);
    return binary > 0
        ? number.multiply(KIBI.pow(binary))
        : number.movePointRight(3 * (DECIMAL.indexOf(suffix) - 3));
  }

  /** Returns the one form in which the real server prints a quantity, null when it is none. */
  public static @Nullable String canonical(String text) {
    BigDecimal value = value(text);
    if (value == null) {
      return null;
    }
    if (value.signum() == 0) {
      return "0";
    }
    if (text.endsWith("i") && value.abs().compareTo(KIBI) >= 0) {
      return binary(value);
    }
    Matcher matcher = FORM.matcher(text);
    boolean exponent = matcher.matches() && matcher.group(2) != null;
    return decimal(value, exponent);
  }

  private static String binary(BigDecimal value) {
    BigDecimal rest = value.setScale(0, RoundingMode.UP);
    int suffix = 0;
    while (suffix < BINARY.size() - 1 && rest.remainder(KIBI).signum() == 0) {
      rest = rest.divide(KIBI);
      suffix++;
    }
    return rest.toPlainString() + BINARY.get(suffix);
  }

  /** The largest unit in which the number is whole; nothing is smaller than a billionth. */
  private static String decimal(BigDecimal value, boolean exponent) {
    BigDecimal rest = value.movePointRight(9).setScale(0, RoundingMode.UP);
    int unit = 0;
    BigDecimal thousand = BigDecimal.valueOf(1000);
    while (unit < DECIMAL.size() - 1 && rest.remainder(thousand).signum() == 0) {
      rest = rest.divide(thousand);
      unit++;
    }
    int power = 3 * (unit - 3);
    if (exponent) {
      return rest.toPlainString() + (power == 0 ? "" : "e" + power);
    }
    return rest.toPlainString() + DECIMAL.get(unit);
  }
}
