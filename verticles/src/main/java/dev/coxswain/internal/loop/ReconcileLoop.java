// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.controller.Conditions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.controller.ReconcileBody;
import dev.coxswain.internal.history.AttemptHistory;
import dev.coxswain.internal.history.HistoryEntry;
import dev.coxswain.internal.queue.Item;
import dev.coxswain.internal.queue.QueueCounters;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.internal.thread.CancelActions;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.spi.Alarm;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.spi.SlotTerm;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.ControllerStatus.State;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.LoopOccupant;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The loop of one controller: takes items out of the queue whenever a worker is free, runs the
 * reconciler and moves the items by their outcome. One alarm covers everything that depends on
 * time.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
public final class ReconcileLoop<K> {
  /** Attempts are numbered per process, so that a log line can be found by its number. */
  private static final AtomicLong ATTEMPT_IDS = new AtomicLong();

  private static final int DUE_SLICE = 1024;

  /** The delay before the next turn after an internal failure. */
  private static final long AFTER_FAULT_NANOS = 1_000_000_000;

  /** No turn of the event loop starts new attempts for longer than this. */
  private static final long MAX_TURN_NANOS = 2_000_000;

  private static final int CLOCK_EVERY = 16;

  private final Controller<K> controller;
  private final WorkQueue<K> queue;
  private final Outcomes<K> outcomes;
  private final ControllerTelemetry telemetry;
  private final Clock clock;
  private final Executor yielding;
  private final Executor threads;
  private final Workers<K> workers;
  private final Alarm alarm;
  private final Inbox inbox;
  private final Gauges gauges;
  private final Pause pause;
  private final Conditions conditions;
  private final @Nullable SlotGate<K> slots;

  private final LoopOccupant occupant = new LoopOccupant();
  private final CancelActions cancelActions;

  private State state = State.SYNCING;
  private boolean pumping;
  private boolean exhausted;
  private boolean pumpScheduled;
  private @Nullable Long armedAt;
  private @Nullable Drain<K> drain;
  private LongSupplier epoch = () -> 0;

  public ReconcileLoop(
      Controller<K> controller,
      WorkQueue<K> queue,
      ControllerTelemetry telemetry,
      Clock clock,
      EngineThreads threads,
      Gauges gauges,
      Conditions conditions,
      @Nullable SlotGate<K> slots) {
    this.controller = controller;
    this.queue = queue;
    this.pause = new Pause(queue);
    this.telemetry = telemetry;
    this.outcomes = new Outcomes<>(controller, queue, telemetry, clock);
    this.clock = clock;
    this.yielding = occupying(threads.yielding());
    this.threads = threads.workers();
    this.cancelActions = new CancelActions(controller.name(), threads.workers(), telemetry);
    this.workers = new Workers<>(controller.options());
    this.alarm = threads.alarms().create(() -> occupant.run(this::onAlarm));
    this.inbox =
        new Inbox(controller.name(), clock, occupying(threads.loop()), yielding, this::pump);
    this.gauges = gauges;
    this.conditions = conditions;
    this.slots = slots;
    conditions.clear(ConditionType.WORKERS_EXHAUSTED); // of an earlier run
  }

  /** Returns an executor whose tasks are marked as turns of this controller. */
  private Executor occupying(Executor executor) {
    return task -> executor.execute(() -> occupant.run(task));
  }

  public LoopOccupant occupant() {
    return occupant;
  }

  /** Returns an executor whose tasks run after other pending work of the event loop. */
  public Executor yielding() {
    return yielding;
  }

  /** Returns whether this replica owns a request. */
  public boolean owns(K request) {
    return slots == null || slots.isOpen(request);
  }

  public Inbox inbox() {
    return inbox;
  }

  /** Sets what returns the epoch of attempts without a slot; before the first one. */
  public void epoch(LongSupplier supplier) {
    epoch = supplier;
  }

  CancelActions cancelActions() {
    return cancelActions;
  }

  /** Returns the identity of a request; on any thread. */
  ItemId identityOf(K key) {
    return UserFailures.identity(controller.format(), key);
  }

