// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.tracing.TraceCollector.Mode;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.AttemptSpan;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.testkit.TestAttempt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A collector that does not answer costs spans, and nothing else. */
class SpanQueueTest {

  private final TraceCollector collector = new TraceCollector();
  private final HostMetrics metrics = new HostMetrics("test");
  private final List<Tracing> open = new ArrayList<>();

  @AfterEach
  void close() {
    open.forEach(Tracing::close);
    metrics.close();
    collector.close();
  }

  private ControllerTelemetry tracing(String endpoint, String... settings) throws Exception {
    List<String> all = new ArrayList<>(List.of(settings));
    all.addAll(List.of("tracing.enabled=true", "tracing.endpoint=" + endpoint));
    CoxswainConfiguration configuration = ConfigurationLoader.load(null, Map.of(), all);
    Tracing tracing = Tracing.of(configuration.tracing(), "one", "1", metrics);
    open.add(tracing);
    return tracing.controller("demo", ControllerTelemetry.NONE);
  }

  private static void attempts(ControllerTelemetry telemetry, int count) {
    for (int i = 0; i < count; i++) {
      AttemptSpan span =
          Objects.requireNonNull(telemetry.begin(Request.of("a", "b" + i), TestAttempt.of("demo")));
      span.end("success", null);
    }
  }

  private double spans(String result) {
    return metrics
        .registry()
        .get("coxswain_trace_spans_total")
        .tag("result", result)
        .counter()
        .count();
  }

  @Test
  void aSilentCollector_fillsABoundedQueue_andSlowsNeitherAnAttemptNorTheStop() throws Exception {
    collector.mode(Mode.IS_SILENT);
    ControllerTelemetry telemetry =
        tracing(collector.endpoint(), "tracing.queueSize=64", "tracing.exportTimeout=5s");
    long begun = System.nanoTime();
    attempts(telemetry, 10_000);
    assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
    assertThat(spans("dropped")).isGreaterThan(9_000);
    long stop = System.nanoTime();
    open.removeLast().close();
    assertThat(Duration.ofNanos(System.nanoTime() - stop))
        .isLessThan(Tracing.CLOSE_LIMIT.plusSeconds(5));
    assertThat(spans("exported")).isZero();
    attempts(telemetry, 1); // after the end: dropped
    assertThat(spans("dropped") + spans("failed")).isGreaterThanOrEqualTo(10_001 - 64);
    TraceCollector.until(
        () -> spans("dropped") + spans("failed") == 10_001); // each is counted once
  }

  @Test
  void aCollectorThatRefuses_isCounted_andUsedAgainWhenItAccepts() throws Exception {
    collector.mode(Mode.REFUSES);
    ControllerTelemetry telemetry = tracing(collector.endpoint());
    attempts(telemetry, 600);
    TraceCollector.until(() -> spans("failed") == 600);
    collector.mode(Mode.ACCEPTS);
    attempts(telemetry, 5);
    TraceCollector.until(() -> spans("exported") == 5);
    assertThat(collector.spans()).hasSize(5);
    assertThat(spans("dropped")).isZero();
  }

  @Test
  void noCollector_failsEachBatchWithinItsTime() throws Exception {
    ControllerTelemetry telemetry =
        tracing("http://127.0.0.1:1/v1/traces", "tracing.exportTimeout=500ms");
    attempts(telemetry, 3);
    TraceCollector.until(() -> spans("failed") == 3);
  }

  @Test
  void aCertificateThatCannotBeRead_endsTheStart() {
    assertThatThrownBy(() -> tracing("https://127.0.0.1:1/", "tracing.certificate=/no/such/file"))
        .isInstanceOf(HostException.class)
        .hasMessageContaining("tracing.certificate /no/such/file cannot be used");
  }
}
