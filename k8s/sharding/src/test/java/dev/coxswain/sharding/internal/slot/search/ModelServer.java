// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.SlotMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The API server. Versions are not stored: requests in flight and observations are marked in the
 * replicas when what they refer to changes. The epoch of each slot is always {@link Names#EPOCH};
 * older ones are smaller.
 *
 * @param map the slot map
 * @param maps how many maps were created
 * @param leases the Lease of each replica
 * @param left the faults that are left
 * @param down for how long the server has been out of reach; -1 when it is not
 * @param up for how long it has been back since the last outage that lasted longer than the gap
 */
record ModelServer(
    Optional<SlotMap> map, int maps, List<StoredLease> leases, Left left, int down, int up) {

  /**
   * One Lease.
   *
   * @param exists whether it exists
   * @param holder its holder, empty for none
   * @param last its last holder that ended, empty for none
   * @param follows the uid of the map that the holder announces
   * @param leaving whether the holder announces that it leaves
   */
  record StoredLease(boolean exists, String holder, String last, String follows, boolean leaving) {
    static final StoredLease ABSENT = new StoredLease(false, "", "", "", false);

    StoredLease released() {
      return new StoredLease(true, "", holder, "", false);
    }
  }

  /**
   * Which faults may still happen.
   *
   * @param faults how many
   * @param lease whether a Lease was deleted: then the map is not, because both together may leave
   *     no trace of an owner
   * @param map whether the map was deleted: then no Lease is
   */
  record Left(int faults, boolean lease, boolean map) {
    boolean permits(SearchOptions options, Fault fault) {
      return faults > 0
          && options.kinds().contains(fault)
          && !(fault == Fault.MAP_DELETION && lease)
          && !(fault == Fault.LEASE_DELETION && map);
    }

    Left after(Fault fault) {
      return new Left(
          faults - 1, lease || fault == Fault.LEASE_DELETION, map || fault == Fault.MAP_DELETION);
    }
  }

  static ModelServer initial(SearchOptions options) {
    List<StoredLease> leases = new ArrayList<>();
    for (int i = 0; i < options.replicas(); i++) {
      leases.add(StoredLease.ABSENT);
    }
    return new ModelServer(
        Optional.empty(),
        0,
        List.copyOf(leases),
        new Left(options.faults(), false, false),
        -1,
        (int) SearchOptions.TIMES.leaseDuration());
  }

  /** Returns the uid of the map; empty for none. */
  String uid() {
    return map.isPresent() ? "u" + maps : "";
  }

  boolean isUp() {
    return down < 0;
  }

  ModelServer created(int slots) {
    return new ModelServer(
        Optional.of(
            new SlotMap(
                SlotDivision.KEY,
                0,
                java.util.Collections.nCopies(slots, SlotEntry.free(Names.EPOCH)))),
        maps + 1,
        leases,
        left,
        down,
        up);
  }

  ModelServer with(Optional<SlotMap> next) {
    return new ModelServer(next, maps, leases, left, down, up);
  }

  ModelServer with(int ordinal, StoredLease lease) {
    List<StoredLease> next = new ArrayList<>(leases);
    next.set(ordinal, lease);
    return new ModelServer(map, maps, List.copyOf(next), left, down, up);
  }

  /** Returns the server without last holders that nothing names; a name is given only once. */
  ModelServer without(int unnamed) {
    List<StoredLease> next = new ArrayList<>();
    for (int i = 0; i < leases.size(); i++) {
      StoredLease lease = leases.get(i);
      next.add(
          (unnamed >> i & 1) == 0
              ? lease
              : new StoredLease(
                  lease.exists(), lease.holder(), "", lease.follows(), lease.leaving()));
    }
    return new ModelServer(map, maps, List.copyOf(next), left, down, up);
  }

  ModelServer with(Left next) {
    return new ModelServer(map, maps, leases, next, down, up);
  }

  ModelServer after(Fault fault) {
    return new ModelServer(map, maps, leases, left.after(fault), down, up);
  }

  ModelServer with(int nextDown, int nextUp) {
    return new ModelServer(map, maps, leases, left, nextDown, nextUp);
  }
}
