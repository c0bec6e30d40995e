// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.retry.RetryBudget;
import dev.coxswain.source.SourceRegistry;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.spi.Slots;
import java.time.Duration;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The services of a host for the controllers it runs.
 *
 * <p>Thread rule: immutable; what it holds may be used from any thread.
 *
 * @param budgets finds the retry budget for a name; throws {@link IllegalArgumentException} with
 *     the existing names when there is none
 * @param telemetry finds the telemetry of a controller by its name
 * @param clock the time
 * @param drainLimit how long running attempts may go on after the controller is undeployed
 * @param conditions finds the conditions of a controller by its name; the host may add its own,
 *     also while the controller does not run
 * @param slots the slots of controllers that not every replica runs; null when this process owns all requests
 * @param epoch returns the epoch of attempts without a slot; any thread, must not block
 * @param namespaces the namespaces whose requests are accepted, beside those of requests without a
 *     namespace; others are dropped. Empty for all
 * @param clusters the clusters that a request may name, beside that of the host
 */
public record ControllerRuntime(
    Function<String, RetryBudget> budgets,
    Function<String, ControllerTelemetry> telemetry,
    Clock clock,
    Duration drainLimit,
    Function<String, Conditions> conditions,
    @Nullable Slots slots,
    LongSupplier epoch,
    Set<String> namespaces,
    Set<String> clusters) {

  /** The drain limit of controller-runtime: 30 s. */
  public static final Duration DEFAULT_DRAIN_LIMIT = Duration.ofSeconds(30);

  public ControllerRuntime {
    Objects.requireNonNull(budgets, "budgets");
    Objects.requireNonNull(telemetry, "telemetry");
    Objects.requireNonNull(clock, "clock");
    Objects.requireNonNull(conditions, "conditions");
    Objects.requireNonNull(epoch, "epoch");
    namespaces = Set.copyOf(namespaces);
    clusters = Set.copyOf(clusters);
    if (drainLimit.isNegative()) {
      throw new IllegalArgumentException("the drain limit must not be negative: " + drainLimit);
    }
  }

  /** Creates a runtime of a process that owns all requests. */
  public ControllerRuntime(
      Function<String, RetryBudget> budgets,
      Function<String, ControllerTelemetry> telemetry,
      Clock clock,
      Duration drainLimit,
      Function<String, Conditions> conditions) {
    this(budgets, telemetry, clock, drainLimit, conditions, null, () -> 0, Set.of(), Set.of());
  }

  /** Creates a runtime whose conditions are visible in the status of each controller only. */
  public ControllerRuntime(
      Function<String, RetryBudget> budgets,
      Function<String, ControllerTelemetry> telemetry,
      Clock clock,
      Duration drainLimit) {
    this(budgets, telemetry, clock, drainLimit, name -> new Conditions(name, clock));
  }

  /** Returns the same with these slots; null when this process owns all requests. */
  public ControllerRuntime withSlots(@Nullable Slots own) {
    return new ControllerRuntime(
        budgets, telemetry, clock, drainLimit, conditions, own, epoch, namespaces, clusters);
  }

  /** Returns the same with this epoch of attempts without a slot. */
  public ControllerRuntime withEpoch(LongSupplier own) {
    return new ControllerRuntime(
        budgets, telemetry, clock, drainLimit, conditions, slots, own, namespaces, clusters);
  }

  /** Returns the same for the requests of these namespaces; empty for all. */
  public ControllerRuntime withNamespaces(Set<String> watched) {
    return new ControllerRuntime(
        budgets, telemetry, clock, drainLimit, conditions, slots, epoch, watched, clusters);
  }

  /** Returns the same with these clusters, which a request may name. */
  public ControllerRuntime withClusters(Set<String> others) {
    return new ControllerRuntime(
        budgets, telemetry, clock, drainLimit, conditions, slots, epoch, namespaces, others);
  }

  /** Returns the reconciler of a controller. */
  public static <K> ReconcileBody<K> bodyOf(Controller<K> controller) {
    return controller.body();
  }

  /** Returns a controller with another reconciler, for instance one that observes its own. */
  public static <K> Controller<K> withBody(Controller<K> controller, ReconcileBody<K> other) {
    return controller.withBody(other);
  }

  /**
   * Connects the {@link Controller.Builder#sourceRegistry} of a controller that is about to run;
   * before its sources start.
   */
  public static <K> void connect(Controller<K> controller, SourceRegistry<K> running) {
    controller.connect(running);
  }
}