  String controllerName() {
    return controller.name();
  }

  /** Returns how long an attempt may still take; on any thread. */
  Duration untilDeadline(long startedAt) {
    return workers.untilDeadline(startedAt, clock.nanos());
  }

  public State state() {
    return state;
  }

  public Workers<K> workers() {
    return workers;
  }

  public AttemptHistory<K> history() {
    return outcomes.history();
  }

  /** Stores that an operator has taken a request out of the queue. */
  public void removed(K key, HistoryEntry.Removal removal) {
    history().add(HistoryEntry.removal(key, clock.instant().toEpochMilli(), removal));
  }

  // ---- lifecycle ----

  /** Begins to reconcile, once the sources have synced. */
  public void begin() {
    if (state == State.SYNCING) {
      state = State.RUNNING;
      pump();
    }
  }

  /** Clears the denial of a token; the pump after the inbox requests one again. */
  public void tokenMayBeThere() {
    queue.tokenMayBeThere();
  }

  public void setConcurrency(int value) {
    workers.concurrency(value);
    pump();
  }

  /** Pauses until a time of the clock, or until {@link #resume} when that is null. */
  public void pause(@Nullable Long until, Runnable onEnd) {
    pause.begin(until, onEnd);
    pump();
  }

  public void resume() {
    pause.end();
    pump();
  }

  /** Shortens a drain that is under way. */
  public void limitDrain(Duration limit) {
    if (drain != null) {
      drain.limitTo(clock.nanos(), limit);
      pump();
    }
  }

  /** Stops accepting requests and starting attempts, and waits for running ones. */
  public void drain(Drain<K> begun) {
    state = State.DRAINING;
    queue.close();
    drain = begun;
    pump();
  }

  // ---- the pump ----

  private void onAlarm() {
    armedAt = null;
    pump();
  }

  /** Does all work that is due, or as much as fits a turn, and arms the alarm for the rest. */
  public void pump() {
    if (pumping) {
      return; // called from within the start of an asynchronous reconciler
    }
    pumping = true;
    boolean sound = false;
    try {
      boolean more = turn();
      if (more) {
        schedulePump();
      }
      rearm(more);
      publish();
      sound = true;
    } finally {
      pumping = false;
      if (!sound) {
        // The failure is rethrown to the inbox or the timer, which report it. Work that was due
        // stays due.
        long again = clock.nanos() + AFTER_FAULT_NANOS;
        armedAt = again;
        alarm.set(again);
      }
    }
  }

  private boolean turn() {
    if (state == State.STOPPED) {
      return false;
    }
    long now = clock.nanos();
    pause.endIfOver(now);
    workers.endRests(now);
    workers.expire(now, this::expired);
    boolean more = queue.pausedCauses().releaseSome();
    more |= queue.moveDue(DUE_SLICE);
    if (state == State.RUNNING) {
      more |= startAttempts();
    }
    judgeWorkers();
    advanceDrain(now);
    return more;
  }

  /** Returns whether no attempt is started because too many are past their time limit. */
  public boolean exhausted() {
    return state == State.RUNNING && workers.exhausted();
  }

  private void judgeWorkers() {
    boolean now = exhausted();
    if (now != exhausted) {
      exhausted = now;
      conditions.set(ConditionType.WORKERS_EXHAUSTED, now ? workers.exhaustedText() : null);
    }
  }

  private void schedulePump() {
    if (!pumpScheduled) {
      pumpScheduled = true;
      yielding.execute(() -> {
        pumpScheduled = false;
        pump();
      });
    }
  }

