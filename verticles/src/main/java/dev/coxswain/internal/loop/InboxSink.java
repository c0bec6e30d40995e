// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.internal.queue.Item;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import java.time.Duration;
import java.util.Objects;

/** What sources deliver to: hands every request over to the event loop. */
public final class InboxSink<K> implements EventSink<K> {
  private final Inbox inbox;
  private final WorkQueue<K> queue;
  private final ControllerTelemetry telemetry;
  private final Clock clock;

  public InboxSink(Inbox inbox, WorkQueue<K> queue, ControllerTelemetry telemetry, Clock clock) {
    this.clock = clock;
    this.inbox = inbox;
    this.queue = queue;
    this.telemetry = telemetry;
  }

  @Override
  public void add(K request, int priority, Trigger trigger) {
    inbox.offer(new Addition<>(this, request, priority, trigger));
  }

  @Override
  public void addAfter(K request, Duration delay, int priority, Trigger trigger) {
    long nanos = Failure.nanos(delay);
    // The delay counts from this call, not from when the event loop gets to it.
    inbox.offer(
        nanos == 0
            ? new Addition<>(this, request, priority, trigger)
            : new LaterAddition<>(this, request, clock.nanos() + nanos, priority, trigger));
  }

  @Override
  public void forget(K request) {
    inbox.offer(new Amnesty<>(this, request));
  }

  @Override
  public void userCodeFailed() {
    inbox.offer(new UserCodeFailure(telemetry));
  }

  @Override
  public int pending() {
    return inbox.pending();
  }

  private void arrived(K request, long delayNanos, int priority, Trigger trigger) {
    try {
      Objects.requireNonNull(request, "request");
      queue.addAfter(request, delayNanos, priority, trigger);
    } catch (Throwable e) {
      // A null request, or its equals or hashCode, which are the user's.
      telemetry.userCodeFailed("equals or hashCode of a request", e);
    }
  }

  private void forgive(K request) {
    try {
      Item<K> item = queue.find(Objects.requireNonNull(request, "request"));
      if (item != null) {
        queue.actions().forget(item, false);
      }
    } catch (Throwable e) {
      telemetry.userCodeFailed("equals or hashCode of a request", e); // as above
    }
  }

  @SuppressWarnings("serial") // a node of the inbox by inheritance only; never serialized
  private static final class Amnesty<K> extends Inbox.Node {
    private final InboxSink<K> intake;
    private final K request;

    Amnesty(InboxSink<K> intake, K request) {
      this.intake = intake;
      this.request = request;
    }

    @Override
    public void arrive() {
      intake.forgive(request);
    }
  }

  @SuppressWarnings("serial") // as above
  private static final class UserCodeFailure extends Inbox.Node {
    private final ControllerTelemetry telemetry;

    UserCodeFailure(ControllerTelemetry telemetry) {
      this.telemetry = telemetry;
    }

    @Override
    public void arrive() {
      telemetry.userCodeFailed();
    }
  }

  @SuppressWarnings("serial") // as above
  private static class Addition<K> extends Inbox.Node {
    final InboxSink<K> intake;
    final K request;
    final int priority;
    final Trigger trigger;

    Addition(InboxSink<K> intake, K request, int priority, Trigger trigger) {
      this.intake = intake;
      this.request = request;
      this.priority = priority;
      this.trigger = trigger;
    }

    @Override
    public void arrive() {
      intake.arrived(request, 0, priority, trigger);
    }
  }

  @SuppressWarnings("serial") // as above
  private static final class LaterAddition<K> extends Addition<K> {
    private final long due;

    LaterAddition(InboxSink<K> intake, K request, long due, int priority, Trigger trigger) {
      super(intake, request, priority, trigger);
      this.due = due;
    }

    @Override
    public void arrive() {
      intake.arrived(request, due - intake.clock.nanos(), priority, trigger);
    }
  }
}
