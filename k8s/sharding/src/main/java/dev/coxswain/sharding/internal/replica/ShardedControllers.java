// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.sharding.internal.ownership.ControllerGate;
import dev.coxswain.sharding.internal.view.SlotOwners;
import dev.coxswain.spi.MovedSlot;
import dev.coxswain.spi.SlotTerm;
import io.vertx.core.Future;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The controllers that run in the slots of this replica. Calls take effect in their order, also on
 * controllers that are deployed later.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
public interface ShardedControllers {

  /**
   * What this replica gives to its controllers, each of which may run in all, some or none of its
   * slots.
   *
   * <p>Thread rule: any thread; nothing blocks.
   *
   * @param guard permits the writes of controllers that not every replica runs
   * @param gate admits controllers as far as no other replica runs them with another ownership
   * @param owners finds the last observed owner of a controller that one replica runs
   */
  record Share(
      WriteGuard guard, ControllerGate gate, Function<String, Optional<SlotOwners.Owner>> owners) {

    /** That of a replica without others. */
    public static final Share ALONE =
        new Share(WriteGuard.OPEN, ControllerGate.OPEN, _ -> Optional.empty());
  }

  /** The number of slots is known, or another one: controllers that need it may be deployed. */
  void begin(HostSlots slots);

  /**
   * Keeps the requests of slots from now on, without starting them.
   *
   * @return a future that completes when the controllers have all that they need to start them; it
   *     may never complete
   */
  Future<Void> hold(Collection<Integer> slots);

  /**
   * Starts the requests of slots, in these terms.
   *
   * @return a future that completes when every controller may start them; it fails when one stops
   */
  Future<Void> open(Collection<? extends SlotTerm> terms);

  /**
   * Starts the requests of a slot, with what its former owner has handed over, by controller.
   *
   * @return as of {@link #open}
   */
  Future<Void> openMoved(SlotTerm term, Map<String, MovedSlot> moved);

  /**
   * Returns what each controller hands over with a closed slot.
   *
   * @param limit the maximum number of requests of a controller
   */
  Future<Map<String, MovedSlot>> export(int slot, int limit);

  /**
   * Starts no more attempts of a slot.
   *
   * @return a future that completes when none is running in any controller; it does not fail
   */
  Future<Void> close(int slot);

  /** Drops the requests of slots that this replica does not own any more. */
  void drop(Collection<Integer> slots);

  /** Cancels the running attempts of slots. */
  void cancel(Collection<Integer> slots);

  /** Stores why this replica cannot own slots; empty when it can. */
  void problem(String reason);

  /** Checks again whether attempts may be started. */
  void refresh();
}
