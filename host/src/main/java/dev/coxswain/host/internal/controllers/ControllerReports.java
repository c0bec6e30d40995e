// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.admin.spi.ControllerDirectory.FailedController;
import dev.coxswain.admin.spi.ControllerDirectory.IdleController;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import dev.coxswain.admin.spi.ControllerDirectory.Snapshot;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.host.internal.controllers.ControllerManager.ControllerState;
import dev.coxswain.host.internal.probes.EventLoopWatchdog;
import dev.coxswain.sharding.internal.view.SlotOwners.Owner;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.Condition;
import dev.coxswain.view.ConditionType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The states of the controllers of a host, for the admin API, the probes and the metrics.
 *
 * <p>Thread rule: any thread.
 */
final class ControllerReports {

  private final String replica;

  /** All controllers by name, also while some are added and removed. */
  private final Collection<ManagedController> managed;

  private final Predicate<String> added;
  private final Clock clock;

  /** Finds the last observed owner of a controller that one replica runs. */
  private final Function<String, Optional<Owner>> owners;

  /**
   * Creates the reports.
   *
   * @param added whether a controller was added later
   * @param owners finds the last observed owner of a controller that one replica runs
   */
  ControllerReports(
      String replica,
      Collection<ManagedController> managed,
      Predicate<String> added,
      Function<String, Optional<Owner>> owners,
      Clock clock) {
    this.replica = replica;
    this.managed = managed;
    this.added = added;
    this.owners = owners;
    this.clock = clock;
  }

  List<ControllerState> states() {
    return managed.stream()
        .map(controller -> {
          FailedController failed = controller.failure();
          return new ControllerState(
              controller.name(),
              controller.phase(),
              failed == null ? null : failed.error(),
              conditions(controller),
              added.test(controller.name()),
              controller.ran());
        })
        .toList();
  }

  private static List<Condition> conditions(ManagedController controller) {
    ControllerHandle handle = controller.handle();
    if (handle != null) {
      return handle.status().conditions(); // reads the sources again
    }
    controller.conditions().clear(ConditionType.SOURCE_FAILED);
    controller.conditions().clear(ConditionType.SYNC_TIMED_OUT);
    // The watchdogs check running controllers only.
    controller.conditions().clear(ConditionType.EVENT_LOOP_BLOCKED);
    controller.conditions().clear(ConditionType.CARRIERS_BLOCKED);
    return controller.conditions().all();
  }

  Collection<EventLoopWatchdog.Watched> watched() {
    List<EventLoopWatchdog.Watched> all = new ArrayList<>();
    for (ManagedController controller : managed) {
      ControllerHandle handle = controller.handle();
      if (handle != null) {
        handle
            .occupant()
            .ifPresent(occupant ->
                all.add(
                    new EventLoopWatchdog.Watched(
                        controller.name(), occupant, controller.conditions())));
      }
    }
    return all;
  }

  Map<String, Duration> exhausted() {
    Map<String, Duration> exhausted = new TreeMap<>();
    for (ManagedController controller : managed) {
      Duration age = controller.conditions().age(ConditionType.WORKERS_EXHAUSTED);
      if (age.isPositive()) {
        exhausted.put(controller.name(), age);
      }
    }
    return exhausted;
  }

  Collection<ControllerHandle> running() {
    List<ControllerHandle> running = new ArrayList<>(managed.size());
    for (ManagedController controller : managed) {
      ControllerHandle handle = controller.handle();
      if (handle != null) {
        running.add(handle);
      }
    }
    return Collections.unmodifiableList(running);
  }

  Snapshot snapshot() {
    List<ControllerHandle> running = new ArrayList<>();
    List<FailedController> failed = new ArrayList<>();
    List<IdleController> idle = new ArrayList<>();
    for (ManagedController controller : managed) {
      // The phase is read first: a controller that starts meanwhile counts as running.
      IdlePhase phase = controller.idlePhase();
      FailedController failure = controller.failure();
      ControllerHandle handle = controller.handle();
      if (handle != null) {
        running.add(handle);
      } else if (failure != null) {
        failed.add(failure);
      } else {
        idle.add(idle(controller, phase));
      }
    }
    return new Snapshot(running, failed, idle);
  }

  private IdleController idle(ManagedController controller, IdlePhase phase) {
    Optional<Owner> seen = owners.apply(controller.name());
    if (phase == IdlePhase.STARTING || seen.isEmpty()) {
      return new IdleController(controller.name(), phase, controller.since(), null, false);
    }
    Owner last = seen.get();
    boolean other = !last.replica().equals(replica);
    return new IdleController(
        controller.name(),
        phase,
        other ? last.seenAt() : controller.since(),
        last.replica(),
        other && last.current());
  }

  /** Returns for how long no owner of a controller has been observed; zero while there is one. */
  Duration unowned(ManagedController controller) {
    if (controller.handle() != null) {
      return Duration.ZERO;
    }
    // On standby with an unusable Lease it is failed and not idle, and has an owner.
    ControllerPhase phase = controller.phase();
    boolean left = phase == ControllerPhase.STANDBY || phase == ControllerPhase.STOPPED;
    Optional<Owner> seen =
        left
            ? owners.apply(controller.name()).filter(one -> !one.replica().equals(replica))
            : Optional.empty();
    if (seen.isPresent() && seen.get().current()) {
      return Duration.ZERO;
    }
    Duration since =
        Duration.between(seen.map(Owner::seenAt).orElseGet(controller::since), clock.instant());
    return since.isPositive() ? since : Duration.ofNanos(1); // wall clocks may go back
  }
}
