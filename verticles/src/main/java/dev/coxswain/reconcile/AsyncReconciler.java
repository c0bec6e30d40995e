// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

import io.vertx.core.Future;

/**
 * Brings one object to its desired state without ever blocking.
 *
 * <p>Thread rule: called on the controller's event loop, which it must not block. The future may be
 * completed on any thread. The same request is never started again before its future has completed,
 * not even after a timeout.
 *
 * @param <K> the type of the requests
 */
@FunctionalInterface
public interface AsyncReconciler<K> {

  /**
   * Starts to reconcile {@code request}.
   *
   * @param request the object to reconcile
   * @param context the context of this attempt; {@link ReconcileContext#onCancel} runs when the
   *     attempt times out or the controller stops
   * @return a future of how the attempt ended; a failed future, a null future and a null result
   *     count as a failure
   */
  Future<Result> reconcile(K request, ReconcileContext context);
}
