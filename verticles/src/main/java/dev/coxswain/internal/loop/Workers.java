// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.view.ControllerStatus;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The workers of a controller: numbers, not threads. There are as many as the concurrency, minus
 * those that run an attempt, minus those that rest after a failure.
 *
 * <p>An attempt that ran into its time limit frees its worker but stays listed until it has really
 * ended, because until then its request must not be started again.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
public final class Workers<K> {

  private final AttemptList<K> running = new AttemptList<>();
  private final AttemptList<K> overdue = new AttemptList<>();
  private final Deque<Long> resting = new ArrayDeque<>();
  private final long timeout;
  private final long cooldown;
  private int concurrency;

  /** The number of running attempts that are past their time limit and keep their worker. */
  private int stuck;

  Workers(ControllerOptions options) {
    this.timeout = options.reconcileTimeout().toNanos();
    this.cooldown = options.failureCooldown().toNanos();
    this.concurrency = options.concurrency();
  }

  public int concurrency() {
    return concurrency;
  }

  public void concurrency(int value) {
    concurrency = value;
  }

  public int free() {
    return concurrency - running.size() - resting.size();
  }

  /**
   * Returns whether every worker is held by an attempt past its time limit, so that none is started
   * before one of them ends.
   */
  boolean exhausted() {
    return stuck >= concurrency;
  }

  /** Returns why no attempt is started while they are exhausted, for display. */
  public String exhaustedText() {
    return ("%s attempts have run into the time limit of %s and have not ended, which is the "
            + "most that %s may leave behind; no attempt is started until one of them ends")
        .formatted(
            attempts(),
            Durations.text(Duration.ofNanos(timeout)),
            concurrency == 1 ? "one worker" : concurrency + " workers");
  }

  int busy() {
    return running.size();
  }

  /** Returns how many workers rest after a failure. */
  public int resting() {
    return resting.size();
  }

  /** Returns how many attempts have not ended, those past their time limit included. */
  int attempts() {
    return running.size() + overdue.size();
  }

  /** Returns the sum of the starts of all attempts that have not ended. */
  long startSum() {
    return running.startSum() + overdue.startSum();
  }

  /** Returns when the oldest attempt that has not ended began; only when there is one. */
  long oldestStart() {
    Attempt<K> oldest = overdue.oldest() != null ? overdue.oldest() : running.oldest();
    return oldest == null ? 0 : oldest.startedAt;
  }

  /** Returns how long an attempt may still take before it is past its time limit; on any thread. */
  Duration untilDeadline(long startedAt, long now) {
    return Duration.ofNanos(timeout == 0 ? Long.MAX_VALUE : Math.max(0, startedAt + timeout - now));
  }

  void begin(Attempt<K> attempt) {
    running.add(attempt);
  }

  void end(Attempt<K> attempt) {
    if (attempt.workerFreed) {
      overdue.remove(attempt);
    } else {
      running.remove(attempt);
      stuck -= attempt.timedOut ? 1 : 0;
    }
  }

  /** Makes the worker of an attempt that has just failed rest, when the options require it. */
  void rest(long now) {
    if (cooldown > 0) {
      resting.addLast(now + cooldown);
    }
  }

  void endRests(long now) {
    while (!resting.isEmpty() && resting.getFirst() - now <= 0) {
      resting.removeFirst();
    }
  }

  /** Finds the attempts whose time limit has passed and frees their workers, up to the bound. */
  void expire(long now, Consumer<Attempt<K>> onExpired) {
    if (timeout == 0) {
      return;
    }
    Attempt<K> attempt = running.oldest();
    while (attempt != null && attempt.startedAt + timeout - now <= 0) {
      Attempt<K> next = attempt.younger;
      if (!attempt.timedOut) {
        attempt.timedOut = true;
        attempt.timedOutAt = now;
        stuck++;
        onExpired.accept(attempt);
      }
      if (overdue.size() < ControllerStatus.OVERDUE_PER_WORKER * concurrency) {
        running.remove(attempt);
        stuck--;
        overdue.add(attempt);
        attempt.workerFreed = true;
        rest(now);
      }
      attempt = next;
    }
  }

  /** Returns when a worker ends its rest or an attempt its time, whichever is first, or null. */
  @Nullable Long nextChange() {
    Long rest = resting.peekFirst();
    Attempt<K> attempt = timeout == 0 ? null : running.oldest();
    // Overdue attempts that keep their worker are checked when another attempt ends.
    while (attempt != null && attempt.timedOut) {
      attempt = attempt.younger;
    }
    if (attempt == null) {
      return rest;
    }
    long expiry = attempt.startedAt + timeout;
    return rest == null || expiry - rest < 0 ? Long.valueOf(expiry) : rest;
  }

  /** Visits all attempts that have not ended, those past their time limit first. */
  void forEach(Consumer<Attempt<K>> action) {
    visit(overdue, action);
    visit(running, action);
  }

  private static <K> void visit(AttemptList<K> list, Consumer<Attempt<K>> action) {
    Attempt<K> attempt = list.oldest();
    while (attempt != null) {
      Attempt<K> next = attempt.younger;
      action.accept(attempt);
      attempt = next;
    }
  }
}
