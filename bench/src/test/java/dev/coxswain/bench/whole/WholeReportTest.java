// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.whole;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.bench.whole.WholeReport.Row;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class WholeReportTest {
  private final WholeReport report = new WholeReport();

  @Test
  void aCell_isTheMedianAndItsRatioToOurs() {
    Row row = new Row("fill", "Title");
    report.add(row, "time, s", 1, SubjectStarter.OFFICIAL, 9);
    for (double value : new double[] {1, 2, 30}) {
      report.add(row, "time, s", 1, SubjectStarter.COXSWAIN, value);
    }
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    report.print(new PrintStream(printed, true, StandardCharsets.UTF_8), 3);

    assertThat(printed.toString(StandardCharsets.UTF_8))
        .contains("| median of 3 | coxswain | officialJava |")
        .contains("| time, s     |      2.0 |  9.0 (4.50x) |");
  }
}
