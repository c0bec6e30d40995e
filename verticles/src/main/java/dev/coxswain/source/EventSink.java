// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.source;

import dev.coxswain.reconcile.Trigger;
import io.vertx.core.Future;
import java.time.Duration;

/**
 * The receiver of the requests of an {@link EventSource}.
 *
 * <p>Thread rule: any thread. No method blocks or throws; a request that arrives after the
 * controller stopped accepting them is counted and dropped, since the next start lists everything
 * anew.
 *
 * @param <K> the type of the requests
 */
public interface EventSink<K> {

  /** The priority of an ordinary event. */
  int PRIORITY_NORMAL = 0;

  /** The priority of what an initial list or a resync delivers. */
  int PRIORITY_LOW = -100;

  /**
   * Adds a request that is due now. A request that is in the queue already is merged: one item, the
   * higher priority wins, and an item in flight runs once more afterwards.
   *
   * @param request the request
   * @param priority higher first, from -128 to 127 (values beyond are cut)
   * @param trigger the cause
   */
  void add(K request, int priority, Trigger trigger);

  /**
   * Adds a request that is due now, with what led to it: the history of the object shows the change,
   * and the attempt links to the trace. One that an attempt adds has the trace of that without this.
   */
  default void add(K request, int priority, Trigger trigger, Origin origin) {
    add(request, priority, trigger);
  }

  /**
   * Adds a request that is due after a delay; of two delays of one request the earlier wins.
   *
   * @param request the request
   * @param delay how long to wait; zero or negative means now
   * @param priority higher first, from -128 to 127
   * @param trigger the cause
   */
  void addAfter(K request, Duration delay, int priority, Trigger trigger);

  /** Adds an ordinary event. */
  default void add(K request) {
    add(request, PRIORITY_NORMAL, Trigger.EVENT);
  }

  /**
   * Adds an ordinary event, unless another replica owns its request.
   *
   * @return a future that completes with true when the request is in the queue, and with false when it
   *     was not accepted, because this replica does not own it or the controller is stopping; it does
   *     not fail
   */
  default Future<Boolean> offer(K request) {
    return offer(request, "");
  }

  /**
   * The same with the trace of its cause.
   *
   * @param traceParent as that of an {@link Origin}
   */
  default Future<Boolean> offer(K request, String traceParent) {
    add(request, PRIORITY_NORMAL, Trigger.EVENT, Origin.ofTrace(traceParent));
    return Future.succeededFuture(true);
  }

  /**
   * Resets the failures of a request, as far as it is tracked and has any: its next failure counts
   * as the first one. When it is due does not change.
   */
  void forget(K request);

  /**
   * Returns how many requests wait to be taken over by the controller. A source that can slow down
   * its own input should do so while this is large; see {@link #PENDING_HIGH_WATER}.
   */
  int pending();

  /** The number of pending requests from which on a source should stop reading. */
  int PENDING_HIGH_WATER = 65_536;
}
