// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.source;

import dev.coxswain.reconcile.Trigger;
import java.time.Duration;

/**
 * Where an {@link EventSource} delivers requests.
 *
 * <p>Thread rule: any thread. No method blocks or throws; what arrives after the controller's
 * intake has stopped is counted and dropped, since the next start lists everything anew.
 *
 * @param <K> the type of the requests
 */
public interface EventSink<K> {

  /** The priority of an ordinary event. */
  int PRIORITY_NORMAL = 0;

  /** The priority of what an initial list or a resync delivers. */
  int PRIORITY_LOW = -100;

  /**
   * Adds a request that is due now. A request that the queue knows already is merged with it: one
   * item, the higher priority wins, and what is in flight runs once more afterwards.
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
   * Counts a failure of user code in the source (a handler, a predicate, a function that is asked
   * for requests) in {@code coxswain_user_code_errors_total}; the source logs it. Does nothing by
   * default.
   */
  default void userCodeFailed() {}

  /**
   * Returns how many deliveries wait to be taken over by the controller. A source that can slow
   * down its own input does so while this is large; see {@link #PENDING_HIGH_WATER}.
   */
  int pending();

  /** From this many pending deliveries on a source should stop reading until there are fewer. */
  int PENDING_HIGH_WATER = 65_536;
}
