// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.testing.TestLength;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Three controllers, 400 objects, twelve seconds of mixed writes (2,000 and a minute in the long
 * suite), every fault twice: nothing is lost. Each run has another seed, which it prints.
 *
 * <p>{@code -Dcoxswain.storm.seconds}, {@code .objects}, {@code .rate} (writes per second) and
 * {@code -Dcoxswain.seed} change it, {@code -Dcoxswain.it.kubeconfig} points it at a real cluster;
 * see {@code docs/guides/testing-coxswain.md}.
 */
@Isolated
class ControllerStormIT {

  private static final StormRun.Size SIZE =
      new StormRun.Size(
          Long.getLong("coxswain.seed", System.nanoTime() & 0xff_ffff),
          Integer.getInteger("coxswain.storm.seconds", TestLength.of(12, 60)),
          Integer.getInteger("coxswain.storm.objects", TestLength.of(400, 2_000)),
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
