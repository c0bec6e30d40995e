// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.controller.SlotHandle;
import dev.coxswain.spi.MovedSlot;
import dev.coxswain.spi.SlotTerm;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one deployment of a controller. Its terms end with the deployment, so an attempt that
 * outlives it writes nothing, although the replica still owns the slot.
 *
 * <p>Thread rule: confined to the context of the manager; the terms are used on any thread.
 */
class DeployedSlots {

  static final MovedSlot NOTHING = new MovedSlot(List.of(), List.of());

  private final @Nullable SlotHandle handle;
  private final LongSupplier admitted;
  private final Promise<Void> ending = Promise.promise();
  private volatile boolean ended;

  /**
   * Creates the slots of a deployment.
   *
   * @param handle those of the controller; null for none
   * @param admitted returns the epoch with which the controller is admitted when a slot is opened
   */
  DeployedSlots(@Nullable SlotHandle handle, LongSupplier admitted) {
    this.handle = handle;
    this.admitted = admitted;
  }

  void hold(Collection<Integer> slots) {
    if (handle != null && !slots.isEmpty()) {
      handle.hold(slots);
    }
  }

  /** Opens slots in terms of this deployment; completes when requests may start. */
  Future<Void> open(Collection<? extends SlotTerm> terms) {
    return handle == null || terms.isEmpty()
        ? Future.succeededFuture()
        : handle.open(terms.stream().map(Own::new).toList());
  }

  /** Opens a slot with what its former owner has handed over; completes as {@link #open}. */
  Future<Void> openMoved(SlotTerm term, MovedSlot moved) {
    return handle == null ? Future.succeededFuture() : handle.openMoved(new Own(term), moved);
  }

  /** Returns what is handed over with a closed slot. */
  Future<MovedSlot> export(int slot, int limit) {
    return handle == null ? Future.succeededFuture(NOTHING) : handle.export(slot, limit);
  }

  /** Starts no more attempts of a slot; completes when none runs. */
  Future<Void> close(int slot) {
    // A controller that stops has ended the terms of its attempts when it is undeployed.
    return handle == null
        ? Future.succeededFuture()
        : handle.close(slot).recover(_ -> ending.future());
  }

  void drop(Collection<Integer> slots) {
    if (handle != null) {
      handle.drop(slots);
    }
  }

  void cancel(Collection<Integer> slots) {
    if (handle != null) {
      handle.cancel(slots);
    }
  }

  void refresh() {
    if (handle != null) {
      handle.refresh();
    }
  }

  /** The deployment has ended. */
  void end() {
    ended = true;
    ending.tryComplete();
  }

  private final class Own implements SlotTerm {
    private final SlotTerm term;
    private final long epoch;

    Own(SlotTerm term) {
      this.term = term;
      this.epoch = Math.max(term.epoch(), admitted.getAsLong());
    }

    @Override
    public int slot() {
      return term.slot();
    }

    @Override
    public long epoch() {
      return epoch;
    }

    @Override
    public Duration timeLeft() {
      return ended ? Duration.ZERO : term.timeLeft();
    }
  }
}
