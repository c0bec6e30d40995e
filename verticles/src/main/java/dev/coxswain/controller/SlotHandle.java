// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.spi.MovedSlot;
import dev.coxswain.spi.SlotTerm;
import io.vertx.core.Future;
import java.util.Collection;

/**
 * The slots of one running controller, for the host. At first all are closed: their requests are
 * dropped, because another replica has them.
 *
 * <p>Thread rule: any thread. Calls take effect in their order; futures complete on the
 * controller's event loop.
 */
public interface SlotHandle {

  /** Keeps the requests of closed slots from now on, without starting them. */
  Future<Void> hold(Collection<Integer> slots);

  /**
   * Starts the requests of slots: those that were held, and those of all objects that the sources
   * hold. Opening an open slot replaces its term.
   */
  Future<Void> open(Collection<? extends SlotTerm> terms);

  /**
   * Opens a slot as {@link #open} does, with what its former owner handed over: retries keep their
   * failures, times and tokens. A request that was added here meanwhile keeps the earlier of the two
   * times.
   */
  Future<Void> openMoved(SlotTerm term, MovedSlot moved);

  /**
   * Returns what this controller hands over with a closed slot.
   *
   * @param limit the maximum number of requests; the new owner treats the others as new
   */
  Future<MovedSlot> export(int slot, int limit);

  /**
   * Starts no more attempts of a slot and keeps its requests.
   *
   * @return a future that completes when no attempt of the slot is running, however long that takes
   */
  Future<Void> close(int slot);

  /**
   * Closes slots and drops their requests with all that is known of them. An attempt that still runs
   * leaves nothing when it ends: no retry, no failures, no time. When a slot has come back before,
   * what was handed over or added since then takes effect at that end.
   */
  Future<Void> drop(Collection<Integer> slots);

  /** Cancels the running attempts of slots. */
  Future<Void> cancel(Collection<Integer> slots);

  /** Checks {@link dev.coxswain.spi.Slots#mayStart} again. */
  void refresh();
}
