// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.operation.Operation;
import dev.coxswain.admin.internal.operation.OperationLog;
import dev.coxswain.admin.internal.operation.OperationView;
import dev.coxswain.admin.internal.resource.ControllerView;
import dev.coxswain.admin.internal.resource.Replicas;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.ControllerDirectory.FailedController;
import dev.coxswain.admin.spi.ControllerDirectory.IdleController;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import dev.coxswain.admin.spi.ControllerDirectory.ReplicaInfo;
import dev.coxswain.admin.spi.ControllerDirectory.Snapshot;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.view.Condition;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueueSnapshot;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Polls for changes and adds events about them. Confined to the admin event loop.
 *
 * <p>A poll adds at max {@link #MAX_PER_POLL} events about controllers, so that it does not keep
 * the event loop for long; the remaining controllers are first in the next poll.
 */
final class EventWatch {

  static final String CONTROLLERS = "controllers";
  static final String LIMITERS = "limiters";
  static final String REPLICAS = "replicas";
  static final String OPERATIONS = "operations";

  /** All topics. */
  static final Set<String> TOPICS =
      Collections.unmodifiableSet(
          new TreeSet<>(List.of(CONTROLLERS, LIMITERS, OPERATIONS, REPLICAS)));

  private static final int MAX_PER_POLL = 100;

  private final ControllerDirectory directory;
  private final OperationLog operations;
  private final EventRing ring;
  private final Map<String, Object> published = new HashMap<>(); // by name of the controller
  private final Map<String, Progress> progress = new HashMap<>(); // by id of the operation
  private Map<String, BudgetSnapshot> limiters = Map.of();
  private @Nullable List<ReplicaInfo> replicas;
  private int next;

  EventWatch(ControllerDirectory directory, OperationLog operations, EventRing ring) {
    this.directory = directory;
    this.operations = operations;
    this.ring = ring;
  }

  /** The data of an event about a controller, without ages. */
  private record State(
      ControllerStatus.State state,
      boolean paused,
      int causesPaused,
      int ready,
      int delayed,
      int waitingToken,
      int inFlight,
      int failing,
      int dirty,
      int overdue,
      int maxConcurrent,
      int activeWorkers,
      List<Condition> conditions) {}

  /** The data of an event about a controller that does not run here, without times. */
  private record Idle(IdlePhase phase, @Nullable String lastOwner, boolean owned) {}

  /** The data of an event about an operation, and its controller. */
  private record Progress(String controller, Operation.State state, int matched, int done) {}

  /** Adds events about changes, up to the limit. */
  void poll() {
    poll(MAX_PER_POLL);
  }

  /** Adds events about all changes, for a new stream. */
  void pollAll() {
    poll(Integer.MAX_VALUE);
  }

  private void poll(int max) {
    pollControllers(max);
    pollLimiters();
    pollOperations();
    List<ReplicaInfo> current = directory.replicas();
    if (!current.equals(replicas)) {
      replicas = current;
      ring.state(REPLICAS, "replicas", "", null, Replicas.list(directory));
    }
  }

  private void pollControllers(int max) {
    Set<String> present = new HashSet<>();
    Snapshot all = directory.snapshot();
    for (IdleController idle : all.idle()) {
      // The time when the owner was last observed changes all the time, so it adds no event.
      Idle now = new Idle(idle.phase(), idle.lastOwner(), idle.owned());
      present.add(idle.name());
      if (!now.equals(published.put(idle.name(), now))) {
        ring.state(
            CONTROLLERS,
            "controller",
            idle.name(),
            idle.name(),
            of(idle.name(), idle.phase().label())
                .since(idle.since())
                .lastOwner(idle.lastOwner())
                .owned(idle.owned())
                .build());
      }
    }
    for (FailedController failed : all.failed()) {
      present.add(failed.name());
      if (!failed.equals(published.put(failed.name(), failed))) {
        ControllerEvent data =
            of(failed.name(), "failed")
                .error(Json.line(failed.error(), Json.MAX_ERROR_TEXT))
                .build();
        ring.state(CONTROLLERS, "controller", failed.name(), failed.name(), data);
      }
    }
    List<ControllerHandle> handles = all.running();
    int made = 0;
    int first = handles.isEmpty() ? 0 : next % handles.size();
    for (int i = 0; i < handles.size(); i++) {
      int at = (first + i) % handles.size();
      ControllerHandle handle = handles.get(at);
      present.add(handle.name());
      if (made < max && addIfChanged(handle)) {
        made++;
        next = at + 1;
      }
    }
    for (String name : List.copyOf(published.keySet())) {
      if (!present.contains(name)) {
        published.remove(name);
        ring.removed(CONTROLLERS, "controller", name, name, of(name, "gone").build());
      }
    }
  }

  private boolean addIfChanged(ControllerHandle handle) {
    ControllerStatus status;
    QueueSnapshot queue;
    try {
      status = handle.status();
      queue = handle.snapshot();
    } catch (RuntimeException e) {
      return false; // its state cannot be read; the list of controllers reports that
    }
    State state =
        new State(
            status.state(),
            status.pause() != null,
            status.pausedCauses().size(),
            queue.ready(),
            queue.delayed(),
            queue.waitingToken(),
            queue.inFlight(),
            queue.failing(),
            queue.dirty(),
            queue.overdue(),
            status.concurrency(),
            status.activeWorkers(),
            status.conditions());
    if (state.equals(published.put(handle.name(), state))) {
      return false;
    }
    ring.state(
        CONTROLLERS, "controller", handle.name(), handle.name(), data(handle.name(), state, queue));
    return true;
  }

  private ControllerEvent data(String name, State state, QueueSnapshot queue) {
    Map<String, Integer> counts = new LinkedHashMap<>();
    for (Phase phase : Phase.values()) {
      counts.put(phase.label(), queue.in(phase));
    }
    return of(name, state.state().label())
        .paused(state.paused())
        .causesPaused(state.causesPaused() == 0 ? null : state.causesPaused())
        .counts(counts)
        .total(queue.total())
        .failing(queue.failing())
        .dirty(queue.dirty())
        .overdue(queue.overdue())
        .maxConcurrent(state.maxConcurrent())
        .activeWorkers(state.activeWorkers())
        .conditions(ControllerView.conditions(state.conditions(), directory.replica()))
        .oldestReadySeconds(queue.oldestReadyNanos() / 1e9)
        .nextReadyAt(queue.nextDueAt())
        .asOf(queue.asOf())
        .build();
  }

  private ControllerEventBuilder of(String controller, String state) {
    return ControllerEventBuilder.builder()
        .replica(directory.replica())
        .controller(controller)
        .state(state);
  }

  /** Only running operations change, at max one of each controller. */
  private void pollOperations() {
    Set<String> present = new HashSet<>();
    for (Operation operation : operations.all().reversed()) {
      present.add(operation.id());
      Progress now =
          new Progress(
              operation.controller(),
              operation.state(),
              operation.matched(),
              operation.counts().done());
      if (!now.equals(progress.put(operation.id(), now))) {
        ring.state(
            OPERATIONS,
            "operation",
            operation.id(),
            operation.controller(),
            new OperationEvent(directory.replica(), OperationView.event(operation)));
      }
    }
    for (String id : List.copyOf(progress.keySet())) {
      Progress gone = present.contains(id) ? null : progress.remove(id);
      if (gone != null) {
        ring.removed(
            OPERATIONS,
            "operation",
            id,
            gone.controller(),
            new GoneEvent(directory.replica(), null, id, true));
      }
    }
  }

  private void pollLimiters() {
    Map<String, BudgetSnapshot> now = new HashMap<>();
    for (BudgetSnapshot limiter : directory.limiters()) {
      now.put(limiter.name(), limiter);
      if (!limiter.equals(limiters.get(limiter.name()))) {
        ring.state(
            LIMITERS,
            "limiter",
            limiter.name(),
            null,
            ControllerView.limiter(limiter).withReplica(directory.replica()));
      }
    }
    for (String name : limiters.keySet()) {
      if (!now.containsKey(name)) {
        ring.removed(
            LIMITERS, "limiter", name, null, new GoneEvent(directory.replica(), name, null, true));
      }
    }
    limiters = now;
  }
}
