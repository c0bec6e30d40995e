// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The short form of the soak: each fault twice, with real replicas. */
@Tag("long")
@Timeout(900)
class SoakIT {
  private static final Path HOST = Path.of("..", "host").toAbsolutePath().normalize();

  /** Figures belong to the benchmark; this finds what grows with every change or fault. */
  private static final int GROWTH_PERCENT = 25;

  @TempDir private Path folder;

  @Test
  void aMinuteOfChangesAndFaults_losesNothing_doublesNothing_andNothingGrows() throws Exception {
    OwnershipPlan plan =
        new OwnershipPlan(
            HOST,
            folder,
            "sharded",
            "filtered",
            3,
            Duration.ofSeconds(6),
            300,
            500,
            Duration.ofMillis(2),
            Duration.ofMillis(-1),
            2,
            1,
            Duration.ZERO);
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
      assertThat(SoakRuns.run(plan, Duration.ofSeconds(60), GROWTH_PERCENT, out))
          .as(printed.toString(StandardCharsets.UTF_8))
          .isEmpty();
    }
  }
}
