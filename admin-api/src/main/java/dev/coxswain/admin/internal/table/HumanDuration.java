// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.table;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Durations and times for people: lengths as kubectl shows them, such as {@code 12s}, {@code 3m20s}
 * or {@code 5d4h}, and timestamps with milliseconds.
 */
public final class HumanDuration {

  private static final int MINUTE = 60;
  private static final int HOUR = 60;
  private static final int DAY = 24;
  private static final int YEAR = 365;

  /** A smaller difference of clocks is not shown. */
  private static final Duration SKEW = Duration.ofSeconds(2);

  private static final DateTimeFormatter MILLISECONDS =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);

  private HumanDuration() {}

  /** Returns a length, rounded to one or two units. */
  public static String shown(Duration length) {
    if (length.isNegative()) {
      return length.plus(SKEW).isPositive() ? "0s" : "<invalid>";
    }
    long seconds = length.toSeconds();
    if (seconds < 2 * MINUTE) {
      return seconds + "s";
    }
    long minutes = seconds / MINUTE;
    if (minutes < 10) {
      return two(minutes, "m", seconds % MINUTE, "s");
    }
    if (minutes < 3 * HOUR) {
      return minutes + "m";
    }
    long hours = minutes / HOUR;
    if (hours < 8) {
      return two(hours, "h", minutes % HOUR, "m");
    }
    if (hours < 2 * DAY) {
      return hours + "h";
    }
    long days = hours / DAY;
    if (days < 8) {
      return two(days, "d", hours % DAY, "h");
    }
    if (days < 2 * YEAR) {
      return days + "d";
    }
    long years = days / YEAR;
    return years < 8 ? two(years, "y", days % YEAR, "d") : years + "y";
  }

  private static String two(long large, String largeUnit, long small, String smallUnit) {
    return large + largeUnit + (small == 0 ? "" : small + smallUnit);
  }

  /** Returns a number of seconds; null for none. */
  public static @Nullable String seconds(@Nullable Double seconds) {
    return seconds == null ? null : shown(Duration.ofMillis(Math.round(seconds * 1000)));
  }

  /** Returns the time since another one; null for none. */
  public static @Nullable String since(@Nullable Instant time, Instant now) {
    return time == null ? null : shown(Duration.between(time, now));
  }

  /** Returns a time relative to now, {@code in 12s} or {@code 12s ago}; null for none. */
  public static @Nullable String relative(@Nullable Instant time, Instant now) {
    if (time == null) {
      return null;
    }
    return time.isAfter(now)
        ? "in " + shown(Duration.between(now, time))
        : shown(Duration.between(time, now)) + " ago";
  }

  /** Returns a time with milliseconds. */
  public static String time(Instant time) {
    return MILLISECONDS.format(time);
  }
}
