// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.metrics;

import dev.coxswain.admin.spi.ConfigurationStatus;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.function.Supplier;

/**
 * The meters of the configuration and of its reloads.
 *
 * <p>Thread rule: stateless.
 */
public final class ReloadMetrics {

  private ReloadMetrics() {}

  /**
   * Creates the meters.
   *
   * @param status the status of the configuration
   */
  public static void register(MeterRegistry registry, Supplier<ConfigurationStatus> status) {
    Meters.CONFIG_SUCCESSFUL.gauge(registry, () -> status.get().errors().isEmpty() ? 1 : 0);
    Meters.CONFIG_LOADED.gauge(registry, () -> status.get().loadedAt().toEpochMilli() / 1e3);
    Meters.CONFIG_RESTART.gauge(registry, () -> status.get().restart().size());
    // The gauges hold the status for the counters.
    Meters.CONFIG_RELOADS.counter(registry, status, of -> of.get().reloads(), "used");
    Meters.CONFIG_RELOADS.counter(registry, status, of -> of.get().rejections(), "rejected");
  }
}
