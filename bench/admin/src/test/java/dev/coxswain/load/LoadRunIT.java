// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.load.part.AdminCalls;
import dev.coxswain.load.part.DevCluster;
import dev.coxswain.load.part.Options;
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
    // However busy the machine is, one attempt is enough here.
    Options options =
        Options.parse(
            "--launcher=" + LAUNCHER.toAbsolutePath().normalize(),
            "--jar=" + jar(),
            "--out=" + folder,
            "--replicas=2",
            "--items=2000",
            "--busy=50",
            "--seconds=3",
            "--warm-up=3",
            "--rounds=1",
            "--most-steal=100",
            "--no-start-cache");
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DevCluster cluster = DevCluster.start(options);
        Witness witness = Witness.start()) {
      List<AdminCalls> calls = cluster.calls();
      PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
      new LoadRun(options, cluster, calls, witness, out).run();
      calls.forEach(AdminCalls::close);
    }
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .contains("| 1 | first page of 100 | yes | ", "| 1 | counts of one controller | yes | ")
        .contains("| page of one namespace | ", "| counts of all controllers | ")
        .contains("- dumps, one replica at a time: dumps ")
        .contains("- flush, stopped in the middle: items to flush 200, ")
        .contains("Of 6 attempts 6 count; 0 were discarded");
  }

  private static Path jar() throws URISyntaxException {
    return Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
