// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.source;

import io.vertx.core.Future;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Feeds requests to one controller.
 *
 * <p>Thread rule: called on the controller's event loop, which no method may block. An instance is
 * started once and belongs to one controller.
 *
 * @param <K> the type of the requests
 */
public interface EventSource<K> {

  /** Returns a description of what is watched, for display: {@code "ConfigMap label=a in ns"}. */
  String describe();

  /**
   * Starts feeding {@code sink}.
   *
   * @return a future that completes when everything that existed at the start has been delivered
   *     ("synced"); the controller starts to reconcile when all sources of its start have synced. A
   *     failed future fails the start of the controller, or {@link SourceRegistry#add} of a source
   *     that is added later; a source that merely has to wait (an API that is not installed yet)
   *     leaves it open.
   */
  Future<Void> start(EventSink<K> sink);

  /**
   * Stops feeding.
   *
   * @return a future that completes when nothing more will be delivered; it must not fail because
   *     the source was never started
   */
  Future<Void> stop();

  /**
   * Returns the current problem of this source, for display: an API that is not installed, a server
   * that does not answer. Empty without a problem, the default.
   *
   * <p>Thread rule: any thread, must be fast.
   */
  default Optional<String> problem() {
    return Optional.empty();
  }

  /**
   * Returns the failure of this source itself, which does not pass when its dependencies recover: a
   * thread that failed, a handler that does not return. It becomes the condition {@code
   * sourceFailed} of the controller, which fails readiness. A server that does not answer is a
   * {@link #problem} only. Empty when there is no failure, the default.
   *
   * <p>Thread rule: any thread, must be fast.
   */
  default Optional<String> failure() {
    return Optional.empty();
  }

  /**
   * Returns whether it waits before it reads again, because the last time has failed: a resource is
   * not installed, or a server refuses it. False while it reads. When that lasts for some seconds
   * before the source has delivered what existed at the start, slots move to this replica without
   * waiting for its controller, which begins to reconcile when it can. The default is false.
   *
   * <p>Thread rule: any thread, must be fast.
   */
  default boolean isWaiting() {
    return false;
  }

  /**
   * Returns whether the object of this request exists in the cache of this source. Used to decide
   * which flushed requests are added again. The default is false.
   *
   * <p>Thread rule: any thread, must be fast.
   */
  default boolean holds(K request) {
    return false;
  }

  /**
   * Returns the state of the object of a request in this source, for the explanation why it is not
   * reconciled. The default is {@link Presence#UNKNOWN}, or held when {@link #holds} is true.
   *
   * <p>Thread rule: any thread, must be fast.
   */
  default Presence presence(K request) {
    return holds(request) ? Presence.HELD : Presence.UNKNOWN;
  }

  /**
   * As {@link #presence}, but may read the object where it is kept, at the API server for instance,
   * to find out why this source does not hold it. The default is {@link #presence}.
   *
   * <p>Thread rule: the controller's event loop; must not block it.
   *
   * @return what takes longer than 5 s, or fails, counts as unknown
   */
  default Future<Presence> examine(K request) {
    return Future.succeededFuture(presence(request));
  }

  /**
   * Returns how far this source has received changes and delivered them: a text that the same
   * source on another replica can compare. Empty, the default, when that is unknown or something is
   * still being delivered.
   *
   * <p>Thread rule: any thread, must be fast.
   */
  default String position() {
    return "";
  }

  /**
   * Delivers again, at low priority and with {@link dev.coxswain.reconcile.Trigger#ACQUIRED}, what
   * this source holds for requests that the controller has begun to own. What has not changed since
   * the position of the acquisition need not be delivered for known requests. Called between the
   * start and the stop. Does nothing by default, which is right for a source that holds nothing.
   */
  default void redeliver(Acquisition<K> acquired) {}

  /**
   * Returns a test for requests whose object in this source has certain labels. Empty, the default,
   * when the source holds no objects.
   *
   * <p>Thread rule: any thread, must be fast; so must be what it returns.
   *
   * @param labelSelector the labels, in the syntax of this source
   * @throws IllegalArgumentException when the selector cannot be parsed; the message explains why
   */
  default Optional<Predicate<K>> selecting(String labelSelector) {
    return Optional.empty();
  }
}
