// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testkit;

import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The context of an attempt for unit tests that call a reconciler themselves:
 *
 * <pre>{@code
 * Result result = reconciler.reconcile(Request.of("shop", "cart"), TestAttempt.of("carts"));
 * }</pre>
 *
 * <p>It is the first attempt of a controller that every replica runs, caused by an event, unless
 * changed. Each {@code with} method returns another attempt, without the actions that were registered
 * at this one.
 *
 * <p>Thread rule: any thread.
 */
public final class TestAttempt implements ReconcileContext {

  private static final Duration UNLIMITED = Duration.ofNanos(Long.MAX_VALUE);

  private final String controller;
  private final Trigger trigger;
  private final int failures;
  private final int slot;
  private final Duration timeLeft;
  private final String traceParent;
  private final List<Runnable> actions = new ArrayList<>();
  private boolean cancelled;

  private TestAttempt(
      String controller,
      Trigger trigger,
      int failures,
      int slot,
      Duration timeLeft,
      String traceParent) {
    this.controller = Objects.requireNonNull(controller, "controller");
    this.trigger = Objects.requireNonNull(trigger, "trigger");
    this.failures = failures;
    this.slot = slot;
    this.timeLeft = Objects.requireNonNull(timeLeft, "timeLeft");
    this.traceParent = Objects.requireNonNull(traceParent, "traceParent");
  }

  /** Returns the first attempt of a controller, caused by an event. */
  public static TestAttempt of(String controller) {
    return new TestAttempt(controller, Trigger.EVENT, 0, -1, UNLIMITED, "");
  }

  /** Returns an attempt with another cause. */
  public TestAttempt withTrigger(Trigger other) {
    return new TestAttempt(controller, other, failures, slot, timeLeft, traceParent);
  }

  /** Returns an attempt before which others have failed in a row. */
  public TestAttempt withFailures(int count) {
    return new TestAttempt(controller, trigger, count, slot, timeLeft, traceParent);
  }

  /** Returns an attempt of a request in a slot; -1 for none. */
  public TestAttempt withSlot(int number) {
    return new TestAttempt(controller, trigger, failures, number, timeLeft, traceParent);
  }

  /** Returns an attempt of a replica that owns the request for so long; zero when it has lost it. */
  public TestAttempt withTimeLeft(Duration left) {
    return new TestAttempt(controller, trigger, failures, slot, left, traceParent);
  }

  /** Returns an attempt that is traced; the value of a W3C {@code traceparent} header. */
  public TestAttempt withTraceParent(String value) {
    return new TestAttempt(controller, trigger, failures, slot, timeLeft, value);
  }

  /** Cancels this attempt: runs the registered actions, in their order, on the calling thread. */
  public void cancel() {
    List<Runnable> due;
    synchronized (actions) {
      cancelled = true;
      due = List.copyOf(actions);
      actions.clear();
    }
    due.forEach(Runnable::run);
  }

  @Override
  public String controller() {
    return controller;
  }

  @Override
  public long attemptId() {
    return 1;
  }

  @Override
  public String traceParent() {
    return traceParent;
  }

  @Override
  public int failures() {
    return failures;
  }

  @Override
  public Trigger trigger() {
    return trigger;
  }

  @Override
  public int slot() {
    return slot;
  }

  @Override
  public Duration timeLeft() {
    return timeLeft;
  }

  @Override
  public boolean isCancelled() {
    synchronized (actions) {
      return cancelled;
    }
  }

  @Override
  public void onCancel(Runnable action) {
    synchronized (actions) {
      if (!cancelled) {
        actions.add(action);
        return;
      }
    }
    action.run();
  }
}
