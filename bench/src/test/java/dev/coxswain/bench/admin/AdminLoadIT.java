// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.bench.run.Arguments;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The measurement, small, with real replicas. What it measures is not looked at. */
class AdminLoadIT {
  private static final Path HOST = Path.of("..", "host");

  @TempDir private Path folder;

  @Test
  @Timeout(600)
  void aSmallRun_doesEveryPart() throws Exception {
    // However busy the machine is, one attempt is enough here.
    Arguments options =
        Arguments.parse(
            AdminLoad.options(true),
            List.of(
                "--app=" + HOST.toAbsolutePath().normalize(),
                "--out=" + folder,
                "--replicas=2",
                "--items=2000",
                "--busy=50",
                "--failing=4000",
                "--causes=100",
                "--seconds=3",
                "--compilers=1",
                "--warm-up=1",
                "--most-steal=100"));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    AdminLoad.run(options, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .contains("| 1 | first page of 100 | yes | ", "| 1 | counts of one controller | yes | ")
        .contains("| 1 | causes of all controllers, one caller | yes | ")
        .contains("4000 of them fail, of 100 causes", "| 1 | causes of all controllers | yes | ")
        .contains("| causes of one controller | ", "| explanation of an item | ")
        .contains("| one object, all controllers | ")
        .contains("| page of one namespace | ", "| counts of all controllers | ")
        .contains("- flush, stopped in the middle: items to flush 200, ")
        .contains("Of 10 attempts 10 count; 0 were discarded");
  }
}
