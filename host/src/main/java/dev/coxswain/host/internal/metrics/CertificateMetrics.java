// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The meters of the certificates of servers, read at each scrape. A server without TLS has none.
 *
 * <p>Thread rule: any thread.
 */
final class CertificateMetrics implements MultiCollector {

  private static final double MILLIS_PER_SECOND = 1_000;

  private final Supplier<Map<String, X509Certificate>> served;

  CertificateMetrics(Supplier<Map<String, X509Certificate>> served) {
    this.served = served;
  }

  @Override
  public MetricSnapshots collect() {
    Map<String, X509Certificate> now = served.get();
    return MetricSnapshots.of(
        gauge(Meters.CERTIFICATE_START, now, certificate -> certificate.getNotBefore().toInstant()),
        gauge(Meters.CERTIFICATE_END, now, certificate -> certificate.getNotAfter().toInstant()));
  }

  private static GaugeSnapshot gauge(
      Meters meter, Map<String, X509Certificate> served, Function<X509Certificate, Instant> time) {
    GaugeSnapshot.Builder rows = GaugeSnapshot.builder().name(meter.id()).help(meter.help());
    served.forEach((server, certificate) ->
        rows.dataPoint(
            GaugeSnapshot.GaugeDataPointSnapshot.builder()
                .labels(Labels.of(meter.labels().getFirst(), server))
                .value(time.apply(certificate).toEpochMilli() / MILLIS_PER_SECOND)
                .build()));
    return rows.build();
  }
}
