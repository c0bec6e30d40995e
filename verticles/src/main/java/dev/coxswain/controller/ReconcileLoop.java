// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.controller.ControllerStatus.State;
import dev.coxswain.queue.Item;
import dev.coxswain.queue.QueueCounters;
import dev.coxswain.queue.WorkQueue;
import dev.coxswain.telemetry.ControllerTelemetry;
import dev.coxswain.time.Alarm;
import dev.coxswain.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Takes items out of a queue whenever a worker is free, runs the reconciler and puts the items to
 * where their outcome says. Everything that depends on time is behind one alarm.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
final class ReconcileLoop<K> {
  // A worker is a number, not a thread: "concurrency" minus those that run, minus those that rest
  // after a failure. Attempts that ran into their time limit free their worker but stay known until
  // they have really ended, because until then their request must not be started again.

  /**
   * Attempts are numbered through the whole process, so that a log line can be found by its number.
   */
  private static final AtomicLong ATTEMPT_IDS = new AtomicLong();

  private static final int DUE_SLICE = 1024;

  /** How soon the loop looks again after a failure of its own that should not have happened. */
  private static final long AFTER_FAULT_NANOS = 1_000_000_000;

  /** No turn of the event loop starts new attempts for longer than this. */
  private static final long MAX_TURN_NANOS = 2_000_000;

  private static final int CLOCK_EVERY = 16;

  /**
   * How many attempts may be past their time limit with their worker freed, for each worker.
   * Reconcilers that never end must not pile up without a bound.
   */
  private static final int OVERDUE_PER_WORKER = 4;

  private final Controller<K> controller;
  private final WorkQueue<K> queue;
  private final Outcomes<K> outcomes;
  private final ControllerTelemetry telemetry;
  private final Clock clock;
  private final Executor loop;
  private final Executor workers;
  private final Alarm alarm;
  private final Inbox inbox;
  private final Gauges gauges;
  private final long timeout;
  private final long cooldown;

  private final AttemptList<K> running = new AttemptList<>();
  private final AttemptList<K> overdue = new AttemptList<>();
  private final Deque<Long> resting = new ArrayDeque<>();

  private State state = State.SYNCING;
  private int concurrency;
  private boolean pumping;
  private boolean pumpScheduled;
  private @Nullable Long armedAt;
  private @Nullable Long pausedUntil;
  private @Nullable Drain<K> drain;
  private Runnable onPauseEnd = () -> {};

  ReconcileLoop(
      Controller<K> controller,
      WorkQueue<K> queue,
      ControllerTelemetry telemetry,
      Clock clock,
      EngineThreads threads,
      Gauges gauges) {
    this.controller = controller;
    this.queue = queue;
    this.telemetry = telemetry;
    this.outcomes = new Outcomes<>(controller, queue, telemetry, clock.nanos());
    this.clock = clock;
    this.loop = threads.loop();
    this.workers = threads.workers();
    this.alarm = threads.alarms().create(this::rang);
    this.inbox = new Inbox(controller.name(), loop, this::pump);
    this.gauges = gauges;
    this.timeout = controller.options().reconcileTimeout().toNanos();
    this.cooldown = controller.options().failureCooldown().toNanos();
    this.concurrency = controller.options().concurrency();
  }

  Inbox inbox() {
    return inbox;
  }

  String controllerName() {
    return controller.name();
  }

  State state() {
    return state;
  }

  int concurrency() {
    return concurrency;
  }

  /** Returns how many workers rest after a failure. */
  int restingWorkers() {
    return resting.size();
  }

  int freeWorkers() {
    return concurrency - running.size() - resting.size();
  }

  // ---- life ----

  /** Begins to reconcile, once the sources have synced. */
  void begin() {
    if (state == State.SYNCING) {
      state = State.RUNNING;
      pump();
    }
  }

  void setConcurrency(int value) {
    concurrency = value;
    pump();
  }

  /** Pauses until a time of the clock, or until {@link #resume} when that is null. */
  void pause(@Nullable Long until, Runnable onEnd) {
    queue.setPaused(true);
    pausedUntil = until;
    onPauseEnd = onEnd;
    pump();
  }

  void resume() {
    queue.setPaused(false);
    pausedUntil = null;
    onPauseEnd = () -> {};
    pump();
  }

  /** Shortens a drain that is under way. */
  void limitDrain(Duration limit) {
    if (drain != null) {
      drain.limitTo(clock.nanos(), limit);
      pump();
    }
  }

  /** Stops intake and hand-out, and waits for what runs. */
  void drain(Drain<K> begun) {
    state = State.DRAINING;
    queue.close();
    drain = begun;
    pump();
  }

  // ---- the pump ----

  private void rang() {
    armedAt = null;
    pump();
  }

