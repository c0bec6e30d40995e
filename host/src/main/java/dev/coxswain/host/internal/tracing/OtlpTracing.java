// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.spi.ControllerTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import okhttp3.Interceptor;

/** Tracing with the SDK of OpenTelemetry, which sends spans by OTLP over HTTP. */
final class OtlpTracing implements Tracing {

  private static final String SCOPE = "dev.coxswain";

  /** A message of an exception may have any length. */
  private static final int MAX_TEXT = 4096;

  /** Failures of the export are in the host's log; the SDK would print them to standard error. */
  private static final Logger SDK_LOG = Logger.getLogger("io.opentelemetry");

  private final SpanQueue export;
  private final Tracer tracer;

  private OtlpTracing(SpanQueue export, Tracer tracer) {
    this.export = export;
    this.tracer = tracer;
  }

  /**
   * Starts tracing.
   *
   * @throws HostException when the certificates of the collector cannot be read
   */
  static OtlpTracing start(
      TracingSettings settings, String replica, String version, HostMetrics metrics)
      throws HostException {
    SDK_LOG.setLevel(Level.OFF);
    TracingSettings.Collector collector = settings.collector();
    OtlpHttpSpanExporterBuilder exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(collector.endpoint())
            .setTimeout(collector.timeout());
    collector.headers().forEach(exporter::addHeader);
    String certificate = collector.certificate();
    if (certificate != null) {
      try {
        exporter.setTrustedCertificates(Files.readAllBytes(Path.of(certificate)));
      } catch (IOException | IllegalArgumentException e) {
        throw new HostException(
            "tracing.certificate " + certificate + " cannot be used: " + e.getMessage(), e);
      }
    }
    SpanQueue export =
        new SpanQueue(
            exporter.build(),
            settings.queueSize(),
            collector.timeout(),
            new ExportReport(collector.endpoint(), metrics));
    SdkTracerProvider provider =
        SdkTracerProvider.builder()
            .setResource(resource(settings, replica, version))
            .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(settings.samplingRatio())))
            .setSpanLimits(SpanLimits.builder().setMaxAttributeValueLength(MAX_TEXT).build())
            .addSpanProcessor(export)
            .build();
    return new OtlpTracing(export, provider.get(SCOPE, version));
  }

  private static Resource resource(TracingSettings settings, String replica, String version) {
    AttributesBuilder attributes =
        Attributes.builder()
            .put("service.name", "coxswain")
            .put("service.version", version)
            .put("service.instance.id", replica);
    settings.resource().forEach(attributes::put);
    return Resource.getDefault().merge(Resource.create(attributes.build()));
  }

  @Override
  public ControllerTelemetry controller(String name, ControllerTelemetry metrics) {
    return new SpanTelemetry(name, metrics, tracer);
  }

  @Override
  public Optional<Interceptor> requests() {
    return Optional.of(new RequestTracing(tracer));
  }

  @Override
  public void close() {
    export.close(CLOSE_LIMIT);
  }
}
