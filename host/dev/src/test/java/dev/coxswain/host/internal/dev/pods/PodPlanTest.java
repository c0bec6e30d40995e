// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The logs of pods, in a folder beside the chart. */
class PodPlanTest {

  @TempDir private Path folder;

  @Test
  void logsOfTheLastRun_areDeleted_andNothingElse() throws Exception {
    Path logs = Files.createDirectory(folder.resolve("shop-pods"));
    Path own = Files.writeString(logs.resolve("shop-3.log"), "");
    Path notes = Files.writeString(logs.resolve("notes.txt"), "");
    Path others = Files.createDirectories(logs.resolve("src"));
    PodPlan.clearLogs(logs, "shop");
    assertThat(own).doesNotExist();
    assertThat(notes).exists();
    assertThat(others).exists();
  }
}
