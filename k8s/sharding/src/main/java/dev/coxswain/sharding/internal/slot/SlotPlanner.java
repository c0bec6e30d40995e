// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import dev.coxswain.sharding.internal.slot.SlotChange.Assign;
import dev.coxswain.sharding.internal.slot.SlotChange.Drain;
import dev.coxswain.sharding.internal.slot.SlotChange.TakeOver;
import dev.coxswain.sharding.internal.slot.SlotReplicas.Replica;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/**
 * Decides which slots change hands. A pure function of the map, the replicas and the slots that their
 * owners kept: every replica may compute it, and the first write wins. What was kept is known to
 * those that observed it; a planner that has just started moves such a slot once more.
 *
 * <p>Quotas follow the weights by largest remainder. Free slots and slots of ended owners are given
 * away at once. Other slots move only to reach the quotas, as few as possible: at most an eighth of
 * all at a time and four from one source, and only after the replicas have been the same for a
 * while, unless a source has more than twice its quota. A leaving source is exempt from all three.
 *
 * <p>A replica that has been silent for a while keeps its share and gets nothing as long as there is
 * another one: when several end at the same time, the slots of the first do not go to the others.
 *
 * <p>Thread rule: immutable.
 */
public final class SlotPlanner {

  /**
   * Changes that are due, to be stored in one write.
   *
   * <p>Thread rule: immutable.
   *
   * @param changes T2, T3 and T6, in order
   * @param after after which time alone to plan again; empty when only an event can make a change due
   */
  public record Plan(List<SlotChange> changes, OptionalLong after) {

    public Plan {
      changes = List.copyOf(changes);
    }
  }

  private static final int MOVING_PART = 8;
  private static final int MOVING_PER_SOURCE = 4;

  private final SlotTimes times;
  private final MoveTimes moves;

  public SlotPlanner(SlotTimes times, MoveTimes moves) {
    this.times = times;
    this.moves = moves;
  }

  /**
   * Returns the changes that are due.
   *
   * @param stored the map as last read; its uid has been observed by {@link SlotObservation#read}
   * @param list the last list of the Leases; it has been observed
   */
  public Plan plan(StoredSlotMap stored, SlotReplicas list, SlotObservation observed, long now) {
    return plan(stored, list, observed, Set.of(), now);
  }

  /**
   * Returns the changes that are due.
   *
   * @param stored the map as last read; its uid has been observed by {@link SlotObservation#read}
   * @param list the last list of the Leases; it has been observed
   * @param kept the slots that do not move for balance for now, because their owners could not hand
   *     them over
   */
  public Plan plan(
      StoredSlotMap stored,
      SlotReplicas list,
      SlotObservation observed,
      Set<Integer> kept,
      long now) {
    return new Run(stored.map(), list, observed, kept).plan(stored.uid(), now);
  }

  /**
   * Returns how many slots each replica should have: by largest remainder of the weights; equal
   * remainders go first to those that hold most, so that fewer slots move.
   *
   * @param held how many slots each replica has
   */
  static Map<String, Integer> quotas(int slots, List<Replica> eligible, Map<String, Integer> held) {
    long weights = eligible.stream().mapToLong(Replica::weight).sum();
    Map<String, Integer> quotas = new TreeMap<>();
    int left = slots;
    for (Replica replica : eligible) {
      int whole = (int) (slots * (long) replica.weight() / weights);
      quotas.put(replica.identity(), whole);
      left -= whole;
    }
    eligible.stream()
        .sorted(
            Comparator.comparingLong((Replica r) -> -(slots * (long) r.weight() % weights))
                .thenComparingInt(r -> -held.getOrDefault(r.identity(), 0))
                .thenComparing(Replica::identity))
        .limit(left)
        .forEach(replica -> quotas.merge(replica.identity(), 1, Integer::sum));
    return quotas;
  }

  /** One computation. */
  private final class Run {
    private final SlotMap map;
    private final SlotReplicas list;
    private final SlotObservation observed;
    private final Set<Integer> kept;
    private final Set<String> ended;
    private final List<Replica> eligible;

    /** The identities that slots may be given to. */
    private final List<String> takers;

    private final List<SlotChange> changes = new ArrayList<>();

    /** The number of slots that each replica has when all moves are done; changes with the plan. */
    private final Map<String, Integer> held = new TreeMap<>();

    private final Map<String, Integer> quotas;

    Run(SlotMap map, SlotReplicas list, SlotObservation observed, Set<Integer> kept) {
      this.map = map;
      this.list = list;
      this.observed = observed;
      this.kept = kept;
      this.ended = observed.ended();
      this.eligible =
          list.live().stream()
              .filter(r -> r.isEligible() && !ended.contains(r.identity()))
              .toList();
      boolean silent = eligible.stream().allMatch(Replica::silent);
      this.takers =
          eligible.stream().filter(r -> silent || !r.silent()).map(Replica::identity).toList();
      for (SlotEntry entry : map.entries()) {
        String owner = finalOwner(entry);
        if (!owner.isEmpty()) {
          held.merge(owner, 1, Integer::sum);
        }
      }
      this.quotas = eligible.isEmpty() ? Map.of() : quotas(map.slots(), eligible, held);
    }

