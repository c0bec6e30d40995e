// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.cache;

import io.vertx.core.Future;
import java.util.Optional;

/**
 * A listener's registration with a cache.
 *
 * <p>Thread rule: any thread; nothing blocks. Futures complete on a virtual thread.
 */
public interface Subscription {

  /**
   * Returns a future that completes when the listener has been told of everything that was there at
   * the start. It stays open while the resource is not installed, and fails when the subscription
   * is cancelled before.
   */
  Future<Void> synced();

  /** Returns how many objects have changes that the listener has not been told of. */
  int backlog();

  /**
   * Returns what keeps the listener from receiving events, for people: a call of it that does not
   * return, a delivery that failed. Empty when all is well.
   */
  Optional<String> problem();

  /**
   * Returns the {@link #problem} when nothing but a restart, or the end of what holds the listener,
   * will make events arrive; a call counts when it has not returned for five minutes. Events that
   * could not be delivered count until a try succeeds: an index that has failed works again when
   * its object is fixed or gone.
   */
  Optional<String> failure();

  /** Tells the listener of every object again, as an update without a difference. */
  void resync();

  /**
   * Ends the subscription.
   *
   * @return a future that completes when the listener is not called any more
   */
  Future<Void> cancel();
}
