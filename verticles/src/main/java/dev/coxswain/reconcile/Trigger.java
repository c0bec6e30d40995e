// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

/**
 * The cause of a request in the queue. When several are merged into one item, the first one that
 * led to its present phase is kept.
 *
 * <p>Thread rule: immutable.
 */
public enum Trigger {
  /** A change of a watched object. */
  EVENT,
  /** The initial list of a watch. */
  INITIAL_LIST,
  /** A periodic resync. */
  RESYNC,
  /** A failed attempt, or {@link Result#requeue()}. */
  RETRY,
  /** {@link Result#requeueAfter}. */
  REQUEUE_AFTER,
  /** An operator's request. */
  OPERATOR,
  /** The slot of the request came to this replica. */
  ACQUIRED
}
