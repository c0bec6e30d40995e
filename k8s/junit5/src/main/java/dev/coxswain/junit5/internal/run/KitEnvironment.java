// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import dev.coxswain.controller.Conditions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.events.EventRecorder;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the controllers of a test receive from its process.
 *
 * <p>Thread rule: immutable.
 *
 * @param k8s the access to the API server
 * @param meters the registry for meters of their own
 * @param config their configuration
 * @param clock the time
 */
public record KitEnvironment(
    Kubernetes k8s, MeterRegistry meters, Map<String, Object> config, Clock clock)
    implements ControllerEnvironment {

  @Override
  public <T> T get(Class<T> type) {
    if (type.isInstance(k8s)) {
      return type.cast(k8s);
    }
    if (type == MeterRegistry.class) {
      return type.cast(meters);
    }
    if (type == EventRecorder.class) {
      return type.cast(k8s.eventRecorder("test", "test", clock));
    }
    throw new IllegalStateException(
        "no service %s in this test; available: %s, %s, %s"
            .formatted(
                type.getName(),
                Kubernetes.class.getName(),
                MeterRegistry.class.getName(),
                EventRecorder.class.getName()));
  }

  /** Returns the services of the engine: each budget is local, and has the default rate. */
  public static ControllerRuntime runtime(Clock clock, Duration drainLimit) {
    Map<String, RetryBudget> budgets = new ConcurrentHashMap<>();
    return new ControllerRuntime(
        budget ->
            budgets.computeIfAbsent(
                budget,
                _ ->
                    new LocalRetryBudget(
                        budget, RetryBudget.DEFAULT_RATE, RetryBudget.DEFAULT_BURST, clock)),
        _ -> ControllerTelemetry.NONE,
        clock,
        drainLimit,
        controller -> new Conditions(controller, clock));
  }

  /**
   * Returns all definitions that some have.
   *
   * @throws IllegalArgumentException when two have one name
   */
  public static List<ControllerDefinition> all(List<ControllerDefinition> some) {
    List<ControllerDefinition> all =
        some.stream().flatMap(one -> one.definitions().stream()).toList();
    requireDistinct(all.stream().map(ControllerDefinition::name).toList());
    return all;
  }

  /** Throws {@link IllegalArgumentException} when one name occurs twice. */
  public static void requireDistinct(List<String> names) {
    Set<String> known = new HashSet<>();
    names.forEach(name -> {
      if (!known.add(name)) {
        throw new IllegalArgumentException(
            "two controllers are named \"" + name + "\", which a host refuses; rename one");
      }
    });
  }

  /**
   * Builds a controller.
   *
   * @throws IllegalStateException when its definition fails
   */
  public Controller<?> build(ControllerDefinition definition) {
    try {
      return definition.create(this);
    } catch (Exception e) {
      throw new IllegalStateException(
          "controller \"" + definition.name() + "\" could not be built", e);
    }
  }
}