  /**
   * Does everything there is to do now, or as much as fits a turn, and arms the alarm for the rest.
   */
  void pump() {
    if (pumping) {
      return; // an asynchronous reconciler called back into its own start
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
        // The failure goes on to the inbox or the timer, which report it. What was due stays due.
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
    endPause(now);
    endRests(now);
    expireAttempts(now);
    boolean more = queue.moveDue(DUE_SLICE);
    if (state == State.RUNNING) {
      more |= startAttempts(now);
    }
    advanceDrain(now);
    return more;
  }

  private void schedulePump() {
    if (!pumpScheduled) {
      pumpScheduled = true;
      loop.execute(() -> {
        pumpScheduled = false;
        pump();
      });
    }
  }

  /** Starts what may start; returns whether it stopped only because the turn was over. */
  private boolean startAttempts(long turnBegan) {
    for (int started = 1; freeWorkers() > 0; started++) {
      Item<K> item = queue.next();
      if (item == null) {
        return false;
      }
      start(item);
      if (started % CLOCK_EVERY == 0 && clock.nanos() - turnBegan > MAX_TURN_NANOS) {
        return true;
      }
    }
    return false;
  }

  private void start(Item<K> item) {
    Attempt<K> attempt = new Attempt<>(this, item, ATTEMPT_IDS.incrementAndGet(), clock.nanos());
    running.add(attempt);
    switch (controller.body()) {
      case ReconcileBody.Blocking<K> body -> {
        try {
          workers.execute(() -> attempt.runBlocking(body.reconciler()));
        } catch (RuntimeException
            | OutOfMemoryError e) { // no thread to be had: as any other failure
          attempt.complete(null, e);
        }
      }
      case ReconcileBody.Async<K> body -> {
        try {
          attempt.watch(body.reconciler().reconcile(item.key(), attempt));
        } catch (Throwable e) { // everything user code throws is contained here
          attempt.complete(null, e);
        }
      }
    }
  }

  /** Takes back an attempt that has really ended. */
  void ended(Attempt<K> attempt) {
    if (attempt.workerFreed) {
      overdue.remove(attempt);
    } else {
      running.remove(attempt);
    }
    if (drain != null) {
      drain.ended(attempt);
    }
    if (attempt.timedOut) {
      outcomes.endedLate(attempt);
    } else if (outcomes.ended(attempt, clock.nanos())) {
      rest();
    }
  }

  private void rest() {
    if (cooldown > 0) {
      resting.addLast(clock.nanos() + cooldown);
    }
  }

  private void endRests(long now) {
    while (!resting.isEmpty() && resting.getFirst() - now <= 0) {
      resting.removeFirst();
    }
  }

  private void endPause(long now) {
    Long until = pausedUntil;
    if (until != null && until - now <= 0) {
      Runnable ended = onPauseEnd;
      queue.setPaused(false);
      pausedUntil = null;
      onPauseEnd = () -> {};
      ended.run();
    }
  }

  private void expireAttempts(long now) {
    if (timeout == 0) {
      return;
    }
    Attempt<K> attempt = running.oldest();
    while (attempt != null && attempt.startedAt + timeout - now <= 0) {
      Attempt<K> next = attempt.younger;
      if (!attempt.timedOut) {
        expire(attempt, now);
      } else if (overdue.size() < maxOverdue()) {
        freeWorker(attempt);
      }
      attempt = next;
    }
  }

  private void expire(Attempt<K> attempt, long now) {
    attempt.timedOut = true;
    attempt.timedOutAt = now;
    queue.markOverdue(attempt.item);
    outcomes.timedOut(attempt);
    if (overdue.size() < maxOverdue()) {
      freeWorker(attempt);
    }
    cancel(attempt);
  }

  private int maxOverdue() {
    return OVERDUE_PER_WORKER * concurrency;
  }

  private void freeWorker(Attempt<K> attempt) {
    running.remove(attempt);
    overdue.add(attempt);
    attempt.workerFreed = true;
    rest();
  }

  private void cancel(Attempt<K> attempt) {
    if (attempt.cancel()) {
      telemetry.userCodeFailed();
    }
  }

  // ---- drain ----

  private void advanceDrain(long now) {
    Drain<K> current = drain;
    if (current == null) {
      return;
    }
    if (current.mustCancel(now)) {
      for (Attempt<K> a = running.oldest(); a != null; a = a.younger) {
        cancel(a);
      }
      for (Attempt<K> a = overdue.oldest(); a != null; a = a.younger) {
        cancel(a);
      }
    }
    if (running.size() + overdue.size() == 0 || current.isOver(now)) {
      drain = null;
      state = State.STOPPED;
      alarm.clear();
      armedAt = null;
      publish(); // whoever hears of the end must find it in the gauges
      current.finish(now, queue, running, overdue);
    }
  }

  // ---- the alarm ----

  private void rearm(boolean turnGoesOn) {
    if (state == State.STOPPED || turnGoesOn) {
      return;
    }
    boolean workerFree = state == State.RUNNING && freeWorkers() > 0;
    Long wake = queue.needsWake(workerFree) ? queue.nextWake(workerFree) : null;
    wake = earlier(wake, resting.peekFirst());
    wake = earlier(wake, pausedUntil);
    wake = earlier(wake, drain == null ? null : drain.nextStep());
    wake = earlier(wake, nextExpiry());
    // An alarm that is set too early costs one idle look; setting it anew costs more than that.
    if (wake != null && (armedAt == null || wake - armedAt < 0)) {
      armedAt = wake;
      alarm.set(wake);
    }
  }

  private @Nullable Long nextExpiry() {
    if (timeout == 0) {
      return null;
    }
    Attempt<K> attempt = running.oldest();
    // Those that timed out and keep their worker are looked at when another attempt ends.
    while (attempt != null && attempt.timedOut) {
      attempt = attempt.younger;
    }
    return attempt == null ? null : attempt.startedAt + timeout;
  }

  private static @Nullable Long earlier(@Nullable Long a, @Nullable Long b) {
    if (a == null || b == null) {
      return a == null ? b : a;
    }
    return a - b <= 0 ? a : b;
  }

  private void publish() {
    Attempt<K> oldest = overdue.oldest() != null ? overdue.oldest() : running.oldest();
    gauges.publish(
        new Gauges.Turn(
            QueueCounters.of(queue),
            running.size(),
            oldest == null ? 0 : oldest.startedAt,
            running.startSum() + overdue.startSum(),
            running.size() + overdue.size(),
            concurrency,
            state));
  }
}
