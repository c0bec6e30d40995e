// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import static dev.coxswain.k8s.client.WriteGuard.OPEN;

import dev.coxswain.controller.Conditions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.host.internal.config.ControllerSettings;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.metrics.ControllerMeters;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.k8s.events.EventRecorder;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.Slots;
import dev.coxswain.verticle.ControllerVerticle;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The services of the host to build and run one controller.
 *
 * @param replica the name of this replica
 * @param host the owner of the timers
 * @param deployments deploys the controller on an event loop
 * @param services the services of the controller's environment
 * @param owned permits writes of controllers that not every replica runs
 * @param settings the settings in force, of which the concurrency may change
 * @param watched the namespaces in force, an empty set for all; empty when it has none to watch
 */
record ControllerSetup(
    String name,
    String replica,
    Vertx host,
    Deployments deployments,
    ControllerRuntime runtime,
    Map<Class<?>, Object> services,
    WriteGuard owned,
    ControllerMeters meters,
    Supplier<ControllerSettings> settings,
    Supplier<Optional<Set<String>>> watched,
    Supplier<@Nullable ConfigMapPauseStore> pauses) {

  /**
   * The conditions of the controller; the host may raise its own, also while the controller does
   * not run.
   */
  Conditions conditions() {
    return runtime.conditions().apply(name);
  }

  Clock clock() {
    return runtime.clock();
  }

  /**
   * A controller that has been built and does not run yet.
   *
   * @param controller the controller, with the options of the configuration
   * @param concurrency the concurrency of its author
   * @param namespaces the namespaces that it watches, empty for all
   */
  record Build(Controller<?> controller, int concurrency, Set<String> namespaces) {
    boolean everywhere() {
      return controller.options().ownership() == Ownership.EVERYWHERE;
    }
  }

  /** Builds the controller with the options of the configuration; may block. */
  Build create(ControllerDefinition definition) throws Exception {
    ControllerSettings settings = this.settings.get();
    Set<String> namespaces =
        watched
            .get()
            .orElseThrow(() ->
                new HostException(
                    "kubernetes.watchNamespaceSelector selects no namespace that is known; it starts when there is one with such labels"));
    OwnershipGuard guard = new OwnershipGuard();
    Map<Class<?>, Object> own = new HashMap<>(services);
    own.computeIfPresent(
        Kubernetes.class,
        (_, kubernetes) ->
            KubernetesRuntime.of(KubernetesRuntime.of((Kubernetes) kubernetes).guardedBy(guard))
                .watching(namespaces));
    if (own.get(Kubernetes.class) instanceof Kubernetes guarded) {
      own.put(EventRecorder.class, guarded.eventRecorder(name, replica, runtime.clock()));
    }
    meters.begin();
    own.put(MeterRegistry.class, meters.registry());
    ControllerEnvironment environment = settings.environment(Map.copyOf(own), "", runtime.clock());
    // Definitions of other projects are compiled without our null checks.
    @Nullable Controller<?> controller = definition.create(environment);
    if (controller == null) {
      throw new HostException(
          "the definition of controller \"%s\" (%s) returned null instead of a controller"
              .formatted(name, definition.getClass().getName()));
    }
    if (!controller.name().equals(name)) {
      throw new HostException(
          ("the definition of controller \"%s\" built a controller with the name \"%s\"; use the"
                  + " same name in both")
              .formatted(name, controller.name()));
    }
    Controller<?> configured = controller.withOptions(settings::applyTo);
    guard.built(configured.options().ownership() == Ownership.EVERYWHERE ? OPEN : owned);
    return new Build(configured, controller.options().concurrency(), namespaces);
  }

  private Set<String> clusters() {
    return services.get(Kubernetes.class) instanceof Kubernetes kubernetes
        ? Set.copyOf(kubernetes.clusters())
        : Set.of();
  }

  /** Returns whether a controller was built for other namespaces than those in force. */
  boolean isOutdated(Build build) {
    return !Optional.of(build.namespaces()).equals(watched.get());
  }

  /** Keeps the caches of a controller until the result is run, so that they are not listed again. */
  Runnable holdCaches() {
    return services.get(Kubernetes.class) instanceof Kubernetes kubernetes
        ? KubernetesRuntime.of(kubernetes).holdCaches()
        : () -> {};
  }

  /** Returns the concurrency in the configuration, or that of the author. */
  int concurrency(Build build) {
    return Objects.requireNonNullElse(settings.get().concurrency(), build.concurrency());
  }

  /** Creates the verticle of a controller with the concurrency in force, and with its pauses from the start. */
  ControllerVerticle<?> verticle(Build build, @Nullable Slots slots, LongSupplier epoch) {
    Controller<?> controller =
        build
            .controller()
            .withOptions(options -> options.with(with -> with.concurrency(concurrency(build))));
    ControllerVerticle<?> verticle =
        new ControllerVerticle<>(
            controller,
            runtime
                .withSlots(slots)
                .withEpoch(epoch)
                .withNamespaces(build.namespaces())
                .withClusters(clusters()));
    verticle.beforeStart(this::applyPauses);
    return verticle;
  }

  /** Applies the pauses to a controller that the store does not reach: it starts, or has just done so. */
  void applyPauses(ControllerHandle handle) {
    ConfigMapPauseStore stored = pauses.get();
    if (stored != null) {
      stored.apply(handle);
    }
  }
}
