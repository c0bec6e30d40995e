// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.queue.WorkQueue;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.telemetry.ControllerTelemetry;
import java.time.Duration;
import java.util.Objects;

/** What sources deliver to: hands every request over to the event loop. */
final class Intake<K> implements EventSink<K> {
  private final Inbox inbox;
  private final WorkQueue<K> queue;
  private final ControllerTelemetry telemetry;

  Intake(Inbox inbox, WorkQueue<K> queue, ControllerTelemetry telemetry) {
    this.inbox = inbox;
    this.queue = queue;
    this.telemetry = telemetry;
  }

  @Override
  public void add(K request, int priority, Trigger trigger) {
    inbox.offer(new Addition<>(this, request, 0, priority, trigger));
  }

  @Override
  public void addAfter(K request, Duration delay, int priority, Trigger trigger) {
    long nanos;
    try {
      nanos = delay.toNanos();
    } catch (ArithmeticException e) {
      nanos = delay.isNegative() ? 0 : Long.MAX_VALUE; // the nearest delay that can be counted
    }
    inbox.offer(new Addition<>(this, request, nanos, priority, trigger));
  }

  @Override
  public int pending() {
    return inbox.pending();
  }

  @SuppressWarnings("serial") // a node of the inbox by inheritance only; never serialized
  private static final class Addition<K> extends Inbox.Node {
    private final Intake<K> intake;
    private final K request;
    private final long delayNanos;
    private final int priority;
    private final Trigger trigger;

    Addition(Intake<K> intake, K request, long delayNanos, int priority, Trigger trigger) {
      this.intake = intake;
      this.request = request;
      this.delayNanos = delayNanos;
      this.priority = priority;
      this.trigger = trigger;
    }

    @Override
    void arrive() {
      try {
        Objects.requireNonNull(request, "request");
        intake.queue.addAfter(request, delayNanos, priority, trigger);
      } catch (Throwable e) {
        // A null request, or its equals or hashCode, which are the user's.
        intake.telemetry.userCodeFailed();
      }
    }
  }
}