    /** Returns the owner after all moves; empty for a slot to give away. */
    private String finalOwner(SlotEntry entry) {
      if (ended.contains(entry.owner())) {
        return "";
      }
      // The owner keeps the slot when the target has ended.
      return ended.contains(entry.target()) ? entry.owner() : entry.finalOwner();
    }

    Plan plan(String uid, long now) {
      if (eligible.isEmpty()) {
        return new Plan(List.of(), OptionalLong.empty());
      }
      boolean mayAssign = observed.mayAssign(uid, list, times, now);
      boolean waiting = giveAway(mayAssign);
      long wait = waiting ? observed.assignLeft(times, now) : 0;
      long calm = observed.calmLeft(moves, now);
      if (balance(calm == 0)) {
        wait = wait == 0 ? calm : Math.min(wait, calm);
      }
      for (long left :
          observed.absent().values().stream().map(since -> left(since, now)).toList()) {
        wait = wait == 0 ? left : Math.min(wait, left);
      }
      return new Plan(changes, wait == 0 ? OptionalLong.empty() : OptionalLong.of(wait));
    }

    private long left(long since, long now) {
      return Math.max(1, times.leaseDuration() - (now - since));
    }

    /** Gives slots without an owner away; returns whether free ones must wait. */
    private boolean giveAway(boolean mayAssign) {
      boolean waiting = false;
      for (int slot = 0; slot < map.slots(); slot++) {
        SlotEntry entry = map.entry(slot);
        if (entry.isFree() && !mayAssign) {
          waiting = true;
        } else if (entry.isFree()) {
          changes.add(new Assign(slot, take(slot, "")));
        } else if (ended.contains(entry.owner())) {
          changes.add(new TakeOver(slot, entry.owner(), take(slot, entry.target())));
        }
      }
      return waiting;
    }

    /** Returns a new owner: the preferred one if it has room, else the one with most room. */
    private String take(int slot, String preferred) {
      String to =
          takers.contains(preferred) && room(preferred) > 0
              ? preferred
              : takers.stream()
                  .max(
                      Comparator.comparingInt(this::room)
                          .thenComparingLong(identity -> preference(slot, identity)))
                  .orElseThrow();
      held.merge(to, 1, Integer::sum);
      return to;
    }

    /** Returns how many slots a replica lacks; negative for a surplus. */
    private int room(String identity) {
      return quotas.getOrDefault(identity, 0) - held.getOrDefault(identity, 0);
    }

    /** Returns whether a replica that slots may be given to has fewer than its quota. */
    private boolean isRoom() {
      return takers.stream().anyMatch(taker -> room(taker) > 0);
    }

    /** Moves surplus slots; returns whether some must wait until the replicas are calm. */
    private boolean balance(boolean calm) {
      Map<String, Integer> draining = draining();
      int moving = draining.values().stream().mapToInt(Integer::intValue).sum();
      int most = Math.max(1, map.slots() / MOVING_PART);
      boolean waiting = false;
      for (Replica source : sources()) {
        String from = source.identity();
        boolean far = held.getOrDefault(from, 0) > 2 * quotas.getOrDefault(from, 0);
        if (room(from) >= 0) {
          continue;
        }
        if (!source.leaving() && !calm && !far) {
          waiting = true;
          continue;
        }
        for (int slot : movable(source)) {
          boolean limited =
              !source.leaving()
                  && (moving >= most || draining.getOrDefault(from, 0) >= MOVING_PER_SOURCE);
          if (room(from) >= 0 || limited || (!source.leaving() && !isRoom())) {
            break;
          }
          changes.add(new Drain(slot, from, take(slot, "")));
          held.merge(from, -1, Integer::sum);
          if (!source.leaving()) {
            draining.merge(from, 1, Integer::sum);
            moving++;
          }
        }
      }
      return waiting;
    }

    /** The number of draining slots by source, without those of leaving ones. */
    private Map<String, Integer> draining() {
      Map<String, Integer> draining = new TreeMap<>();
      for (SlotEntry entry : map.entries()) {
        if (entry.isDraining() && !list.find(entry.owner()).map(Replica::leaving).orElse(true)) {
          draining.merge(entry.owner(), 1, Integer::sum);
        }
      }
      return draining;
    }

    /** The live replicas, leaving ones first, then by surplus. */
    private List<Replica> sources() {
      return list.live().stream()
          .filter(replica -> !ended.contains(replica.identity()))
          .sorted(
              Comparator.comparing((Replica r) -> !r.leaving())
                  .thenComparingInt(r -> room(r.identity()))
                  .thenComparing(Replica::identity))
          .toList();
    }

    private List<Integer> movable(Replica source) {
      String from = source.identity();
      List<Integer> slots = new ArrayList<>();
      for (int slot = 0; slot < map.slots(); slot++) {
        SlotEntry entry = map.entry(slot);
        boolean may = source.leaving() || !kept.contains(slot);
        if (may && entry.isOwnedBy(from) && !entry.isDraining()) {
          slots.add(slot);
        }
      }
      slots.sort(Comparator.comparingLong(slot -> preference(slot, from)));
      return slots;
    }

    private static long preference(int slot, String identity) {
      return SlotFunction.hash(identity, Integer.toString(slot));
    }
  }
}
