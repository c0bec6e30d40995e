// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.source;

import dev.coxswain.reconcile.Trigger;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Optional;

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
   * Adds a request that is due now, with the trace of its cause: the attempt links to it. One that
   * an attempt adds has its trace without this.
   *
   * @param traceParent the value of the header of W3C Trace Context; ignored when it is not
   *     well-formed, and while nothing is traced
   */
  default void add(K request, int priority, Trigger trigger, String traceParent) {
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
   * @param traceParent as for {@link #add(Object, int, Trigger, String)}
   */
  default Future<Boolean> offer(K request, String traceParent) {
    add(request, PRIORITY_NORMAL, Trigger.EVENT, traceParent);
    return Future.succeededFuture(true);
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
   * Returns whether this replica owns a request, so that it is accepted when it is added now. A
   * source whose events no other replica receives must not drop a request that is not owned. The
   * default is true.
   *
   * <p>Thread rule: on the controller's event loop.
   */
  default boolean owns(K request) {
    return true;
  }

  /**
   * Returns the name of the replica that owns a request, if it is another one that is alive, as far
   * as this one has observed; empty, the default, otherwise: it is owned here, is moving, or the
   * owner is unknown.
   */
  default Optional<String> otherOwner(K request) {
    return Optional.empty();
  }

  /**
   * Returns the address that the other owner of a request has {@linkplain #announce announced}; empty,
   * the default, when there is none.
   *
   * @param name the name under which the same source announces its address on each replica
   */
  default Optional<String> otherEndpoint(K request, String name) {
    return Optional.empty();
  }

  /**
   * Announces an address of this source on this replica to the same source on others. Does nothing
   * by default.
   *
   * @param name a name that differs from that of other sources of the controller, without spaces
   * @param address the address, without spaces; empty to withdraw it
   */
  default void announce(String name, String address) {}

  /**
   * Returns whether the controller is sharded: it accepts the requests of some slots and drops the
   * others, so that a source needs not hold objects for those. The default is false.
   */
  default boolean isSharded() {
    return false;
  }

  /** Returns the name of the controller, for display; empty, the default, when it is unknown. */
  default String controller() {
    return "";
  }

  /**
   * Returns how many requests wait to be taken over by the controller. A source that can slow down
   * its own input should do so while this is large; see {@link #PENDING_HIGH_WATER}.
   */
  int pending();

  /** The number of pending requests from which on a source should stop reading. */
  int PENDING_HIGH_WATER = 65_536;
}
