// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.bench.failures.network.Loopback;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The short form of the ownership suite: real replicas, kill -9, SIGSTOP and a restart in order, in
 * one scenario, since each waits for a Lease to expire.
 */
@Timeout(900)
@Order(1) // takes long
class OwnershipFailuresIT {
  private static final Path HOST = Path.of("..", "host").toAbsolutePath().normalize();

  /** Figures belong to the benchmark; here the machine may be busy with other things. */
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  @TempDir private Path folder;

  @Test
  void failures_neitherDoubleNorLoseWork() throws Exception {
    OwnershipPlan plan =
        new OwnershipPlan(
            HOST,
            folder,
            "sharded",
            "filtered",
            3,
            Duration.ofSeconds(6),
            300,
            50,
            Duration.ofMillis(50),
            Duration.ofMillis(-1),
            16,
            1,
            PATIENCE);
    Queue<String> told = new ConcurrentLinkedQueue<>();
    List<OwnershipRow> rows =
        OwnershipRuns.run(
            plan,
            Loopback.create(OwnershipPlan.MAX_REPLICAS),
            List.of(OwnershipScenario.KILL_AND_FREEZE),
            told::add);
    assertThat(rows).as(told.toString()).hasSize(1).allMatch(OwnershipRow::good);
    assertThat(rows.getFirst().moves()).as("keys that moved").isPositive();
  }
}
