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

  /** Returns what this source watches, for people: {@code "ConfigMap label=a in ns"}. */
  String describe();

  /**
   * Starts feeding {@code sink}.
   *
   * @return a future that completes when everything that existed at the start has been delivered
   *     ("synced"); the controller starts to reconcile when all of its sources have synced. A
   *     failed future fails the start of the controller; a source that merely has to wait (an API
   *     that is not installed yet) leaves it open.
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
   * Returns what keeps this source from delivering, for people: an API that is not installed, a
   * server that does not answer. Empty when all is well, the default.
   *
   * <p>Thread rule: any thread, must be fast.
   */
  default Optional<String> problem() {
    return Optional.empty();
  }

  /**
   * Returns why this source has ended or cannot deliver although everything it depends on may be
   * well: a thread that failed, a handler that does not return. It becomes the condition {@code
   * sourceFailed} of the controller, which fails readiness. What passes by itself, such as a server
   * that does not answer, is a {@link #problem} only. Empty when there is no failure, the default.
   *
   * <p>Thread rule: any thread, must be fast.
   */
  default Optional<String> failure() {
    return Optional.empty();
  }

  /**
   * Returns whether the object of this request exists as far as this source knows. Used to decide
   * which flushed requests are added again. The default is false.
   *
   * <p>Thread rule: any thread, must be fast.
   */
  default boolean knows(K request) {
    return false;
  }

  /**
   * Returns how this source stands to the object of a request, for the explanation why it is not
   * reconciled. The default is {@link Presence#UNKNOWN}, or held when {@link #knows} is true.
   *
   * <p>Thread rule: any thread, must be fast.
   */
  default Presence presence(K request) {
    return knows(request) ? Presence.HELD : Presence.UNKNOWN;
  }

  /**
   * Returns what tells for which requests this source holds an object with certain labels. Empty,
   * the default, when it holds no objects, or none that its requests name.
   *
   * <p>Thread rule: any thread, must be fast; so must be what it returns.
   *
   * @param labelSelector which labels, in whatever form this source understands
   * @throws IllegalArgumentException when it cannot be understood, in words for whoever wrote it
   */
  default Optional<Predicate<K>> selecting(String labelSelector) {
    return Optional.empty();
  }
}
