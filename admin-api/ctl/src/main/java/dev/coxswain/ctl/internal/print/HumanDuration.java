// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;
import java.time.format.DateTimeParseException;
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
  private static final DateTimeFormatter MILLISECONDS =
      new DateTimeFormatterBuilder().appendInstant(3).toFormatter(Locale.ROOT);

  private HumanDuration() {}

  /** Returns a length, rounded to one or two units. */
  public static String shown(Duration length) {
    long seconds = length.toSeconds();
    if (length.isNegative()) {
      // A small difference of clocks is not shown.
      return length.compareTo(Duration.ofSeconds(-2)) > 0 ? "0s" : "<invalid>";
    }
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

  /** Returns the age of a time, or {@code <unknown>} as kubectl does. */
  public static String since(String time, Instant now) {
    Instant then = instant(time);
    return then == null ? "<unknown>" : shown(Duration.between(then, now));
  }

  /** Returns a time relative to now: {@code in 12s} or {@code 12s ago}. */
  public static String relative(String time, Instant now) {
    Instant then = instant(time);
    if (then == null) {
      return "<unknown>";
    }
    return then.isAfter(now)
        ? "in " + shown(Duration.between(now, then))
        : shown(Duration.between(then, now)) + " ago";
  }

  /** Returns a time with milliseconds, or the text itself when it is not a time. */
  public static String time(String time) {
    Instant instant = instant(time);
    return instant == null ? time : MILLISECONDS.format(instant);
  }

  static @Nullable Instant instant(String time) {
    try {
      return Instant.parse(time);
    } catch (DateTimeParseException e) {
      return null;
    }
  }
}
