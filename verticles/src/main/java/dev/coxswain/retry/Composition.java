// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.retry;

/**
 * The combination of an item's own {@link Backoff} with the {@link RetryBudget}.
 *
 * <p>Thread rule: immutable.
 */
public enum Composition {
  /**
   * The item waits out its own backoff, then takes a token when it is about to start. The cap holds
   * for the retries that start, and an item that is dropped or superseded costs nothing.
   */
  ADMISSION,
  /**
   * A token is reserved when the attempt fails and the item waits for the longer of the two delays,
   * as client-go does. Kept for comparison: the cap holds for reservations, not for starts.
   */
  MAX_OF,
  /** Only the item's own backoff counts. */
  BACKOFF_ONLY
}