  /** Starts the attempts that may start; returns whether only the end of the turn stopped it. */
  private boolean startAttempts() {
    long began = clock.nanos();
    long now = began;
    for (int started = 1; workers.free() > 0 && mayStart(); started++) {
      Item<K> item = queue.next(now);
      if (item == null) {
        return queue.skipsMore();
      }
      start(item, now);
      // An asynchronous reconciler has run here, for as long as its author likes.
      if (ControllerRuntime.bodyOf(controller) instanceof ReconcileBody.Async<K>
          || started % CLOCK_EVERY == 0) {
        now = clock.nanos();
        if (now - began > MAX_TURN_NANOS) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean mayStart() {
    return slots == null || slots.mayStart();
  }

  /** Returns whether a request can be added here: its slot is not closed. */
  public boolean accepts(K request) {
    return slots == null || slots.accepts(request, Trigger.OPERATOR);
  }

  private void start(Item<K> item, long now) {
    SlotTerm term = slots == null ? null : slots.started(item.key());
    long in = term == null ? epoch.getAsLong() : term.epoch();
    Attempt<K> attempt =
        new Attempt<>(
            this,
            item,
            ATTEMPT_IDS.incrementAndGet(),
            now,
            term,
            in,
            queue.readyOfLast(),
            queue.tokenOfLast());
    attempt.begin(telemetry);
    workers.begin(attempt);
    switch (ControllerRuntime.bodyOf(controller)) {
      case ReconcileBody.Blocking<K> body -> {
        try {
          threads.execute(() -> attempt.runBlocking(body.reconciler()));
        } catch (Throwable e) { // no thread available: treated as any other failure
          attempt.complete(null, e);
        }
      }
      case ReconcileBody.Async<K> body -> {
        try {
          attempt.runAsync(body.reconciler());
        } catch (Throwable e) { // user code is contained here
          attempt.complete(null, e);
        } finally {
          UserFailures.clearInterrupt(); // it would fail the next wait of this loop
        }
      }
    }
  }

  /** Handles the end of an attempt. */
  void ended(Attempt<K> attempt) {
    workers.end(attempt);
    if (slots != null && attempt.term != null) {
      slots.ended(attempt.term);
    }
    if (drain != null) {
      drain.ended(attempt);
    }
    if (attempt.timedOut) {
      outcomes.endedLate(attempt);
      return;
    }
    long now = clock.nanos();
    if (outcomes.ended(attempt, now)) {
      workers.rest(now);
    }
  }

  private void expired(Attempt<K> attempt) {
    queue.markOverdue(attempt.item);
    outcomes.timedOut(attempt);
    cancel(attempt);
  }

  /** Cancels the running attempts of some terms. */
  public void cancel(Predicate<SlotTerm> terms) {
    workers.forEach(attempt -> {
      if (attempt.term != null && terms.test(attempt.term)) {
        cancel(attempt);
      }
    });
  }

  private void cancel(Attempt<K> attempt) {
    attempt.cancel();
  }

  // ---- drain ----

  private void advanceDrain(long now) {
    Drain<K> current = drain;
    if (current == null) {
      return;
    }
    if (current.mustCancel(now)) {
      workers.forEach(this::cancel);
    }
    if (workers.attempts() == 0 || current.isOver(now)) {
      drain = null;
      state = State.STOPPED;
      alarm.clear();
      armedAt = null;
      publish(); // before the result completes, so that the gauges show the end
      current.finish(now, queue, workers);
    }
  }

  // ---- the alarm ----

  private void rearm(boolean turnGoesOn) {
    if (state == State.STOPPED || turnGoesOn) {
      return;
    }
    boolean workerFree = state == State.RUNNING && workers.free() > 0 && mayStart();
    Long wake = queue.needsWake(workerFree) ? queue.nextWake(workerFree) : null;
    wake = Durations.earlier(wake, workers.nextChange());
    wake = Durations.earlier(wake, pause.until());
    wake = Durations.earlier(wake, drain == null ? null : drain.nextStep());
    // An alarm that is set too early costs one idle turn, which is cheaper than setting it anew.
    if (wake != null && (armedAt == null || wake - armedAt < 0)) {
      armedAt = wake;
      alarm.set(wake);
    }
  }

  private void publish() {
    gauges.publish(
        new Gauges.Turn(
            QueueCounters.of(queue),
            workers.busy(),
            workers.oldestStart(),
            workers.startSum(),
            workers.attempts(),
            workers.concurrency(),
            state,
            outcomes.ended()));
  }
}
