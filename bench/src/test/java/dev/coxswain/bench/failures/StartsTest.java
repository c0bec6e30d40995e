// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The figures of the suite must be right, or it proves nothing. */
class StartsTest {
  private static final long SECOND = 1_000_000_000L;
  private static final Budget TEN_A_SECOND = new Budget(10, 5);

  @TempDir private Path folder;

  @Test
  void filesOfAllProcesses_areOneTimeline_withoutALineThatWasCutOff() throws Exception {
    Files.writeString(Starts.file(folder, "r0-1"), "10\n40\n5");
    Files.writeString(Starts.file(folder, "r0-2"), "50\n");
    Files.writeString(Starts.file(folder, "r1-1"), "20\n30\n");
    Starts starts = Starts.read(folder);
    assertThat(starts.all())
        .extracting(Starts.Start::nanos)
        .containsExactly(10L, 20L, 30L, 40L, 50L);
    assertThat(starts.perReplica())
        .containsExactlyInAnyOrderEntriesOf(java.util.Map.of("r0", 3, "r1", 2));
    assertThat(starts.between(20, 40).count()).isEqualTo(2);
  }

  @Test
  void twoReplicasThatEachKeepTheCap_breakItTogether() {
    // Each uses its own bucket of 10/s and burst 5 to the full for 10 s.
    List<Starts.Start> all = new ArrayList<>();
    for (int i = 0; i < 105; i++) {
      long at = i < 5 ? 0 : (i - 4) * SECOND / 10;
      all.add(new Starts.Start("r0", at));
      all.add(new Starts.Start("r1", at));
    }
    all.sort(java.util.Comparator.comparingLong(Starts.Start::nanos));
    Starts both = new Starts(all);
    assertThat(only(both, "r0").worst(TEN_A_SECOND).excess()).isLessThanOrEqualTo(0);
    assertThat(both.worst(TEN_A_SECOND).excess()).isCloseTo(105, within(0.001));
  }

  @Test
  void thePause_countsTheEndsAsWell() {
    Starts starts = at(3, 4, 9);
    assertThat(starts.longestPause(0, 10 * SECOND)).isEqualTo(Duration.ofSeconds(5));
    assertThat(starts.longestPause(0, 20 * SECOND)).isEqualTo(Duration.ofSeconds(11));
    assertThat(new Starts(List.of()).longestPause(0, SECOND)).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void theLull_isTheTimeBelowHalfOfTheRate() {
    List<Starts.Start> all = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      long at = i * SECOND / 10;
      // From 10 s to 20 s one in five is left: 2/s instead of 10/s.
      if (at < 10 * SECOND || at >= 20 * SECOND || i % 5 == 0) {
        all.add(new Starts.Start("r0", at));
      }
    }
    Duration lull = new Starts(all).longestLull(TEN_A_SECOND, 0, 30 * SECOND);
    assertThat(lull).isBetween(Duration.ofSeconds(9), Duration.ofSeconds(11));
  }

  @Test
  void unfairness_isTheDistanceFromAnEqualShare() {
    Starts starts =
        new Starts(
            List.of(
                new Starts.Start("r0", 1),
                new Starts.Start("r0", 2),
                new Starts.Start("r0", 3),
                new Starts.Start("r1", 4)));
    assertThat(starts.unfairness(List.of("r0", "r1"))).isEqualTo(0.5);
    assertThat(starts.unfairness(List.of("r0", "r1", "r2"))).isCloseTo(1.25, within(0.001));
    assertThat(new Starts(List.of()).unfairness(List.of("r0"))).isEqualTo(1);
  }

  @Test
  void theFullestWindow_excludesItsEnd() {
    assertThat(at(0, 1, 2, 3).mostWithin(Duration.ofSeconds(2))).isEqualTo(2);
    assertThat(at(0, 0, 0, 3).mostWithin(Duration.ofSeconds(1))).isEqualTo(3);
  }

  private static Starts at(long... seconds) {
    List<Starts.Start> all = new ArrayList<>();
    for (long second : seconds) {
      all.add(new Starts.Start("r0", second * SECOND));
    }
    return new Starts(all);
  }

  private static Starts only(Starts starts, String replica) {
    return new Starts(
        starts.all().stream().filter(start -> start.replica().equals(replica)).toList());
  }
}
