// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import java.time.Duration;
import java.time.Instant;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A sequence of due times. */
sealed interface Schedule permits Schedule.Every, CronExpression {

  /**
   * Returns the first due time after {@code moment}.
   *
   * @throws IllegalStateException when there is none, as on the 31st of February
   */
  Instant after(Instant moment);

  /** Returns the schedule of a task. */
  static Schedule of(CronTask.Spec spec) {
    String every = spec.every();
    String schedule = spec.schedule();
    if ((every == null) == (schedule == null)) {
      throw new IllegalArgumentException("set one of spec.every and spec.schedule");
    }
    return every != null
        ? Every.parse(every)
        : CronExpression.parse(java.util.Objects.requireNonNull(schedule));
  }

  /** A fixed interval. */
  record Every(Duration interval) implements Schedule {

    private static final Pattern FORM = Pattern.compile("([1-9]\\d{0,8})(s|m|h|d)");

    static Every parse(String text) {
      Matcher form = FORM.matcher(text.strip());
      if (!form.matches()) {
        throw new IllegalArgumentException(
            "spec.every is \"" + text + "\": use a number and s, m, h or d, as in 10s");
      }
      long count = Long.parseLong(form.group(1));
      return new Every(
          switch (form.group(2)) {
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> Duration.ofDays(count);
          });
    }

    @Override
    public Instant after(Instant moment) {
      return moment.plus(interval);
    }
  }
}
