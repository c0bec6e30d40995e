// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.tracing;

import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.spi.ControllerTelemetry;
import java.time.Duration;
import java.util.Optional;
import okhttp3.Interceptor;

/**
 * The tracing of a host, or none.
 *
 * <p>Thread rule: any thread; no method but {@link #close} blocks.
 */
public interface Tracing extends AutoCloseable {

  /** The longest that {@link #close} blocks. */
  Duration CLOSE_LIMIT = Duration.ofSeconds(3);

  /** No tracing. */
  Tracing OFF =
      new Tracing() {
        @Override
        public ControllerTelemetry controller(String name, ControllerTelemetry metrics) {
          return metrics;
        }

        @Override
        public Optional<Interceptor> requests() {
          return Optional.empty();
        }

        @Override
        public void close() {}
      };

  /**
   * Starts the tracing of a host, if it is enabled.
   *
   * @param replica the name of the replica
   * @param version the version of the host
   * @throws HostException when the certificates of the collector cannot be read
   */
  static Tracing of(TracingSettings settings, String replica, String version, HostMetrics metrics)
      throws HostException {
    return settings.enabled() ? OtlpTracing.start(settings, replica, version, metrics) : OFF;
  }

  /**
   * Returns a telemetry that also traces the attempts of a controller.
   *
   * @param metrics the telemetry of its metrics
   */
  ControllerTelemetry controller(String name, ControllerTelemetry metrics);

  /** Returns what traces requests of attempts to the API server; empty when nothing does. */
  Optional<Interceptor> requests();

  /** Sends the spans that wait, within {@link #CLOSE_LIMIT}, and ends. */
  @Override
  void close();
}
