// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.cel;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Go prints them, and in days and weeks as schemas allow; any thread. */
final class GoDurations {
  private static final Pattern PART =
      Pattern.compile("(\\d+(?:\\.\\d*)?|\\.\\d+)\\s*(ns|us|\u00b5s|ms|[a-z]+)\\s*");
  private static final Map<String, Long> NANOS =
      Map.of(
          "ns",
          1L,
          "us",
          1_000L,
          "\u00b5s",
          1_000L,
          "ms",
          1_000_000L,
          "s",
          1_000_000_000L,
          "m",
          60_000_000_000L,
          "h",
          3_600_000_000_000L,
          "d",
          86_400_000_000_000L,
          "w",
          604_800_000_000_000L);

  private GoDurations() {}

  /** Reads a duration; throws {@link IllegalArgumentException}. */
  static Duration parse(String text) {
    boolean negative = text.startsWith("-");
    String rest = negative || text.startsWith("+") ? text.substring(1) : text;
    if (rest.equals("0")) {
      return Duration.ZERO;
    }
    Matcher part = PART.matcher(rest);
    BigDecimal nanos = BigDecimal.ZERO;
    int at = 0;
    while (at < rest.length() && part.find(at) && part.start() == at) {
      nanos =
          nanos.add(
              new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(unit(part.group(2)))));
      at = part.end();
    }
    if (at == 0 || at < rest.length() || nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      throw new IllegalArgumentException("invalid duration: " + text);
    }
    return Duration.ofNanos(negative ? -nanos.longValue() : nanos.longValue());
  }

  private static long unit(String name) {
    Long nanos = NANOS.get(name);
    if (nanos == null) {
      nanos =
          NANOS.get(name.startsWith("mi") && !name.startsWith("min") ? "ms" : name.substring(0, 1));
    }
    if (nanos == null) {
      throw new IllegalArgumentException("unknown unit of time: " + name);
    }
    return nanos;
  }
}
