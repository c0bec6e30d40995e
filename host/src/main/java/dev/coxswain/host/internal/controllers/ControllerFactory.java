// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.controller.Conditions;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.limiter.RetryBudgets;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.tracing.Tracing;
import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Creates managed controllers with their meters, and removes the meters again.
 *
 * <p>Thread rule: any thread.
 */
final class ControllerFactory {

  private final Deployments deployments;
  private final Vertx host;
  private volatile CoxswainConfiguration configuration;
  private volatile @Nullable SelectedNamespaces namespaces;
  private final Map<Class<?>, Object> services;
  private final RetryBudgets budgets;
  private final WriteGuard owned;
  private final HostMetrics metrics;
  private final Tracing tracing;
  private final Clock clock;

  ControllerFactory(
      Vertx controllers,
      Vertx host,
      CoxswainConfiguration configuration,
      Map<Class<?>, Object> services,
      RetryBudgets budgets,
      WriteGuard owned,
      HostMetrics metrics,
      Tracing tracing,
      Clock clock) {
    this.deployments = new Deployments(controllers);
    this.host = host;
    this.configuration = configuration;
    this.services = services;
    this.budgets = budgets;
    this.owned = owned;
    this.metrics = metrics;
    this.tracing = tracing;
    this.clock = clock;
  }

  /**
   * Creates a controller that does not run yet.
   *
   * @param context the context of the manager
   * @param handle finds the running controller of a name, or null
   */
  ManagedController create(
      String name,
      ControllerDefinition definition,
      Context context,
      ControllerSlots slots,
      Supplier<@Nullable ConfigMapPauseStore> pauses,
      Function<String, @Nullable ControllerHandle> handle) {
    Conditions conditions = new Conditions(name, clock);
    ControllerTelemetry telemetry =
        tracing.controller(name, metrics.controller(name, () -> handle.apply(name), conditions));
    ControllerRuntime runtime =
        new ControllerRuntime(
            budgets::get,
            of -> of.equals(name) ? telemetry : ControllerTelemetry.NONE,
            clock,
            configuration.drainLimit(),
            _ -> conditions);
    return new ManagedController(
        definition,
        new ControllerSetup(
            name,
            configuration.replicaName(),
            host,
            deployments,
            runtime,
            services,
            owned,
            metrics.ownMeters(name),
            () -> configuration.controller(name),
            () -> configuration.watchNamespaces(name, () -> selected(name)),
            pauses),
        context,
        configuration.drainLimit(),
        slots,
        metrics.startFailures(name));
  }

  /** Sets what selects namespaces by their labels. */
  void follow(SelectedNamespaces selected) {
    namespaces = selected;
  }

  private Optional<Set<String>> selected(String name) {
    SelectedNamespaces selecting = namespaces;
    return selecting == null ? Optional.empty() : selecting.inForce().apply(name);
  }

  /** Replaces the configuration; only what a running controller follows may differ. */
  void reconfigure(CoxswainConfiguration next) {
    SelectedNamespaces selecting = namespaces;
    if (selecting != null) { // before: it keeps the namespaces in force until it has read others
      CoxswainConfiguration present = configuration;
      Function<String, Optional<Set<String>>> selected = selecting.inForce();
      selecting.follow(
          next.kubernetes().watchNamespaceSelector(),
          name -> present.watchNamespaces(name, () -> selected.apply(name)));
    }
    configuration = next;
  }

  /** Removes the meters of a controller, which refer to it. */
  void removed(String name) {
    metrics.removeController(name);
  }
}
