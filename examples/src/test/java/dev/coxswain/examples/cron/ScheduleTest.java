// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "* * * * *        | 2026-11-21T06:00:59Z | 2026-11-21T06:01:00Z",
        "*/15 * * * *     | 2026-11-21T06:00:00Z | 2026-11-21T06:15:00Z",
        "0 9-17/4 * * *   | 2026-11-21T13:30:00Z | 2026-11-21T17:00:00Z",
        "0 0 1 1 *        | 2026-11-21T06:00:00Z | 2027-01-01T00:00:00Z",
        "30 4 1,15 * *    | 2026-11-21T06:00:00Z | 2026-12-01T04:30:00Z",
        "0 0 * * 1-5      | 2026-11-21T06:00:00Z | 2026-11-23T00:00:00Z",
        "0 0 * * 7        | 2026-11-21T06:00:00Z | 2026-11-22T00:00:00Z",
        "0 0 13 * 5       | 2026-11-21T06:00:00Z | 2026-11-27T00:00:00Z",
        "0 0 29 2 *       | 2026-11-21T06:00:00Z | 2028-02-29T00:00:00Z",
        "59 23 31 12 *    | 2026-12-31T23:59:00Z | 2027-12-31T23:59:00Z",
        "5/20 * * * *     | 2026-11-21T06:05:00Z | 2026-11-21T06:25:00Z",
        "0 9 * * MON-FRI  | 2026-11-21T06:00:00Z | 2026-11-23T09:00:00Z",
      })
  void cron_findsTheNextMinuteThatFits(String expression, Instant from, Instant expected) {
    assertThat(Schedule.Cron.parse(expression).after(from)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "*/15 * * * * | 2026-11-21T05:00:00Z | 2026-11-21T06:14:59Z | 2026-11-21T06:00:00Z",
        "*/15 * * * * | 2026-11-21T05:00:00Z | 2026-11-21T06:15:00Z | 2026-11-21T06:15:00Z",
        "*/15 * * * * | 2026-11-21T05:00:00Z | 2026-11-21T06:29:59.500Z | 2026-11-21T06:15:00Z",
        "*/15 * * * * | 2026-11-21T06:15:00Z | 2026-11-21T06:20:00Z | ",
        "0 0 29 2 *   | 2020-01-01T00:00:00Z | 2026-11-21T06:20:00Z | 2024-02-29T00:00:00Z",
      })
  void cron_findsTheLastDueTime(String expression, Instant from, Instant until, Instant expected) {
    assertThat(Schedule.Cron.parse(expression).latest(from, until))
        .isEqualTo(java.util.Optional.ofNullable(expected));
  }

  @Test
  void interval_findsTheLastDueTime() {
    Instant from = Instant.parse("2026-11-21T06:00:00Z");
    Schedule every = Schedule.Every.parse("10s");
    assertThat(every.latest(from, from.plusSeconds(9))).isEmpty();
    assertThat(every.latest(from, from.plusSeconds(10))).contains(from.plusSeconds(10));
    assertThat(every.latest(from, from.plusSeconds(39))).contains(from.plusSeconds(30));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "* * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * 8",
        "a * * * *",
        "5-1 * * * *",
        "*/0 * * * *",
        "1, * * * *",
        "-1 * * * *"
      })
  void cronThatCannotBeUnderstood_isRefusedWithTheReason(String expression) {
    assertThatThrownBy(() -> Schedule.Cron.parse(expression))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("\"" + expression + "\"");
  }

  @Test
  void cronThatNeverComesRound_saysSo() {
    assertThatThrownBy(() -> Schedule.Cron.parse("0 0 31 2 *").after(Instant.EPOCH))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("matches no date");
  }

  @ParameterizedTest
  @CsvSource({"10s,10", "5m,300", "2h,7200", "1d,86400"})
  void intervals_areRead(String text, long seconds) {
    assertThat(Schedule.Every.parse(text).interval()).hasSeconds(seconds);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0s", "10", "s", "-1s", "1w"})
  void intervalsThatAreNone_areRefused(String text) {
    assertThatThrownBy(() -> Schedule.Every.parse(text))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void taskNeedsExactlyOneSchedule() {
    assertThatThrownBy(() -> Schedule.of(new CronTask.Spec(null, null, false)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Schedule.of(new CronTask.Spec("1s", "* * * * *", false)))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
