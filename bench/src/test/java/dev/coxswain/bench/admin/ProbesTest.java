// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProbesTest {
  @TempDir private Path folder;

  private Probes read(String... lines) throws IOException {
    Path file = Files.write(folder.resolve("probe"), List.of(lines));
    return Probes.read(List.of(file), 1_500, 4_500);
  }

  @Test
  void ofTheSecondsWithin_theFirstIsTheBegin_andTheOthersAreSummedUp() throws IOException {
    assertThat(
            read(
                "1000 5 1 1 9 9 9",
                "2000 10 7 7 50 9 9|what was before it",
                "3000 30 9000 2500 400 1 0|8.0 ms of work: there",
                "4000 50 4000 8000 300 0 1",
                "5000 90 1 1 9 9 9"))
        .isEqualTo(new Probes(20, 9, 8, 700, 1, 1, List.of("8.0 ms of work: there")));
  }

  @Test
  void aLineThatIsJustBeingWritten_isNotReadYet() throws IOException {
    assertThat(read("2000 10 1 1 5 0 0", "3000 30 1 1 5 0 0", "4000 9").attemptsPerSecond())
        .isEqualTo(20);
  }

  @Test
  void oneSecond_isNothingToCompare() {
    assertThatThrownBy(() -> read("2000 10 1 1 5 0 0")).hasMessageContaining("nothing to compare");
  }
}
