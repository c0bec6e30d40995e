// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The counters of one queue at one moment.
 *
 * <p>Thread rule: immutable.
 *
 * @param ready items that wait for a worker
 * @param delayed items that are not due
 * @param waitingToken retries that wait for a token
 * @param inFlight items that are being reconciled, the overdue ones included
 * @param dirty in-flight items that were added again
 * @param failing items with at least one failure in a row, the terminal ones included
 * @param terminal items that are out of the queue after a terminal failure, until the next event
 * @param terminalEvicted how many terminal items were evicted because there were too many
 * @param overdue in-flight items past their time limit whose attempt has not ended
 * @param lastSeq the sequence number given to the youngest item
 * @param added how many times an item became ready, or a retry got its token
 * @param merged how many additions were merged into an existing item
 * @param retried how many times an item was scheduled for later
 * @param oldestReadyNanos for how long the oldest ready item has been ready; 0 for none.
 *     Approximate with more than 32 flows in a priority
 * @param longestInFlightNanos for how long the oldest attempt has been running; 0 for none
 * @param inFlightNanos the sum over all running attempts of how long each has been running
 * @param nextDueAt when the next delayed item becomes due, or null
 * @param asOf when the snapshot was taken
 */
public record QueueSnapshot(
    int ready,
    int delayed,
    int waitingToken,
    int inFlight,
    int dirty,
    int failing,
    int terminal,
    long terminalEvicted,
    int overdue,
    long lastSeq,
    long added,
    long merged,
    long retried,
    long oldestReadyNanos,
    long longestInFlightNanos,
    long inFlightNanos,
    @Nullable Instant nextDueAt,
    Instant asOf) {

  /** Returns the number of items in the queue; the terminal ones are not. */
  public int total() {
    return ready + delayed + waitingToken + inFlight;
  }

  /** Returns the number of items in {@code phase}. */
  public int in(Phase phase) {
    return switch (phase) {
      case READY -> ready;
      case DELAYED -> delayed;
      case WAITING_TOKEN -> waitingToken;
      case IN_FLIGHT -> inFlight;
      case TERMINAL -> terminal;
    };
  }
}
