// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import dev.coxswain.internal.queue.Item;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.Origin;
import dev.coxswain.source.ShardedSink;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The sink of the sources of one controller: passes every request to the event loop. */
public final class InboxSink<K> implements ShardedSink<K> {
  /** A W3C trace context whose trace is recorded: others have nothing to link to. */
  private static final Pattern RECORDED =
      Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f][13579bdf]");

  private final String controller;
  private final Inbox inbox;
  private final WorkQueue<K> queue;
  private final ControllerTelemetry telemetry;
  private final Clock clock;
  private final @Nullable SlotGate<K> slots;
  private final NamespaceScope<K> scope;
  private final boolean traced;

  public InboxSink(
      String controller,
      Inbox inbox,
      WorkQueue<K> queue,
      ControllerTelemetry telemetry,
      Clock clock,
      @Nullable SlotGate<K> slots,
      NamespaceScope<K> scope) {
    this.controller = controller;
    this.scope = scope;
    this.slots = slots;
    this.clock = clock;
    this.inbox = inbox;
    this.queue = queue;
    this.telemetry = telemetry;
    this.traced = telemetry.traces();
  }

  @Override
  public void add(K request, int priority, Trigger trigger) {
    add(request, priority, trigger, ofAttempt());
  }

  @Override
  public void add(K request, int priority, Trigger trigger, Origin origin) {
    inbox.offer(new Add<>(this, request, priority, trigger, checked(origin)));
  }

  /** Returns an origin without a trace that nothing links to: it would be kept for nothing. */
  private Origin checked(Origin origin) {
    String trace = origin.traceParent();
    if (trace.isEmpty() || (traced && RECORDED.matcher(trace).matches())) {
      return origin;
    }
    return origin.kind().isEmpty()
        ? Origin.UNKNOWN
        : new Origin(
            origin.kind(),
            origin.namespace(),
            origin.name(),
            origin.changes(),
            origin.writer(),
            "");
  }

  /** Returns the attempt that adds a request as its origin, while attempts are traced. */
  private Origin ofAttempt() {
    return traced
        ? Origin.ofTrace(CurrentAttempt.get().map(ReconcileContext::traceParent).orElse(""))
        : Origin.UNKNOWN;
  }

  @Override
  public void addAfter(K request, Duration delay, int priority, Trigger trigger) {
    long nanos = Failure.nanos(delay);
    // The delay counts from this call, not from its processing on the event loop.
    inbox.offer(
        nanos == 0
            ? new Add<>(this, request, priority, trigger, ofAttempt())
            : new DelayedAdd<>(
                this, request, clock.nanos() + nanos, priority, trigger, ofAttempt()));
  }

  @Override
  public Future<Boolean> offer(K request) {
    return offer(request, ofAttempt());
  }

  @Override
  public Future<Boolean> offer(K request, String traceParent) {
    return offer(request, checked(Origin.ofTrace(traceParent)));
  }

  private Future<Boolean> offer(K request, Origin origin) {
    Promise<Boolean> accepted = Promise.promise();
    if (!inbox.offer(new Offer<>(this, request, origin, accepted))) {
      accepted.tryComplete(false);
    }
    return accepted.future();
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
  public boolean owns(K request) {
    return slots == null || slots.isOpen(request);
  }

  @Override
  public Optional<String> otherOwner(K request) {
    return slots == null ? Optional.empty() : slots.slots().otherOwner(slots.slotOf(request));
  }

  @Override
  public Optional<String> otherEndpoint(K request, String name) {
    return slots == null
        ? Optional.empty()
        : slots.slots().otherEndpoint(slots.slotOf(request), controller + name);
  }

  @Override
  public void announce(String name, String address) {
    if (slots != null) {
      slots.slots().announce(controller + name, address);
    }
  }

  @Override
  public boolean isSharded() {
    return slots != null && slots.isSharded();
  }

  @Override
  public String controller() {
    return controller;
  }

  @Override
  public int pending() {
    return inbox.pending();
  }

  /** Returns whether the request is in the queue; a queue that is closed takes nothing. */
  private boolean enqueue(Add<K> add, long time, long now) {
    try {
      K request = Objects.requireNonNull(add.request, "request");
      boolean accepted =
          scope.accepts(request) && (slots == null || slots.accepts(request, add.trigger));
      if (accepted) {
        Item<K> item = queue.addAt(request, time, add.priority, add.trigger, now);
        if (item != null && !add.origin.isUnknown()) {
          item.origin(add.origin);
          caused(request, add.origin.traceParent());
        }
      }
      return accepted && !queue.isClosed();
    } catch (Throwable e) {
      // A null request, or its equals or hashCode, which are user code.
      telemetry.userCodeFailed("equals or hashCode of a request", e);
      return false;
    }
  }

  /** Keeps the cause of a request that is reconciled here; no other one would ever leave. */
  private void caused(K request, String cause) {
    if (!traced || !RECORDED.matcher(cause).matches()) {
      return;
    }
    try {
      if (owns(request)) {
        telemetry.caused(request, cause); // before the attempt: that begins at the end of the turn
      }
    } catch (Throwable e) {
      telemetry.userCodeFailed("format of a request", e);
    }
  }

  /** Accepts an offer in an open slot only: one that moves may have been handed over already. */
  private boolean take(Offer<K> offer, long now) {
    try {
      return owns(offer.request) && enqueue(offer, now, now);
    } catch (Throwable e) {
      telemetry.userCodeFailed("format of a request", e);
      return false;
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
    public void process(long now) {
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
    public void process(long now) {
      telemetry.userCodeFailed();
    }
  }

  @SuppressWarnings("serial") // as above
  private static class Add<K> extends Inbox.Node {
    final InboxSink<K> sink;
    final K request;
    final int priority;
    final Trigger trigger;
    final Origin origin;

    Add(InboxSink<K> sink, K request, int priority, Trigger trigger, Origin origin) {
      this.origin = origin;
      this.sink = sink;
      this.request = request;
      this.priority = priority;
      this.trigger = trigger;
    }

    @Override
    public void process(long now) {
      sink.enqueue(this, now, now);
    }
  }

  @SuppressWarnings("serial") // as above
  private static final class Offer<K> extends Add<K> {
    private final Promise<Boolean> accepted;

    Offer(InboxSink<K> sink, K request, Origin origin, Promise<Boolean> accepted) {
      super(sink, request, PRIORITY_NORMAL, Trigger.EVENT, origin);
      this.accepted = accepted;
    }

    @Override
    public void process(long now) {
      accepted.complete(sink.take(this, now));
    }
  }

  @SuppressWarnings("serial") // as above
  private static final class DelayedAdd<K> extends Add<K> {
    private final long due;

    DelayedAdd(
        InboxSink<K> sink, K request, long due, int priority, Trigger trigger, Origin origin) {
      super(sink, request, priority, trigger, origin);
      this.due = due;
    }

    @Override
    public void process(long now) {
      sink.enqueue(this, due, now);
    }
  }
}
