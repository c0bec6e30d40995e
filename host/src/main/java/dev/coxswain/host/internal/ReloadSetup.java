// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import dev.coxswain.admin.spi.ConfigurationStatus;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Limiter;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Logging;
import dev.coxswain.host.internal.controllers.ControllerManager;
import dev.coxswain.host.internal.limiter.RetryBudgets;
import dev.coxswain.host.internal.limiter.SharedBudgets;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.metrics.ReloadMetrics;
import dev.coxswain.host.internal.probes.Check;
import dev.coxswain.host.internal.reload.ConfigurationFile;
import dev.coxswain.host.internal.reload.ReloadComponent;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ConditionType;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The status of the configuration of a host, and the parts that a reload changes.
 *
 * <p>Thread rule: any thread.
 */
final class ReloadSetup {

  private final CoxswainConfiguration configuration;
  private final @Nullable SharedBudgets shared;
  private final Clock clock;
  private volatile Supplier<ConfigurationStatus> status;

  /**
   * Creates a set-up without a file.
   *
   * @param shared the shared limiter, or null
   * @param metrics receives the meters
   */
  ReloadSetup(
      CoxswainConfiguration configuration,
      @Nullable SharedBudgets shared,
      HostMetrics metrics,
      Clock clock) {
    this.configuration = configuration;
    this.shared = shared;
    this.clock = clock;
    ConfigurationStatus started = ConfigurationStatus.started("", clock.instant());
    status = () -> started;
    ReloadMetrics.register(metrics.registry(), this::status);
  }

  /** Returns the component that watches a file, whose status is shown from now on. */
  ReloadComponent follow(
      Vertx vertx,
      ConfigurationFile file,
      ConfigurationFile.Check check,
      RetryBudgets budgets,
      ControllerManager manager,
      Consumer<Logging> levels) {
    ReloadComponent reload =
        new ReloadComponent(
            vertx, file, check, configuration, new Target(budgets, manager, levels), clock);
    status = reload::status;
    return reload;
  }

  ConfigurationStatus status() {
    ConfigurationStatus now = status.get();
    return shared == null ? now : now.withSettling(shared.settling());
  }

  /** Returns a check while the current file is not in use; it does not make the replica unready. */
  List<Check> checks() {
    List<String> errors = status.get().errors();
    return errors.isEmpty()
        ? List.of()
        : List.of(Check.shown("configuration", String.join("; ", errors)));
  }

  private record Target(RetryBudgets budgets, ControllerManager manager, Consumer<Logging> loggers)
      implements ReloadComponent.Target {

    @Override
    public void limits(Map<String, Limiter> limits) {
      budgets.change(limits);
    }

    @Override
    public void levels(Logging logging) {
      loggers.accept(logging);
    }

    @Override
    public void controllers(CoxswainConfiguration next) {
      manager.reconfigure(next);
    }

    @Override
    public void rejected(@Nullable String error) {
      manager.condition(ConditionType.CONFIGURATION_REJECTED, error);
    }
  }
}
