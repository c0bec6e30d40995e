// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

/**
 * The context of one attempt.
 *
 * <p>Thread rule: any thread.
 */
public interface ReconcileContext {

  /** Returns the name of the controller. */
  String controller();

  /** Returns an id of this attempt that is unique within the process, for logs and traces. */
  long attemptId();

  /** Returns how many attempts of this request have failed in a row before this one. */
  int failures();

  /** Returns what caused this attempt. */
  Trigger trigger();

  /**
   * Returns whether the attempt was cancelled: it ran into its time limit, or the controller is
   * stopping and the limit for that has passed.
   */
  boolean isCancelled();

  /**
   * Registers an action for when the attempt is cancelled. It runs once, on the controller's event
   * loop, or at once on the calling thread when the attempt is cancelled already. A blocking
   * reconciler needs none: its thread is interrupted.
   */
  void onCancel(Runnable action);
}
