// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.examples.cron.CronPlanner.Plan;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CronPlannerTest {

  private static final Instant SIX = Instant.parse("2026-11-21T06:00:00Z");
  private static final Schedule QUARTERS = Schedule.Cron.parse("*/15 * * * *");

  private static Plan plan(Schedule schedule, Instant after, Instant now) {
    return new CronPlanner(schedule, Optional.empty()).plan(after, now);
  }

  private static Plan withDeadline(long seconds, Instant after, Instant now) {
    return new CronPlanner(QUARTERS, Optional.of(Duration.ofSeconds(seconds))).plan(after, now);
  }

  @Test
  void beforeTheNextDueTime_nothingIsDue() {
    Plan plan = plan(QUARTERS, SIX, SIX.plusSeconds(899));

    assertThat(plan).isEqualTo(new Plan(Optional.empty(), false, 0, SIX.plusSeconds(900)));
  }

  @Test
  void atTheDueTime_theRunIsDue_andTheNextOneIsKnown() {
    Plan plan = plan(QUARTERS, SIX, SIX.plusSeconds(900));

    assertThat(plan)
        .isEqualTo(new Plan(Optional.of(SIX.plusSeconds(900)), false, 0, SIX.plusSeconds(1800)));
  }

  @Test
  void severalMissedRuns_areOneRun_theLast_andTheOthersAreCounted() {
    Plan plan = plan(QUARTERS, SIX, SIX.plus(Duration.ofHours(2)).plusSeconds(30));

    assertThat(plan.due()).contains(SIX.plus(Duration.ofHours(2)));
    assertThat(plan.missed()).isEqualTo(7);
    assertThat(plan.next()).isEqualTo(SIX.plus(Duration.ofMinutes(135)));
  }

  @Test
  void countOfMissedRuns_isBounded() {
    Plan plan = plan(Schedule.Every.parse("1s"), SIX, SIX.plus(Duration.ofDays(365)));

    assertThat(plan.missed()).isEqualTo(CronPlanner.MAX_COUNTED);
    assertThat(plan.due()).contains(SIX.plus(Duration.ofDays(365)));
  }

  @Test
  void startingDeadline_decidesWhetherADueRunMayStillStart() {
    assertThat(withDeadline(60, SIX, SIX.plusSeconds(960)).tooLate()).isFalse();
    assertThat(withDeadline(60, SIX, SIX.plusSeconds(961)).tooLate()).isTrue();
  }

  @Test
  void intervalThatIsBehind_goesOnInStep() {
    Plan plan = plan(Schedule.Every.parse("10s"), SIX, SIX.plusSeconds(34));

    assertThat(plan.due()).contains(SIX.plusSeconds(30));
    assertThat(plan.next()).isEqualTo(SIX.plusSeconds(40));
  }
}
