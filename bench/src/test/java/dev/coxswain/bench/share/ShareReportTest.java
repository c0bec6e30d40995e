// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ShareReportTest {
  private static final String METRICS =
      """
      coxswain_cache_events_total{cache="Namespace"} 7.0
      coxswain_cache_events_total{cache="RecordedObject"} 120.0
      coxswain_cache_events_dropped_total{cache="RecordedObject"} 20.0
      coxswain_cache_watch_selected{cache="Namespace"} 0.0
      coxswain_cache_watch_selected{cache="RecordedObject"} 1.0
      coxswain_cache_watch_ranges{cache="RecordedObject"} 12.0
      coxswain_slots_held{stage="incoming"} 1.0
      coxswain_slots_held{stage="open"} 31.0
      """;

  @Test
  void traffic_isThatOfTheChangedObjects() {
    ReplicaTraffic now = ReplicaTraffic.of(METRICS, 3);

    assertThat(now.events()).isEqualTo(120);
    assertThat(now.dropped()).isEqualTo(20);
    assertThat(now.selected()).isTrue();
    assertThat(now.ranges()).isEqualTo(12);
    assertThat(now.open()).isEqualTo(31);
    assertThat(now.since(ReplicaTraffic.of(METRICS.replace("120", "100"), 1)).events())
        .isEqualTo(20);
  }

  @Test
  void plot_hasBarsForSeveralNumbersOfReplicas_andNoneForOne() {
    ShareReport report = new ShareReport();
    report.add(row(1, 4096));
    assertThat(plot(report)).isEmpty();

    report.add(row(2, 2048));
    assertThat(plot(report))
        .contains("selected   1 |" + "#".repeat(50) + " 4.0")
        .contains("selected   2 |" + "#".repeat(25) + " ".repeat(25) + " 2.0");
  }

  private static ShareReport.Row row(int replicas, double bytes) {
    return new ShareReport.Row(
        ShareSubject.SELECTED, replicas, 1, 1, bytes, 0, replicas, 1, 1, 1, 1, 1, 1, 1, 1);
  }

  private static String plot(ShareReport report) {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    report.plot(new PrintStream(printed, true, StandardCharsets.UTF_8));
    return printed.toString(StandardCharsets.UTF_8);
  }
}
