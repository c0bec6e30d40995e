// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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

  private Durations() {}

  public static Optional<Instant> parseTime(String text) {
    if (!TIME.matcher(text).matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(OffsetDateTime.parse(text).toInstant());
    } catch (DateTimeParseException e) {
      return Optional.empty(); // such as the 31st of February
    }
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
