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
   * Returns a future that completes when the listener has received all objects of the initial list.
   * It stays open while the resource is not installed, and fails when the subscription is cancelled
   * before.
   */
  Future<Void> synced();

  /** Returns how many objects have changes that the listener has not received. */
  int backlog();

  /** Returns whether the listener has received, and returned from, all changes so far. */
  boolean isIdle();

  /**
   * Returns why the listener receives no events, for display: a call that does not return, a failed
   * delivery. Empty without a problem.
   */
  Optional<String> problem();

  /**
   * Returns the {@link #problem} when it does not pass without a restart, or the return of the
   * listener; a call counts after five minutes. Events that could not be delivered count until a
   * retry succeeds: a failed index works again when its object is fixed or gone.
   */
  Optional<String> failure();

  /** Delivers every object again, as an update without a difference. */
  void resync();

  /**
   * Ends the subscription.
   *
   * @return a future that completes when the listener is not called any more
   */
  Future<Void> cancel();
}
