// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.time;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Durations as numbers that can be added to a time of a clock, and as text. A duration that is too
 * long is cut, never wrapped and never refused.
 *
 * <p>Thread rule: any thread.
 */
public final class Durations {

  /** The longest duration in nanoseconds, about 73 years; a few of them fit into a long. */
  public static final long MAX_NANOS = Long.MAX_VALUE / 4;

  /** The longest duration. */
  public static final Duration MAX = Duration.ofNanos(MAX_NANOS);

  private static final Duration MIN = MAX.negated();

  private static final Pattern PART =
      Pattern.compile("(\\d{1,12}(?:\\.\\d{1,9})?)(h|ms|m|s|us|ns)");
  private static final Pattern FORM = Pattern.compile("(?:" + PART + "){1,20}");

  private static final Map<String, BigDecimal> NANOS =
      Map.of(
          "h", nanos(TimeUnit.HOURS),
          "m", nanos(TimeUnit.MINUTES),
          "s", nanos(TimeUnit.SECONDS),
          "ms", nanos(TimeUnit.MILLISECONDS),
          "us", nanos(TimeUnit.MICROSECONDS),
          "ns", nanos(TimeUnit.NANOSECONDS));

  private Durations() {}

  private static BigDecimal nanos(TimeUnit unit) {
    return BigDecimal.valueOf(unit.toNanos(1));
  }

  /** Returns a duration, cut to {@link #MAX} in either direction. */
  public static Duration clamp(Duration duration) {
    return duration.compareTo(MAX) > 0 ? MAX : duration.compareTo(MIN) < 0 ? MIN : duration;
  }

  /** Returns the nanoseconds of a duration, cut to {@link #MAX_NANOS} in either direction. */
  public static long toNanos(Duration duration) {
    return clamp(duration).toNanos();
  }

  /**
   * Returns the nanoseconds of a duration that is only compared, as near as a long can hold them.
   */
  public static long saturatedNanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException e) {
      return duration.isNegative() ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  /** Returns the milliseconds of a duration, cut to {@link #MAX} in either direction. */
  public static long toMillis(Duration duration) {
    return TimeUnit.NANOSECONDS.toMillis(toNanos(duration));
  }

  /** Returns a duration rounded to milliseconds, for display. */
  public static Duration rounded(Duration duration) {
    return clamp(duration).plusNanos(500_000).truncatedTo(ChronoUnit.MILLIS);
  }

  /**
   * Returns the notation of Kubernetes, such as {@code 1h30m} or {@code 250ms}; of a duration that
   * is not negative.
   */
  public static String text(Duration duration) {
    StringBuilder text = new StringBuilder();
    append(text, duration.toHours(), "h");
    append(text, duration.toMinutesPart(), "m");
    append(text, duration.toSecondsPart(), "s");
    append(text, duration.toMillisPart(), "ms");
    return text.isEmpty() ? "0s" : text.toString();
  }

  /** Returns the duration of such a text, also one with fractions; empty for any other text. */
  public static Optional<Duration> parse(String text) {
    if (text.equals("0")) {
      return Optional.of(Duration.ZERO);
    } else if (!FORM.matcher(text).matches()) {
      return Optional.empty();
    }
    BigDecimal nanos =
        PART.matcher(text)
            .results()
            .map(part -> new BigDecimal(part.group(1)).multiply(NANOS.get(part.group(2))))
            .reduce(BigDecimal.ZERO, BigDecimal::add);
    return nanos.compareTo(BigDecimal.valueOf(MAX_NANOS)) > 0
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(nanos.longValue()));
  }

  private static void append(StringBuilder text, long value, String unit) {
    if (value != 0) {
      text.append(value).append(unit);
    }
  }

  /** Returns the earlier of two times of a clock, of which null is none. */
  public static @Nullable Long earlier(@Nullable Long a, @Nullable Long b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return a - b <= 0 ? a : b;
  }
}
