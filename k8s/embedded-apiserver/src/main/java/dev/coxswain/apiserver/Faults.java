// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import dev.coxswain.apiserver.internal.fault.FaultPlan;
import dev.coxswain.apiserver.internal.store.ObjectStore;
import dev.coxswain.apiserver.internal.view.Rendering;
import dev.coxswain.apiserver.internal.watch.WatchHub;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * Breaks an {@link EmbeddedApiServer} on purpose. Any thread.
 *
 * <p>Each call returns when the fault is in place, except on an event-loop thread, where it is in
 * place a moment later because such a thread must not wait. Throws {@link IllegalStateException}
 * when the server is closed.
 */
public final class Faults {
  private final LoopAccess loop;
  private final FaultPlan plan;
  private final WatchHub watches;
  private final ObjectStore store;
  private final Rendering rendering;

  Faults(
      LoopAccess loop, FaultPlan plan, WatchHub watches, ObjectStore store, Rendering rendering) {
    this.loop = loop;
    this.plan = plan;
    this.watches = watches;
    this.store = store;
    this.rendering = rendering;
  }

  /** Ends every open watch cleanly, as a server does at its time limit; clients may resume. */
  public void closeWatches() {
    loop.run(watches::closeAll);
  }

  /**
   * Makes watches half-open: connected, but nothing arrives any more, not even bookmarks.
   *
   * @param silent true mutes all open watches for good and every watch that opens while this is on;
   *     false lets watches that open from now on work again. A muted watch never recovers: the
   *     client has to notice and reconnect.
   */
  public void silenceWatches(boolean silent) {
    loop.run(() -> watches.silence(silent));
  }

  /**
   * Makes every version handed out so far too old: watches and exact or continued lists from them
   * are answered with 410. Open watches go on.
   */
  public void compactHistory() {
    loop.run(store::compact);
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
   * Lets the next matching requests fail.
   *
   * @param count how many, at least 1
   * @param status HTTP status, 400 to 599
   * @param retryAfter whole seconds for the {@code Retry-After} header, zero = none
   * @param uri tells by path and query which requests are meant; called on the server's event loop,
   *     must not block
   */
  public void failNext(int count, int status, Duration retryAfter, Predicate<String> uri) {
    if (count < 1) {
      throw new IllegalArgumentException("count must be at least 1, is " + count);
    }
    if (status < 400 || status > 599) {
      throw new IllegalArgumentException("status must be 400 to 599, is " + status);
    }
    Objects.requireNonNull(uri, "uri");
    int seconds = Math.toIntExact(retryAfter.toSeconds());
    loop.run(() -> plan.failNext(count, status, seconds, uri));
  }

  /** Delays every request by this much from now on; zero stops it. Watch events are not delayed. */
  public void addLatency(Duration delay) {
    if (delay.isNegative()) {
      throw new IllegalArgumentException("delay must not be negative, is " + delay);
    }
    loop.run(() -> plan.latency(delay));
  }

  /**
   * Adds a field that no client knows to every object in answers and watch events, as a newer
   * server would.
   */
  public void addUnknownFields(boolean on) {
    loop.run(() -> rendering.unknownFields(on));
  }

  /** Takes all faults back; muted watches stay muted. */
  public void reset() {
    loop.run(() -> {
      plan.reset();
      watches.silence(false);
      rendering.unknownFields(false);
    });
  }

  /** Number of open watches. */
  public int openWatches() {
    return loop.call(watches::size);
  }
}
