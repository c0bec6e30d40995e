// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.failures;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The short form of the failure suite: real replicas on the loopback interface. The full form, with
 * networks that are cut, is {@code bench/limiter-failures --full}.
 */
@Timeout(600)
class LimiterFailuresIT {
  private static final Path LAUNCHER = Path.of("..", "..", "host", "bin", "coxswain");
  private static final Budget BUDGET = new Budget(100, 20);
  private static final int KEYS = 50;

  /** Far more than it takes; the machine may be busy with other things. */
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @TempDir private Path folder;

  @Test
  void bucketsOfEachProcess_giveTheClusterThreeTimesTheCap() throws Exception {
    try (Run run = Run.start(setup(false))) {
      run.cluster.start(0, 1, 2);
      run.cluster.awaitReady();
      boolean broken =
          Waits.until(
              LIMIT, () -> run.cluster.starts().worst(BUDGET).excess() > 10 * BUDGET.burst());
      assertThat(broken).as(run.told.toString()).isTrue();
    }
  }

  private Setup setup(boolean shared) {
    return new Setup(
        LAUNCHER.toAbsolutePath().normalize(), folder, BUDGET, shared, KEYS, true, "15s", "2s");
  }

  /** A cluster that is gone afterwards, whatever happens. */
  private record Run(Cluster cluster, StringBuilder told) implements AutoCloseable {
    static Run start(Setup setup) throws Exception {
      StringBuilder told = new StringBuilder();
      return new Run(
          Cluster.create(setup, new Loopback(), line -> told.append(line).append('\n')), told);
    }

    @Override
    public void close() throws Exception {
      cluster.close();
    }
  }
}
