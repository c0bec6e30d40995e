// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.source;

import dev.coxswain.reconcile.Request;
import dev.coxswain.source.EventSink;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Receives the requests of an {@link EventHandler}. A request that it receives several times for one
 * event counts once: the shortest delay and the highest priority hold.
 *
 * <p>Thread rule: the thread that calls the handler, until the handler returns.
 */
public interface RequestSink extends Consumer<Request> {

  /**
   * Returns the priority of the event: {@link EventSink#PRIORITY_NORMAL} for a change, {@link
   * EventSink#PRIORITY_LOW} for what an initial list, a resync or a slot brings.
   */
  default int priority() {
    return EventSink.PRIORITY_NORMAL;
  }

  /** Returns the delay of requests that are added without one: zero, or that of {@link Handlers#after}. */
  default Duration delay() {
    return Duration.ZERO;
  }

  /**
   * Adds a request.
   *
   * @param request the request
   * @param delay how long to wait; zero or negative means now. When the request is in the queue
   *     already, the earlier time holds
   * @param priority higher first, from -128 to 127 (values beyond are cut)
   */
  void add(Request request, Duration delay, int priority);

  /** Adds a request with {@link #delay} and {@link #priority}. */
  @Override
  default void accept(Request request) {
    add(request, delay(), priority());
  }

  /** Returns a sink for tests of handlers: it passes each request on, without delay and priority. */
  static RequestSink to(Consumer<Request> requests) {
    return (request, _, _) -> requests.accept(request);
  }
}
