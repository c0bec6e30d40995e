// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import dev.coxswain.reconcile.Trigger;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of one item, for display.
 *
 * <p>Thread rule: immutable.
 *
 * @param id the id of the item in addresses
 * @param namespace the namespace of the request, empty for none
 * @param name the name of the request
 * @param phase where the item is
 * @param failures failed attempts in a row; for a terminal item, all since the last success
 * @param dirty in flight and added again
 * @param overdue in flight and past its time limit
 * @param priority the priority it was added with
 * @param trigger the cause of its present phase
 * @param since when it became ready, began to wait for a token, started or failed terminally; null
 *     for a delayed item
 * @param nextAttemptAt when a delayed item becomes due; null in the other phases, and for one that
 *     waits for the end of a pause without an end
 * @param held whether it is not retried because its cause is paused
 * @param notBefore the end of the item's backoff window; null when it is not failing
 * @param lastError the last failure of an item that is failing, shortened; null for none
 * @param lastErrorAt when the last failure occurred; null for none
 * @param cause the name of the cause of the last failure, see {@link FailurePattern#id}; null when
 *     it is not failing or the cause is not known
 * @param lastErrorStack the stack trace of a failure of the same cause, without messages and
 *     shortened; null for none, and always in lists
 * @param seq the sequence number, assigned when the item began to be tracked
 * @param rev the revision, which changes whenever the item does
 */
public record QueuedItem(
    String id,
    String namespace,
    String name,
    Phase phase,
    int failures,
    boolean dirty,
    boolean overdue,
    int priority,
    Trigger trigger,
    @Nullable Instant since,
    @Nullable Instant nextAttemptAt,
    boolean held,
    @Nullable Instant notBefore,
    @Nullable String lastError,
    @Nullable Instant lastErrorAt,
    @Nullable String cause,
    @Nullable String lastErrorStack,
    long seq,
    long rev) {

  /** Returns whether the last attempt failed, terminally or not. */
  public boolean failing() {
    return failures > 0;
  }
}
