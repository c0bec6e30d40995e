// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.testing.host.Replica;
import dev.coxswain.testing.host.Setup;
import dev.coxswain.testing.network.Loopback;
import dev.coxswain.testing.process.Waits;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The short form of the failure suite: real replicas on the loopback interface. The full form, with
 * networks that are cut, is {@code bench/run limiter-failures --full}.
 */
@Timeout(1_200)
class LimiterFailuresIT {
  private static final Path HOST = Path.of("..", "host");
  private static final Budget BUDGET = new Budget(100, 20);

  /** With permits that live for a quarter of a second: a machine that is very busy uses some. */
  private static final Budget SHARED = new Budget(50, 100);

  private static final int MAX_REPLICAS = 5;
  private static final int KEYS = 50;
  private static final int SOME_GRANTS = 50;

  /** Far more than it takes; the machine may be busy with other things. */
  private static final Duration LIMIT = Duration.ofMinutes(5);

  @TempDir private Path folder;

  @Test
  @Tag("long") // StartsTest shows that an exceeded cap is found
  void bucketsOfEachProcess_giveTheClusterThreeTimesTheCap() throws Exception {
    try (Run run = start(BUDGET, false)) {
      run.cluster.start(0, 1, 2);
      run.cluster.awaitReady();
      boolean broken =
          Waits.until(
              LIMIT, () -> run.cluster.starts().worst(BUDGET).excess() > 10 * BUDGET.burst());
      assertThat(broken).as(run.progress.toString()).isTrue();
    }
  }

  @Test
  void sharedBudget_whoseOwnerIsKilled_exceedsNoWindow_andServesTheOthersAgain() throws Exception {
    try (Run run = start(SHARED, true)) {
      Cluster cluster = run.cluster;
      cluster.start(0, 1, 2);
      cluster.awaitReady();
      run.await("all use the pool", () -> usesPool(cluster, cluster.replicas(), Map.of()));
      run.await("its owner is known", cluster::knowsOwner);
      Replica owner = cluster.owner();
      cluster.kill(owner);
      List<Replica> others = cluster.replicas();
      Map<Replica, Double> before = new HashMap<>();
      others.forEach(other -> before.put(other, cluster.poolGrants(other)));
      run.await("the others use it again", () -> usesPool(cluster, others, before));
      assertThat(cluster.crashed()).as(run.progress.toString()).isEmpty();
      assertThat(others).hasSize(2).doesNotContain(owner);
      Starts starts = cluster.starts();
      assertThat(starts.worst(SHARED).excess())
          .as("%s starts, %s", starts.count(), run.progress)
          .isLessThanOrEqualTo(0);
    }
  }

  /** Returns whether each has started some more retries with permits of the pool. */
  private static boolean usesPool(
      Cluster cluster, List<Replica> replicas, Map<Replica, Double> before) {
    return replicas.stream()
        .allMatch(replica ->
            cluster.poolGrants(replica) >= before.getOrDefault(replica, 0.0) + SOME_GRANTS);
  }

  private Run start(Budget budget, boolean shared) throws Exception {
    StringBuilder progress = new StringBuilder();
    Setup setup =
        new Setup(
            HOST.toAbsolutePath().normalize(),
            folder,
            MAX_REPLICAS,
            Duration.ofSeconds(6),
            shared,
            line -> progress.append(line).append('\n'));
    return new Run(new Cluster(setup, Loopback.create(MAX_REPLICAS), budget, KEYS, true), progress);
  }

  /** A cluster that is gone afterwards, whatever happens. */
  private record Run(Cluster cluster, StringBuilder progress) implements AutoCloseable {
    void await(String what, Waits.Condition condition) throws Exception {
      assertThat(Waits.until(LIMIT, condition)).as("%s; %s", what, progress).isTrue();
    }

    @Override
    public void close() throws Exception {
      cluster.close();
    }
  }
}
