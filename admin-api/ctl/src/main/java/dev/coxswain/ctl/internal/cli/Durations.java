// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.cli;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parser and formatter of durations in the notation of Go and Kubernetes: {@code 1m30s}, {@code
 * 500ms}.
 */
public final class Durations {

  private static final Pattern PART =
      Pattern.compile("(\\d{1,12}(?:\\.\\d{1,9})?)(h|ms|m|s|us|ns)");

  /** The longest accepted duration; sums of nanoseconds cannot overflow. */
  public static final Duration MAX = Duration.ofDays(365);

  private Durations() {}

  /** Returns the duration, or empty when the text is not one. */
  public static Optional<Duration> parse(String text) {
    if (text.equals("0")) {
      return Optional.of(Duration.ZERO);
    }
    Matcher matcher = PART.matcher(text);
    BigDecimal nanos = BigDecimal.ZERO;
    int end = 0;
    while (end < text.length()) {
      if (!matcher.find(end) || matcher.start() != end) {
        return Optional.empty();
      }
      nanos = nanos.add(new BigDecimal(matcher.group(1)).multiply(nanosPer(matcher.group(2))));
      end = matcher.end();
    }
    if (end == 0 || nanos.compareTo(BigDecimal.valueOf(MAX.toNanos())) > 0) {
      return Optional.empty();
    }
    return Optional.of(Duration.ofNanos(nanos.longValue()));
  }

  private static BigDecimal nanosPer(String unit) {
    return BigDecimal.valueOf(
        switch (unit) {
          case "h" -> 3_600_000_000_000L;
          case "m" -> 60_000_000_000L;
          case "s" -> 1_000_000_000L;
          case "ms" -> 1_000_000L;
          case "us" -> 1_000L;
          default -> 1L;
        });
  }
}
