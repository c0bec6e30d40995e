// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import dev.coxswain.sharding.internal.lease.LeaseRules;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The observations of one replica over time that a plan depends on: which owners have ended, since when the
 * replicas are the same, and since when the map is this one. A new value for each list of the
 * Leases; {@link #NONE} at the start of a process.
 *
 * <p>An owner has ended when a Lease names it as its last holder, which is written by itself after
 * it stopped or by a replica that observed its Lease expire; or when no Lease names it as its holder
 * in all lists of a whole Lease duration. A Lease that is missing once proves nothing: it may have
 * been deleted while its holder still acts until its deadline.
 *
 * <p>Thread rule: immutable.
 *
 * @param absent owners that no Lease names, with the time since when
 * @param ended owners that have ended
 * @param replicas the live replicas, without what may change at any time
 * @param calmSince since when they are the same
 * @param map the map and since when it is the same
 * @param listed when the last list was received
 */
public record SlotObservation(
    Map<String, Long> absent,
    Set<String> ended,
    List<SlotReplicas.Replica> replicas,
    long calmSince,
    Optional<Uid> map,
    long listed) {

  /**
   * The uid of the map.
   *
   * @param since when it was first read
   * @param replaced whether another one was read before
   */
  public record Uid(String uid, long since, boolean replaced) {}

  /** Before the first list. */
  public static final SlotObservation NONE =
      new SlotObservation(Map.of(), Set.of(), List.of(), 0, Optional.empty(), Long.MIN_VALUE);

  public SlotObservation {
    absent = Map.copyOf(absent);
    ended = Set.copyOf(ended);
    replicas = List.copyOf(replicas);
  }

  /**
   * Returns the observation after a read of the map, which must precede the list of the Leases that
   * is observed next.
   */
  public SlotObservation read(StoredSlotMap stored, long now) {
    boolean same = map.isPresent() && map.get().uid().equals(stored.uid());
    return same
        ? this
        : new SlotObservation(
            absent,
            ended,
            replicas,
            calmSince,
            Optional.of(new Uid(stored.uid(), now, map.isPresent())),
            listed);
  }

  /**
   * Returns the observation after a list of the Leases.
   *
   * @param owners the owners and targets in the map, {@link SlotMap#replicas}
   * @param gap the longest time without a list after which earlier lists still count
   */
  public SlotObservation listed(SlotReplicas list, Set<String> owners, SlotTimes times, long gap) {
    long now = list.received();
    boolean first = listed == NONE.listed;
    boolean away = !first && LeaseRules.wasAway(listed, list.sent(), now, gap);
    Set<String> holders = new HashSet<>();
    list.live().forEach(replica -> holders.add(replica.identity()));
    Map<String, Long> missing = new HashMap<>();
    Set<String> over = new HashSet<>();
    for (String owner : owners) {
      if (holders.contains(owner)) {
        continue;
      }
      long since = LeaseRules.observedSince(absent.getOrDefault(owner, now), away, now);
      if (ended.contains(owner)
          || list.lastHolders().contains(owner)
          || LeaseRules.left(since, times.leaseDuration(), now) == 0) {
        over.add(owner);
      } else {
        missing.put(owner, since);
      }
    }
    List<SlotReplicas.Replica> present =
        list.live().stream().map(SlotReplicas.Replica::withoutMap).toList();
    boolean calm = !first && !away && present.equals(replicas);
    return new SlotObservation(missing, over, present, calm ? calmSince : now, map, now);
  }

  /** Returns whether two versions of the host are present. */
  public boolean isRollOut() {
    return replicas.stream().map(SlotReplicas.Replica::version).distinct().count() > 1;
  }

  /** Returns how long the replicas must still be the same; 0 when slots may move for balance. */
  public long calmLeft(MoveTimes times, long now) {
    return LeaseRules.left(calmSince, isRollOut() ? times.rollOutCalm() : times.calm(), now);
  }

  /**
   * Returns whether free slots of this map may be given away: no owner of an earlier map can still
   * act. Each live Lease announces this map or none in a list that was requested after the map was
   * first read; and when this replica knew another map, a Lease duration has passed, so a holder
   * whose Lease was deleted has stopped.
   */
  public boolean mayAssign(String uid, SlotReplicas list, SlotTimes times, long now) {
    if (map.isEmpty() || !map.get().uid().equals(uid) || list.sent() - map.get().since() < 0) {
      return false;
    }
    return assignLeft(times, now) == 0
        && list.live().stream()
            .allMatch(replica -> replica.follows().isEmpty() || replica.follows().equals(uid));
  }

  /** Returns how long to wait after another map was replaced by this one. */
  long assignLeft(SlotTimes times, long now) {
    return map.filter(Uid::replaced)
        .map(uid -> LeaseRules.left(uid.since(), times.leaseDuration(), now))
        .orElse(0L);
  }
}
