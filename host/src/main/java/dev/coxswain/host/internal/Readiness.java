// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import dev.coxswain.host.internal.controllers.ControllerManager.ControllerState;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.probes.Check;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.Condition;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The readiness probe: the host is started and not stopping, and each controller is synced, or
 * failed, or has had a minute to sync while another one is running. A failed controller is shown,
 * and does not make the replica unready.
 */
final class Readiness {

  private static final Duration SYNC_LIMIT = Duration.ofMinutes(1);
  private static final long POLL_MILLIS = 10;

  private enum State {
    STARTING,
    STARTED,
    STOPPING
  }

  private final Supplier<List<ControllerState>> controllers;
  private final Check.Probe election;
  private final Supplier<List<String>> waiting;
  private final boolean mayBeEmpty;
  private final Clock clock;
  private volatile State state = State.STARTING;
  private volatile long startedAt;

  /**
   * Creates the checks of a start.
   *
   * @param waiting the components that the start waits for
   * @param mayBeEmpty whether it is ready without any controller, since plug-ins come later
   */
  Readiness(
      Supplier<List<ControllerState>> controllers,
      Check.Probe election,
      Supplier<List<String>> waiting,
      boolean mayBeEmpty,
      Clock clock) {
    this.controllers = controllers;
    this.election = election;
    this.waiting = waiting;
    this.mayBeEmpty = mayBeEmpty;
    this.clock = clock;
  }

  void groupsStarted() {
    startedAt = clock.nanos();
    if (state == State.STARTING) {
      state = State.STARTED;
    }
  }

  void stopping() {
    state = State.STOPPING;
  }

  List<Check> started() {
    return List.of(Check.of("start", state == State.STARTING ? starting(waiting.get()) : null));
  }

  private static String starting(List<String> components) {
    return components.isEmpty()
        ? "starting"
        : "starting, waiting for " + String.join(", ", components);
  }

  List<Check> ready() {
    List<Check> checks = new ArrayList<>(started());
    checks.add(Check.of("shutdown", state == State.STOPPING ? "stopping" : null));
    checks.addAll(election.get());
    List<ControllerState> states = controllers.get();
    if (states.isEmpty() && !mayBeEmpty) {
      checks.add(
          Check.of(
              "controllers",
              "no controllers on the class path, or none enabled in the configuration"));
    }
    boolean settled = state == State.STARTED && clock.nanos() - startedAt > SYNC_LIMIT.toNanos();
    boolean late = settled && states.stream().anyMatch(one -> one.settled() && one.healthy());
    for (ControllerState controller : states) {
      String name = "controller/" + controller.name();
      if (!controller.settled()) {
        checks.add(
            new Check(
                name,
                "syncing: not all objects listed yet",
                !late && !controller.ran() && !(settled && controller.added())));
      } else if (!controller.healthy()) {
        checks.add(Check.shown(name, "cannot be started: " + controller.error()));
      } else {
        checks.add(Check.of(name, null));
      }
      for (Condition condition : controller.conditions()) {
        checks.add(
            new Check(
                name + "/" + condition.type().label(),
                condition.message(),
                condition.type().fatal() && !controller.added()));
      }
    }
    return checks;
  }

  Future<Void> await(Vertx vertx) {
    Promise<Void> ready = Promise.promise();
    poll(vertx, ready);
    return ready.future();
  }

  private void poll(Vertx vertx, Promise<Void> ready) {
    if (state == State.STOPPING) {
      ready.fail(new HostException("stopped before it was ready"));
    } else if (ready().stream().noneMatch(check -> check.counts() && check.problem() != null)) {
      ready.complete();
    } else {
      vertx.setTimer(POLL_MILLIS, _ -> poll(vertx, ready));
    }
  }
}
