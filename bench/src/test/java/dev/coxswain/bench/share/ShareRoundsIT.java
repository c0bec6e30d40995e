// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.bench.run.Arguments;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The measurement, tiny, with real replicas: it starts, and counts rightly. */
class ShareRoundsIT {
  private static final Path HOST = Path.of("..", "host").toAbsolutePath().normalize();

  @TempDir private Path folder;

  @Test
  @Timeout(900)
  void twoReplicas_receiveEverything_orWhatTheServerSelectsForThem() throws Exception {
    Arguments arguments =
        Arguments.parse(
            ShareRounds.options(true),
            List.of(
                "--app=" + HOST,
                "--out=" + folder,
                "--only=key,selected",
                "--namespaces=20",
                "--objects=100",
                "--bytes=100",
                "--changes=20",
                "--seconds=2"));
    ByteArrayOutputStream printed = new ByteArrayOutputStream();

    // It fails when a change was lost, or kept by none or two.
    boolean good =
        ShareRounds.run(arguments, new PrintStream(printed, true, StandardCharsets.UTF_8));

    String text = printed.toString(StandardCharsets.UTF_8);
    assertThat(good).as(text).isTrue();
    List<String> key = cells(text, "key");
    List<String> selected = cells(text, "selected");
    assertThat(key.get(4)).as("not selected: all events are received").isEqualTo("0 of 2");
    assertThat(selected.get(4)).isEqualTo("2 of 2");
    assertThat(key.get(3)).as("dropped").isNotEqualTo("0.0 %");
    assertThat(selected.get(3)).as("dropped").isEqualTo("0.0 %");
    assertThat(List.of(key, selected)).allSatisfy(cells -> assertThat(cells).doesNotContain("-"));
  }

  /** Returns the cells of a row after the mode and the number of replicas. */
  private static List<String> cells(String text, String mode) {
    return text.lines()
        .filter(line -> line.startsWith("| " + mode + " "))
        .findFirst()
        .map(line -> Arrays.stream(line.split("\\|")).map(String::trim).skip(3).toList())
        .orElseThrow(() -> new AssertionError(mode + " has no row in " + text));
  }
}
