// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Three controllers, 2,000 objects, a minute of mixed writes (half of it with {@code CI} set),
 * every fault: nothing is lost.
 *
 * <p>{@code -Dcoxswain.storm.seconds}, {@code .objects}, {@code .rate} (writes per second) and
 * {@code -Dcoxswain.seed} change it, {@code -Dcoxswain.it.kubeconfig} points it at a real cluster;
 * see {@code docs/guides/testing.md}.
 */
class ControllerStormIT {

  private static final StormRun.Size SIZE =
      new StormRun.Size(
          Long.getLong("coxswain.seed", 20_261_121),
          Integer.getInteger("coxswain.storm.seconds", System.getenv("CI") == null ? 60 : 30),
          Integer.getInteger("coxswain.storm.objects", 2_000),
          Integer.getInteger("coxswain.storm.rate", 150));

  @Test
  @Timeout(value = 12 * 60 * 60, unit = TimeUnit.SECONDS) // every wait inside has its own limit
  void whateverHappens_nothingIsLost() throws IOException {
    StormRun run = new StormRun(SIZE);
    try (StormCluster cluster = StormCluster.ofProperties()) {
      run.at(cluster);
    } finally {
      Path folder = Files.createDirectories(Path.of("target", "storm"));
      Files.write(folder.resolve("report.txt"), run.lines());
    }
    assertThat(run.passed())
        .as("see the lines that begin with FAIL:\n%s", String.join("\n", run.lines()))
        .isTrue();
  }
}
