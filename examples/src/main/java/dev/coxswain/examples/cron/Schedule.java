// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A sequence of due times.
 *
 * <p>Thread rule: immutable.
 */
sealed interface Schedule permits Schedule.Every, Schedule.Cron {

  /**
   * Returns the first due time after {@code moment}.
   *
   * @throws IllegalStateException when there is none, as on the 31st of February
   */
  Instant after(Instant moment);

  /** Returns the last due time after {@code from} that is not after {@code until}. */
  Optional<Instant> latest(Instant from, Instant until);

  /**
   * Returns the schedule of a task.
   *
   * @throws IllegalArgumentException when the spec has none, or one that cannot be parsed
   */
  static Schedule of(CronTask.Spec spec) {
    String every = spec.every();
    String schedule = spec.schedule();
    if ((every == null) == (schedule == null)) {
      throw new IllegalArgumentException("set one of spec.every and spec.schedule");
    }
    return every != null ? Every.parse(every) : Cron.parse(Objects.requireNonNull(schedule));
  }

  /** A fixed interval, from the time it is counted from. */
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

    @Override
    public Optional<Instant> latest(Instant from, Instant until) {
      long times = Duration.between(from, until).dividedBy(interval);
      return times < 1 ? Optional.empty() : Optional.of(from.plus(interval.multipliedBy(times)));
    }
  }

  /**
   * The five fields of cron, in UTC. When both day fields are restricted, a day that matches either
   * is included, as in cron.
   */
  record Cron(String text, ExecutionTime times) implements Schedule {

    private static final CronParser PARSER =
        new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.UNIX));

    static Cron parse(String text) {
      try {
        return new Cron(text, ExecutionTime.forCron(PARSER.parse(text).validate()));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "the cron expression \"" + text + "\" cannot be parsed: " + e.getMessage(), e);
      }
    }

    @Override
    public Instant after(Instant moment) {
      return times
          .nextExecution(utc(moment))
          .map(ZonedDateTime::toInstant)
          .orElseThrow(() ->
              new IllegalStateException("the cron expression \"" + text + "\" matches no date"));
    }

    @Override
    public Optional<Instant> latest(Instant from, Instant until) {
      // A due time is before the next second when it is not after this one: they are whole minutes.
      return times
          .lastExecution(utc(until.plusSeconds(1)))
          .map(ZonedDateTime::toInstant)
          .map(time -> time.isAfter(until) ? before(time) : time)
          .filter(time -> time.isAfter(from));
    }

    private Instant before(Instant due) {
      return times.lastExecution(utc(due)).map(ZonedDateTime::toInstant).orElse(Instant.MIN);
    }

    private static ZonedDateTime utc(Instant moment) {
      return moment.atZone(ZoneOffset.UTC);
    }
  }
}
