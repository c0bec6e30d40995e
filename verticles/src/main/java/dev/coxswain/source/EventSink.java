// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.source;

import dev.coxswain.reconcile.Trigger;
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
   * Resets the failures of a request, as far as it is tracked and has any: its next failure counts
   * as the first one. When it is due does not change.
   */
  void forget(K request);

  /**
   * Counts a failure of user code in the source (a handler, a predicate, a mapping function) in
   * {@code coxswain_user_code_errors_total}; the source logs it. Does nothing by default.
   */
  default void userCodeFailed() {}

  /**
   * Returns how many requests wait to be taken over by the controller. A source that can slow down
   * its own input should do so while this is large; see {@link #PENDING_HIGH_WATER}.
   */
  int pending();

  /** The number of pending requests from which on a source should stop reading. */
  int PENDING_HIGH_WATER = 65_536;
}
