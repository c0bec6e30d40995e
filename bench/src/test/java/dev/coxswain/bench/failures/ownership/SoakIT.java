// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.bench.run.Arguments;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The short form of the soak: each fault twice, with real replicas. */
@Tag("long")
@Timeout(900)
class SoakIT {
  private static final Path HOST = Path.of("..", "host").toAbsolutePath().normalize();

  @TempDir private Path folder;

  @Test
  void aMinuteOfChangesAndFaults_losesNothing_doublesNothing_andNothingGrows() throws Exception {
    Arguments arguments =
        Arguments.parse(
            SoakRuns.options(true), List.of("--app=" + HOST, "--out=" + folder, "--objects=300"));
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
      assertThat(SoakRuns.broken(arguments, out))
          .as(printed.toString(StandardCharsets.UTF_8))
          .isEmpty();
    }
  }
}
