// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.bench.failures.Row;
import dev.coxswain.bench.run.Arguments;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
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
  private static final int PATIENCE_SECONDS = 120;

  @TempDir private Path folder;

  @Test
  void failures_neitherDoubleNorLoseWork() throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    Arguments arguments =
        Arguments.parse(
            OwnershipRuns.options(true),
            List.of(
                "--app=" + HOST,
                "--out=" + folder,
                "--changes=50",
                "--work=50",
                "--patience=" + PATIENCE_SECONDS,
                "--only=kill-and-freeze"));
    List<Row> rows;
    try (PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8)) {
      rows = OwnershipRuns.rows(arguments, out);
    }
    assertThat(rows).as(printed.toString(StandardCharsets.UTF_8)).hasSize(1).allMatch(Row::good);
    assertThat(rows.getFirst().cell(OwnershipSuite.MOVED)).isNotEqualTo("0");
  }
}
