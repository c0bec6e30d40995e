// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.internal.engine.ControllerEngine;
import dev.coxswain.internal.loop.EngineThreads;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.testkit.VirtualTime;
import java.time.Duration;

/** Engines in virtual time, all of whose work is done by the thread of the test. */
final class Engines {

  private Engines() {}

  static <K> ControllerEngine<K> of(
      Controller<K> controller, ControllerTelemetry telemetry, VirtualTime time) {
    return new ControllerEngine<>(
        controller,
        new ControllerRuntime(
            name -> new LocalRetryBudget(name, 10, 100, time),
            name -> telemetry,
            time,
            Duration.ofSeconds(30)),
        new EngineThreads(time, time, time, Runnable::run));
  }
}
