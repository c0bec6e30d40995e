// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.drill;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.host.internal.dev.drill.DrillState.Cause;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class DrillProgressTest {

  private static final String TOP = "aaaa00000001";
  private static final String OTHER = "bbbb00000002";
  private static final double CONFIGURED = 50;

  private final DrillProgress progress =
      new DrillProgress(
          state(10, false, false, CONFIGURED, false, Set.of()), "c-1", Set.of("c-0", "c-1", "c-2"));

  private static DrillState state(
      long items,
      boolean topPaused,
      boolean otherPaused,
      double rate,
      boolean repaired,
      Set<String> retried) {
    return new DrillState(
        List.of(
            new Cause(TOP, "websites", items, topPaused),
            new Cause(OTHER, "backups", 2, otherPaused)),
        Set.of(),
        rate,
        false,
        rate < CONFIGURED,
        repaired,
        retried);
  }

  @Test
  void aTaskThatWasLeftOut_holdsNothingUp_andIsNotDone() {
    progress.skip(DrillTask.REPLICA);
    assertThat(progress.open()).doesNotContain(DrillTask.REPLICA);
    assertThat(progress.skipped()).containsExactly(DrillTask.REPLICA);
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    new DrillOutput(new PrintStream(printed, true, StandardCharsets.UTF_8), false)
        .ended(Duration.ofSeconds(12), Duration.ofSeconds(18), progress.skipped());
    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("All other tasks were done after 0:12.0")
        .contains(DrillTask.REPLICA.text());
  }

  @Test
  void theWholeDrill_isDoneStepByStep_andHealedOnceNothingFailsOfTheTopCause() {
    assertThat(progress.typed("c-1").done()).containsExactly(DrillTask.REPLICA);
    assertThat(progress.observed(state(10, true, false, CONFIGURED, false, Set.of())).done())
        .containsExactly(DrillTask.CAUSE, DrillTask.PAUSE);
    assertThat(progress.observed(state(10, true, false, 5, false, Set.of())).done())
        .containsExactly(DrillTask.LIMIT);
    assertThat(progress.observed(state(10, true, false, 5, true, Set.of())).done())
        .containsExactly(DrillTask.REPAIR);
    assertThat(progress.observed(state(9, true, false, 5, true, Set.of(TOP))).done())
        .containsExactly(DrillTask.RETRY);
    assertThat(progress.observed(state(3, false, false, 5, true, Set.of(TOP))).done()).isEmpty();
    assertThat(progress.observed(state(3, false, false, CONFIGURED, true, Set.of(TOP))).done())
        .containsExactly(DrillTask.RESUME);
    assertThat(progress.open()).isEmpty();
    assertThat(progress.healed()).isFalse();
    progress.observed(state(0, false, false, CONFIGURED, true, Set.of(TOP)));
    assertThat(progress.healed()).isTrue();
  }

  @Test
  void nothingIsDone_byPausingOrRetryingAnotherCause_andTheReaderIsTold() {
    DrillProgress.Step step = progress.observed(state(10, false, true, 20, true, Set.of(OTHER)));
    assertThat(step.done()).containsExactly(DrillTask.REPAIR);
    assertThat(step.remarks())
        .containsExactly(
            "The cause bbbb00000002 of backups is paused; another one has more objects.",
            "The limiter allows more than 5 retries a second.",
            "The cause bbbb00000002 was retried; it is not repaired.");
    assertThat(progress.observed(state(10, false, true, 20, true, Set.of(OTHER))).remarks())
        .as("each remark is made once")
        .isEmpty();
  }

  @Test
  void aControllerThatIsPausedAsAWhole_keepsTheLastTaskOpen() {
    progress.observed(state(10, true, false, 5, true, Set.of(TOP)));
    DrillState whole =
        new DrillState(
            state(10, false, false, CONFIGURED, true, Set.of(TOP)).causes(),
            Set.of("websites"),
            CONFIGURED,
            false,
            false,
            true,
            Set.of(TOP));
    DrillProgress.Step step = progress.observed(whole);
    assertThat(step.done()).isEmpty();
    assertThat(step.remarks())
        .containsExactly("websites is paused as a whole: what is fine waits, too.");
    assertThat(progress.open()).contains(DrillTask.RESUME);
  }

  @Test
  void answers_areIdsOrTheirBeginnings_andNamesOfReplicas() {
    assertThat(progress.typed("c-2").remarks()).containsExactly("c-2 is alive.");
    assertThat(progress.typed("bbbb0000").remarks())
        .containsExactly("bbbb00000002 of backups is not the one of most objects.");
    assertThat(progress.typed("aaa").remarks())
        .singleElement()
        .asString()
        .startsWith("\"aaa\" is no cause");
    assertThat(progress.typed(" AAAA0000 ").done()).containsExactly(DrillTask.CAUSE);
    assertThat(progress.typed(TOP).done()).as("a second time").isEmpty();
    assertThat(progress.open()).isEqualTo(EnumSet.complementOf(EnumSet.of(DrillTask.CAUSE)));
  }
}
