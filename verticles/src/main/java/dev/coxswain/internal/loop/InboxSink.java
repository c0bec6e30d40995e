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
import org.jspecify.annotations.Nullable;

/** The sink of the sources of one controller: passes every request to the event loop. */
public final class InboxSink<K> implements EventSink<K> {
  private final Inbox inbox;
  private final WorkQueue<K> queue;
  private final ControllerTelemetry telemetry;
  private final Clock clock;
  private final @Nullable SlotGate<K> slots;

  public InboxSink(
      Inbox inbox,
      WorkQueue<K> queue,
      ControllerTelemetry telemetry,
      Clock clock,
      @Nullable SlotGate<K> slots) {
    this.slots = slots;
    this.clock = clock;
    this.inbox = inbox;
    this.queue = queue;
    this.telemetry = telemetry;
  }

  @Override
  public void add(K request, int priority, Trigger trigger) {
    inbox.offer(new Add<>(this, request, priority, trigger));
  }

  @Override
  public void addAfter(K request, Duration delay, int priority, Trigger trigger) {
    long nanos = Failure.nanos(delay);
    // The delay counts from this call, not from its processing on the event loop.
    inbox.offer(
        nanos == 0
            ? new Add<>(this, request, priority, trigger)
            : new DelayedAdd<>(this, request, clock.nanos() + nanos, priority, trigger));
  }

  @Override
  public void forget(K request) {
    inbox.offer(new ForgetFailures<>(this, request));
  }

  @Override
  public void userCodeFailed() {
    inbox.offer(new UserCodeFailure(telemetry));
  }

  @Override
  public int pending() {
    return inbox.pending();
  }

  private void enqueue(K request, long delayNanos, int priority, Trigger trigger) {
    try {
      Objects.requireNonNull(request, "request");
      if (slots == null || slots.accepts(request)) {
        queue.addAfter(request, delayNanos, priority, trigger);
      }
    } catch (Throwable e) {
      // A null request, or its equals or hashCode, which are user code.
      telemetry.userCodeFailed("equals or hashCode of a request", e);
    }
  }

  private void forgetFailures(K request) {
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
  private static final class ForgetFailures<K> extends Inbox.Node {
    private final InboxSink<K> sink;
    private final K request;

    ForgetFailures(InboxSink<K> sink, K request) {
      this.sink = sink;
      this.request = request;
    }

    @Override
    public void process() {
      sink.forgetFailures(request);
    }
  }

  @SuppressWarnings("serial") // as above
  private static final class UserCodeFailure extends Inbox.Node {
    private final ControllerTelemetry telemetry;

    UserCodeFailure(ControllerTelemetry telemetry) {
      this.telemetry = telemetry;
    }

    @Override
    public void process() {
      telemetry.userCodeFailed();
    }
  }

  @SuppressWarnings("serial") // as above
  private static class Add<K> extends Inbox.Node {
    final InboxSink<K> sink;
    final K request;
    final int priority;
    final Trigger trigger;

    Add(InboxSink<K> sink, K request, int priority, Trigger trigger) {
      this.sink = sink;
      this.request = request;
      this.priority = priority;
      this.trigger = trigger;
    }

    @Override
    public void process() {
      sink.enqueue(request, 0, priority, trigger);
    }
  }

  @SuppressWarnings("serial") // as above
  private static final class DelayedAdd<K> extends Add<K> {
    private final long due;

    DelayedAdd(InboxSink<K> sink, K request, long due, int priority, Trigger trigger) {
      super(sink, request, priority, trigger);
      this.due = due;
    }

    @Override
    public void process() {
      sink.enqueue(request, due - sink.clock.nanos(), priority, trigger);
    }
  }
}
