// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.controllers;

import dev.coxswain.admin.spi.PauseStore;
import dev.coxswain.controller.Conditions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.host.config.ControllerSettings;
import dev.coxswain.host.lifecycle.HostException;
import dev.coxswain.spi.Clock;
import dev.coxswain.verticle.ControllerVerticle;
import io.vertx.core.Vertx;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one slot needs of its host to build and run its controller.
 *
 * @param host whose timers the slot uses
 * @param deployments puts the controller on an event loop
 */
record ControllerSetup(
    String name,
    Vertx host,
    Deployments deployments,
    ControllerRuntime runtime,
    HostEnvironment environment,
    OwnershipGuard guard,
    ControllerSettings settings,
    Supplier<@Nullable ConfigMapPauseStore> pauses) {

  /**
   * The standing problems of the controller; the host may raise its own, also while it stands
   * still.
   */
  Conditions conditions() {
    return runtime.conditions().apply(name);
  }

  Clock clock() {
    return runtime.clock();
  }

  /** Builds the controller with the options of the configuration; may block. */
  Controller<?> create(ControllerDefinition definition) throws Exception {
    // Definitions of others are compiled without our null checks.
    @Nullable Controller<?> controller = definition.create(environment);
    if (controller == null) {
      throw new HostException(
          "the definition of controller \"%s\" (%s) returned null instead of a controller"
              .formatted(name, definition.getClass().getName()));
    }
    if (!controller.name().equals(name)) {
      throw new HostException(
          ("the definition of controller \"%s\" builds one that is called \"%s\"; both "
                  + "must be the same")
              .formatted(name, controller.name()));
    }
    Controller<?> configured = controller.withOptions(settings::applyTo);
    guard.built(configured.options().ownership());
    return configured;
  }

  /** Returns the pause that the controller has now, or null. */
  PauseStore.@Nullable Pause pause() {
    ConfigMapPauseStore stored = pauses.get();
    return stored == null ? null : stored.of(name);
  }

  /** Makes what runs a controller, paused from the first moment if it has a pause. */
  <K> ControllerVerticle<K> verticle(Controller<K> controller, PauseStore.@Nullable Pause pause) {
    ControllerVerticle<K> verticle = new ControllerVerticle<>(controller, runtime);
    ConfigMapPauseStore stored = pauses.get();
    if (stored != null && pause != null) {
      verticle.beginPaused(pause.reason(), stored.left(pause));
    }
    return verticle;
  }

  /** Tells a controller of what became of its pause while it was being started. */
  void started(ControllerHandle handle, PauseStore.@Nullable Pause known) {
    ConfigMapPauseStore stored = pauses.get();
    if (stored != null && !Objects.equals(known, pause())) {
      stored.apply(handle);
    }
  }
}
