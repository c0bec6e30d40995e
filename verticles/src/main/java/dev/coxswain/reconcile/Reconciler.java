// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

/**
 * Brings one object to its desired state, in plain blocking Java.
 *
 * <p>Thread rule: called on a virtual thread unless the controller has platform threads, by several threads at once for different requests and
 * never twice at once for the same request. When an attempt times out or is cancelled its thread is
 * interrupted; the request is not started again before the call has really returned.
 *
 * @param <K> the type of the requests
 */
@FunctionalInterface
public interface Reconciler<K> {

  /**
   * Reconciles {@code request}.
   *
   * @param request the object to reconcile
   * @param context the context of this attempt
   * @return how the attempt ended, never null (null counts as a failure)
   * @throws Exception to have the request retried with backoff; anything thrown is contained,
   *     counted and logged
   */
  Result reconcile(K request, ReconcileContext context) throws Exception;
}
