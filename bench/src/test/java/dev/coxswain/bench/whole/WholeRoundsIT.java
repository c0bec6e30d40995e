// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.bench.run.Arguments;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The measurement, tiny, with real processes of two subjects. What it measures is not looked at. */
class WholeRoundsIT {
  private static final Path HOST = Path.of("..", "host").toAbsolutePath().normalize();

  @TempDir private Path folder;

  @Test
  @Timeout(900)
  void aTinyRun_hasEveryRowForEachSubject() throws Exception {
    Arguments arguments =
        Arguments.parse(
            WholeRounds.options(true),
            List.of(
                "--app=" + HOST,
                "--out=" + folder,
                "--only=coxswain,officialJava",
                "--objects=20",
                "--updates=10",
                "--paced=1",
                "--failing=1",
                "--controllers=3",
                "--settle=1",
                "--idle=1",
                "--no-start-cache"));
    ByteArrayOutputStream printed = new ByteArrayOutputStream();

    WholeRounds.run(arguments, new PrintStream(printed, true, StandardCharsets.UTF_8));

    String tables = Files.readString(folder.resolve("whole.md"));
    assertThat(printed.toString(StandardCharsets.UTF_8)).contains(tables);
    assertThat(tables.lines().filter(line -> line.startsWith("### ")))
        .hasSize(8)
        .anyMatch(line -> line.contains("ConfigMaps reconciled once"))
        .anyMatch(line -> line.contains("at full speed, the first of the process"))
        .anyMatch(line -> line.contains("at full speed, once more"))
        .anyMatch(line -> line.contains("updates a second"))
        .anyMatch(line -> line.contains("Gaps between the attempts"))
        .anyMatch(line -> line.contains("controllers, each with a watch"))
        .anyMatch(line -> line.contains("Start of a process"))
        .anyMatch(line -> line.contains("Idle process"));
    assertThat(tables.lines().filter(line -> line.startsWith("| median of 1 ")))
        .hasSize(8)
        .allMatch(line -> line.matches("[|] median of 1 +[|] +coxswain [|] +officialJava [|]"));
    assertThat(tables).doesNotContain(" - ").contains("| from exec, s ");
  }
}
