// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.Month;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Parses and prints times (RFC 3339) and durations in the form of Kubernetes: {@code 500ms},
 * {@code 10m}, {@code 1h30m}.
 */
public final class Durations {

  /** The longest delay that a request may have. */
  public static final Duration MAX = Duration.ofDays(30);

  public static final String EXPECTED =
      "a duration such as \"500ms\", \"30s\", \"10m\" or \"1h30m\"";

  private static final Pattern FORM =
      Pattern.compile("(?:(\\d{1,6})h)?(?:(\\d{1,8})m)?(?:(\\d{1,9})s)?(?:(\\d{1,12})ms)?");

  public static final String EXPECTED_TIME = "a time such as \"2026-11-20T10:02:11Z\"";

  private static final Pattern TIME =
      Pattern.compile(
          "\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d{1,9})?(?:Z|[+-]\\d{2}:\\d{2})");

  /** The form of a time in UTC up to its fraction; 0 means any digit. */
  private static final String UTC = "0000-00-00T00:00:00.";

  /** The nanoseconds of the last digit of a fraction with 9 minus the index digits. */
  private static final int[] POWERS = {
    1, 10, 100, 1000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000
  };

  private Durations() {}

  /** Reads a time; empty for another text. */
  public static Optional<Instant> parseTime(String text) {
    Instant utc = utc(text);
    if (utc != null) {
      return Optional.of(utc);
    }
    if (!TIME.matcher(text).matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeParseException e) {
      return Optional.empty(); // such as the 31st of February
    }
  }

  /** Returns a time in the form that replicas write; null for any other text, which may be a time. */
  private static @Nullable Instant utc(String text) {
    int end = text.length() - 1;
    if (end < 19 || end == 20 || end > 29 || text.charAt(end) != 'Z') {
      return null;
    }
    for (int i = 0; i < end; i++) {
      char expected = i < UTC.length() ? UTC.charAt(i) : '0';
      char c = text.charAt(i);
      if (expected == '0' ? c < '0' || c > '9' : c != expected) {
        return null;
      }
    }
    int year = digits(text, 0, 4);
    int month = digits(text, 5, 7);
    int day = digits(text, 8, 10);
    int seconds = digits(text, 11, 13) * 3600 + digits(text, 14, 16) * 60 + digits(text, 17, 19);
    boolean valid =
        month >= 1
            && month <= 12
            && day >= 1
            && day <= Month.of(month).length(Year.isLeap(year))
            && text.charAt(11) <= '2'
            && text.charAt(14) <= '5'
            && text.charAt(17) <= '5'
            && seconds < 86_400;
    if (!valid) {
      return null;
    }
    int nanos = end == 19 ? 0 : digits(text, 20, end) * POWERS[29 - end];
    return Instant.ofEpochSecond(
        LocalDate.of(year, month, day).toEpochDay() * 86_400 + seconds, nanos);
  }

  private static int digits(String text, int from, int to) {
    int number = 0;
    for (int i = from; i < to; i++) {
      number = number * 10 + text.charAt(i) - '0';
    }
    return number;
  }

  public static Optional<Duration> parse(String text) {
    if (text.equals("0")) {
      return Optional.of(Duration.ZERO);
    }
    Matcher form = FORM.matcher(text);
    if (text.isEmpty() || !form.matches()) {
      return Optional.empty();
    }
    return Optional.of(
        Duration.ofHours(number(form, 1))
            .plusMinutes(number(form, 2))
            .plusSeconds(number(form, 3))
            .plusMillis(number(form, 4)));
  }

  private static long number(Matcher form, int group) {
    String digits = form.group(group);
    return digits == null ? 0 : Long.parseLong(digits);
  }

  /** Returns the form that {@link #parse} reads. */
  public static String format(Duration duration) {
    return dev.coxswain.internal.time.Durations.text(duration);
  }

  /** Returns a time with milliseconds, for messages. */
  public static Instant shown(Instant time) {
    return time.truncatedTo(ChronoUnit.MILLIS);
  }
}
