// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.spi;

import java.time.Duration;

/**
 * The ownership of one slot by this replica, from the moment it was acquired. A term that has ended
 * never begins again: the next one of the same slot has a higher epoch.
 *
 * <p>Thread rule: any thread; must not block.
 */
public interface SlotTerm {

  /** Returns the slot. */
  int slot();

  /**
   * Returns the epoch of this ownership; at least 1. That of a later owner of the same request is
   * higher, also after the ownership of the controller has changed.
   */
  long epoch();

  /**
   * Returns how long work on the slot may go on, by a monotonic clock; zero when it may not now, or
   * not any more.
   */
  Duration timeLeft();
}
