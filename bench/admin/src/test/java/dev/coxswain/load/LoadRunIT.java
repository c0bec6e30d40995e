// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The measurement, small, with real replicas. What it measures is not looked at. */
class LoadRunIT {
  private static final Path LAUNCHER = Path.of("..", "..", "host", "bin", "coxswain");

  @TempDir private Path folder;

  @Test
  @Timeout(600)
  void aSmallRun_doesEveryPart() throws Exception {
    Options options =
        new Options(LAUNCHER.toAbsolutePath().normalize(), jar(), folder, 2, 2_000, 50, 3);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DevCluster cluster = DevCluster.start(options)) {
      List<AdminCalls> calls = cluster.calls();
      new LoadRun(options, cluster, calls, new PrintStream(bytes, true, StandardCharsets.UTF_8))
          .run();
      calls.forEach(AdminCalls::close);
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .contains("| first page of 100 |", "| counts of one controller |", "dumps of 1000 items")
        .containsPattern("flush of \\d+ items: (Cancelled|Succeeded)")
        .contains("| flush, stopped in the middle |");
  }

  private static Path jar() throws URISyntaxException {
    return Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
