// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import dev.coxswain.apiserver.fault.ActiveFault;
import dev.coxswain.apiserver.fault.Effect;
import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.internal.fault.FaultPlan;
import dev.coxswain.apiserver.internal.http.Listener;
import dev.coxswain.apiserver.internal.watch.WatchHub;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Breaks an {@link EmbeddedApiServer} on purpose. Any thread.
 *
 * <p>{@link #inject} takes every fault with its limits; the other methods are shorthands for the
 * common ones. Calls that inject or clear return when that is done, except on an event-loop thread,
 * where it is done a moment later because such a thread must not wait; calls that return something
 * throw {@link IllegalStateException} there. All throw it when the server is closed.
 */
public final class Faults {
  private final LoopAccess loop;
  private final FaultPlan plan;
  private final WatchHub watches;
  private final Listener listener;

  Faults(LoopAccess loop, FaultPlan plan, WatchHub watches, Listener listener) {
    this.loop = loop;
    this.plan = plan;
    this.watches = watches;
    this.listener = listener;
  }

  /**
   * Injects a fault; several may be active at once, of one kind, too.
   *
   * @return the fault with the id to clear it by
   */
  public ActiveFault inject(Fault fault) {
    Objects.requireNonNull(fault, "fault");
    return loop.call(() -> plan.add(fault));
  }

  /** The active faults, the oldest first. */
  public List<ActiveFault> active() {
    return loop.call(plan::active);
  }

  /**
   * The state of a fault.
   *
   * @return null when it is over or never was
   */
  public @Nullable ActiveFault find(String id) {
    return active().stream().filter(fault -> fault.id().equals(id)).findFirst().orElse(null);
  }

  /** Ends one fault; false when none with this id is active. */
  public boolean clear(String id) {
    return loop.call(() -> plan.clear(id));
  }

  /**
   * Ends all faults. What they have broken stays broken: silent watches stay silent, lost events
   * stay lost, history that was compacted does not come back.
   */
  public void reset() {
    loop.run(() -> plan.clear(fault -> true));
  }

  /** Ends every open watch cleanly, as a server does at its time limit; clients may resume. */
  public void closeWatches() {
    add(Fault.closeWatches());
  }

  /**
   * Makes watches half-open: connected, but nothing arrives any more, not even bookmarks.
   *
   * @param silent true mutes all open watches for good and every watch that opens while this is on;
   *     false lets watches that open from now on work again. A muted watch never recovers: the
   *     client has to notice and reconnect.
   */
  public void silenceWatches(boolean silent) {
    toggle(silent, Fault.silenceWatches());
  }

  /**
   * Makes every version handed out so far too old: watches and exact or continued lists from them
   * are answered with 410. Open watches go on.
   */
  public void compactHistory() {
    add(Fault.compactHistory());
  }

  /**
   * Lets the next requests fail.
   *
   * @param count how many, at least 1
   * @param status HTTP status, 400 to 599; 410, 429, 500, 503 and 504 come with the reason of the
   *     real server
   */
  public void failNext(int count, int status) {
    failNext(count, status, Duration.ZERO, uri -> true);
  }

  /**
   * Lets the next matching requests fail; {@link Fault#on} chooses by verb and resource instead.
   *
   * @param count how many, at least 1
   * @param status HTTP status, 400 to 599
   * @param retryAfter whole seconds for the {@code Retry-After} header, zero = none
   * @param uri selects requests by path and query; called on the server's event loop, must not
   *     block
   */
  public void failNext(int count, int status, Duration retryAfter, Predicate<String> uri) {
    if (count < 1) {
      throw new IllegalArgumentException("count must be at least 1, is " + count);
    }
    Objects.requireNonNull(uri, "uri");
    Fault fault = Fault.fail(status, retryAfter).times(count);
    loop.run(() -> plan.add(fault, uri));
  }

  /**
   * Delays every request by this much from now on; zero stops it. Watch events are not delayed.
   * Replaces latency that was added before.
   */
  public void addLatency(Duration delay) {
    Fault fault = delay.isZero() ? null : Fault.latency(delay);
    loop.run(() -> {
      plan.clear(active -> active.effect() instanceof Effect.Latency);
      if (fault != null) {
        plan.add(fault);
      }
    });
  }

  /**
   * Adds an unknown field to every response and every object in watch events, like a newer server.
   */
  public void addUnknownFields(boolean on) {
    toggle(on, Fault.unknownFields());
  }

  private void add(Fault fault) {
    loop.run(() -> plan.add(fault));
  }

  private void toggle(boolean on, Fault fault) {
    loop.run(() -> {
      plan.clear(active -> active.effect().equals(fault.effect()));
      if (on) {
        plan.add(fault);
      }
    });
  }

  /** Number of open watches. */
  public int openWatches() {
    return loop.call(watches::size);
  }

  /** Number of open connections that have sent something. */
  public int openConnections() {
    return loop.call(listener::size);
  }
}
