// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.reconcile;

/**
 * Why a request is in the queue. When several causes are merged into one item, the first one that
 * led to its present place is kept.
 *
 * <p>Thread rule: immutable.
 */
public enum Trigger {
  /** Something that is watched has changed. */
  EVENT,
  /** The object was there when the watch began. */
  INITIAL_LIST,
  /** A periodic look at everything. */
  RESYNC,
  /** A failed attempt, or {@link Result#requeue()}. */
  RETRY,
  /** {@link Result#requeueAfter}. */
  REQUEUE_AFTER,
  /** A person asked for it. */
  OPERATOR
}
