// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A look that found 8 ms of work and came 9 ms late: from 100 to 109 ms by the monotonic clock. */
class ProbesTest {
  private static final String LOOK = "held 3000 100000000 109000000 8000000 8.0 ms of work: there";

  @TempDir private Path folder;
  private final Gaps gaps = new Gaps(2);

  private Probes read(String... held) throws IOException {
    Path file = folder.resolve("probe");
    Files.write(file, List.of("start-cache used", "2000 10 1 1 5 0 0"));
    Files.write(file, List.of(held), java.nio.file.StandardOpenOption.APPEND);
    Files.writeString(
        file,
        "3000 30 9000 2500 400 " + held.length + " 1\n",
        java.nio.file.StandardOpenOption.APPEND);
    return Probes.read(List.of(file), gaps, 1_500, 3_500);
  }

  @Test
  void aLookWhileTheMachineTookNothing_isTheLoopsOwn() throws IOException {
    Probes probes = read(LOOK);
    assertThat(probes)
        .isEqualTo(
            new Probes(
                20, 9, 8, 400, 1, 1, List.of("8.0 ms of work: there (the machine took 0.0 ms)")));
  }

  @Test
  void aLookThatLeavesNoMoreThanTheBudgetBesideWhatTheMachineTook_isTheMachines()
      throws IOException {
    gaps.add(1, 104_000_000, 120_000_000);
    Probes probes = read(LOOK);
    assertThat(probes)
        .isEqualTo(
            new Probes(
                20,
                9,
                4,
                400,
                0,
                2,
                List.of("by the machine: 8.0 ms of work: there (the machine took 5.0 ms)")));
  }

  @Test
  void aLookThatLeavesMore_isTheLoopsOwn_andWhatIsLeftIsItsWork() throws IOException {
    gaps.add(1, 106_000_000, 120_000_000);
    Probes probes = read(LOOK, LOOK);
    assertThat(probes.overBudget()).isEqualTo(2);
    assertThat(probes.heldByMachine()).isEqualTo(1);
    assertThat(probes.byWorkMillis()).isEqualTo(6);
  }
}
