// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.view;

import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.SlotFunction;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import dev.coxswain.spi.Clock;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * The owners of controllers that one replica runs, as this replica has observed them.
 *
 * <p>Thread rule: any thread.
 */
public final class SlotOwners {

  private final Supplier<SlotView> view;
  private final Clock clock;
  private final Map<String, Owner> last = new ConcurrentHashMap<>();

  /**
   * A replica that owns a controller.
   *
   * @param replica its name
   * @param seenAt when it was last observed to hold its Lease
   * @param current whether it holds its Lease, by the last list
   */
  public record Owner(String replica, Instant seenAt, boolean current) {}

  /**
   * Creates the owners.
   *
   * @param view returns the present view of the slots
   */
  public SlotOwners(Supplier<SlotView> view, Clock clock) {
    this.view = view;
    this.clock = clock;
  }

  /** Returns the last observed owner of a controller; empty when none has been observed. */
  public Optional<Owner> of(String controller) {
    SlotView now = view.get();
    SlotMap map = now.map().map(StoredSlotMap::map).orElse(null);
    if (map == null) {
      return Optional.ofNullable(last.get(controller));
    }
    SlotEntry entry = map.entry(SlotFunction.slotOfController(controller, map.slots()));
    var replicas = now.replicas();
    boolean live = replicas != null && replicas.find(entry.owner()).isPresent();
    if (entry.isFree()) {
      return Optional.ofNullable(last.get(controller)).map(SlotOwners::ended);
    }
    if (live) {
      Owner owner = new Owner(replica(entry.owner()), clock.instant(), true);
      last.put(controller, owner);
      return Optional.of(owner);
    }
    Owner before = last.get(controller);
    return Optional.of(
        before != null && before.replica().equals(replica(entry.owner()))
            ? ended(before)
            : new Owner(replica(entry.owner()), clock.instant(), false));
  }

  private static Owner ended(Owner before) {
    return new Owner(before.replica(), before.seenAt(), false);
  }

  /** Returns the name of the replica of an identity. */
  public static String replica(String identity) {
    int end = identity.lastIndexOf('_');
    return end < 0 ? identity : identity.substring(0, end);
  }
}
