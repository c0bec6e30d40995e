// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.controllers;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.controller.ControllerVerticle;
import dev.coxswain.host.HostException;
import dev.coxswain.host.config.ControllerSettings;
import dev.coxswain.time.Clock;
import io.vertx.core.Vertx;
import org.jspecify.annotations.Nullable;

/** What one slot needs of its host to build and run its controller. */
record SlotRuntime(
    String name,
    Vertx vertx,
    ControllerRuntime runtime,
    HostEnvironment environment,
    OwnershipGuard guard,
    ControllerSettings settings) {

  Clock clock() {
    return runtime.clock();
  }

  /** Builds the controller with the options of the configuration; may block. */
  Controller<?> create(ControllerDefinition definition) throws Exception {
    // Definitions of others are compiled without our null checks.
    @Nullable Controller<?> controller = definition.create(environment);
    if (controller == null) {
      throw new HostException(
          "the definition of controller \""
              + name
              + "\" ("
              + definition.getClass().getName()
              + ") returned null instead of a controller");
    }
    if (!controller.name().equals(name)) {
      throw new HostException(
          "the definition of controller \""
              + name
              + "\" builds one that is called \""
              + controller.name()
              + "\"; both must be the same");
    }
    Controller<?> configured = controller.withOptions(settings::applyTo);
    guard.built(configured.options().ownership());
    return configured;
  }

  /** Makes what runs a controller. */
  <K> ControllerVerticle<K> verticle(Controller<K> controller) {
    return new ControllerVerticle<>(controller, runtime);
  }
}
