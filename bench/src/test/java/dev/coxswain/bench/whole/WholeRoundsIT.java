// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The measurement, tiny, with real processes of two subjects. What it measures is not looked at. */
class WholeRoundsIT {
  private static final Path HOST = Path.of("..", "host").toAbsolutePath().normalize();
  private static final Set<String> ROWS =
      Set.of("fill", "updates", "updates-again", "paced", "retries", "many", "start", "idle");

  @TempDir private Path folder;

  @Test
  @Timeout(900)
  void aTinyRun_hasEveryRowForEachSubject() throws Exception {
    Duration moment = Duration.ofMillis(100);
    Set<String> subjects = Set.of(SubjectStarter.COXSWAIN, SubjectStarter.OFFICIAL);
    WholePlan plan =
        new WholePlan(
            folder,
            1,
            subjects,
            ROWS,
            20,
            10,
            Duration.ofSeconds(1),
            1,
            3,
            1,
            moment,
            moment,
            false);
    ByteArrayOutputStream printed = new ByteArrayOutputStream();

    WholeRounds.run(plan, HOST, "", "", new PrintStream(printed, true, StandardCharsets.UTF_8));

    JsonArray figures =
        new JsonObject(Files.readString(folder.resolve("whole.json"))).getJsonArray("figures");
    assertThat(figures.stream().map(one -> ((JsonObject) one).getString("row"))).containsAll(ROWS);
    assertThat(figures)
        .allSatisfy(one ->
            assertThat(((JsonObject) one).getJsonObject("medians").fieldNames())
                .isEqualTo(subjects));
    assertThat(printed.toString(StandardCharsets.UTF_8)).contains("| from exec, s ");
    for (String row : ROWS) {
      assertThat(folder.resolve("whole-" + row + ".svg")).content().startsWith("<?xml");
    }
  }
}
