// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.sharding.internal.slot.MoveTimes;
import dev.coxswain.sharding.internal.slot.ReplicaSlots;
import dev.coxswain.sharding.internal.slot.SlotAction;
import dev.coxswain.sharding.internal.slot.SlotChange;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.SlotObservation;
import dev.coxswain.sharding.internal.slot.SlotPlanner;
import dev.coxswain.sharding.internal.slot.SlotReplicas;
import dev.coxswain.sharding.internal.slot.SlotTimes;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * The plans of this replica, each computed once, and its turn to store one: the first live replica
 * plans at once, the others wait for it.
 *
 * <p>Thread rule: confined to the thread of the slots.
 */
final class SlotPlans {

  /** The least time that a replica waits for each one before it that should have planned. */
  private static final long RANK_PAUSE = Duration.ofMillis(500).toNanos();

  /** The shortest time after which a plan is computed again although nothing has changed. */
  private static final long SHORTEST = Duration.ofMillis(50).toNanos();

  /**
   * How long the map must be the same before more slots are to move: an owner that hands several
   * slots over needs no second try because the plan for the next ones was faster.
   */
  private static final long SETTLE = Duration.ofMillis(100).toNanos();

  /** Slots that were closed together are handed over together, unless one takes longer. */
  private static final long COALESCE = Duration.ofMillis(10).toNanos();

  /**
   * How many times the limit of a close a slot stays that its owner kept because attempts had not
   * ended: nothing of it is started while it is closed, and the few that move at a time must not
   * always be these.
   */
  private static final int KEPT_TIMES = 10;

  private final SlotPlanner planner;
  private final long close;

  /** The slots that were to move under an epoch, and what came of it. */
  private final Map<Integer, Move> moved = new HashMap<>();

  // What the last plan was computed from, and until when it is valid.
  private @Nullable StoredSlotMap map;
  private @Nullable SlotReplicas replicas;
  private long since;
  private long expires;
  private boolean unlimited;
  private List<SlotChange> changes = List.of();

  private boolean waiting;
  private long turnAt;

  /**
   * A move that was observed.
   *
   * @param target the replica that was to receive the slot
   * @param kept when its owner had kept it; empty as long as it has not
   */
  private record Move(long epoch, String target, OptionalLong kept) {}

  /**
   * The changes that are due.
   *
   * @param after the time after which others may be due
   */
  record Due(List<SlotChange> changes, long after) {}

  SlotPlans(SlotTimes times, MoveTimes moves) {
    planner = new SlotPlanner(times, moves);
    close = moves.close();
  }

  Due due(StoredSlotMap stored, SlotReplicas list, SlotObservation observed, long now) {
    since = stored.equals(map) ? since : now;
    boolean same = stored.equals(map) && list.equals(replicas);
    if (!same || (!unlimited && now - expires >= 0)) {
      observe(stored.map(), list, observed, now);
      Map<Integer, Long> kept = kept(now);
      SlotPlanner.Plan plan = planner.plan(stored, list, observed, kept.keySet(), now);
      map = stored;
      replicas = list;
      changes = plan.changes();
      LongStream after =
          LongStream.concat(plan.after().stream(), kept.values().stream().mapToLong(left -> left));
      OptionalLong next = after.min();
      unlimited = next.isEmpty();
      expires = now + Math.max(SHORTEST, next.orElse(0));
    }
    long settle = SETTLE - (now - since);
    if (settle > 0 && changes.stream().allMatch(SlotChange.Drain.class::isInstance)) {
      return new Due(List.of(), settle);
    }
    return new Due(changes, unlimited ? Long.MAX_VALUE : Math.max(1, expires - now));
  }

  private void observe(SlotMap slots, SlotReplicas list, SlotObservation observed, long now) {
    for (int slot = 0; slot < slots.slots(); slot++) {
      SlotEntry entry = slots.entry(slot);
      Move last = moved.get(slot);
      Move move = last != null && last.epoch() == entry.epoch() ? last : null;
      if (entry.isDraining()) {
        moved.put(slot, new Move(entry.epoch(), entry.target(), OptionalLong.empty()));
      } else if (move == null || (move.kept().isEmpty() && !takes(move.target(), list, observed))) {
        moved.remove(slot); // an owner keeps a slot also when its target has ended or is leaving
      } else if (move.kept().isEmpty()) {
        moved.put(slot, new Move(entry.epoch(), move.target(), OptionalLong.of(now)));
      }
    }
  }

  private static boolean takes(String target, SlotReplicas list, SlotObservation observed) {
    return !observed.ended().contains(target)
        && list.live().stream()
            .anyMatch(replica -> replica.identity().equals(target) && !replica.leaving());
  }

  /** Returns the slots that stay for now, each with the time for which. */
  private Map<Integer, Long> kept(long now) {
    Map<Integer, Long> left = new HashMap<>();
    moved.forEach((slot, move) ->
        move.kept()
            .ifPresent(since -> {
              long rest = KEPT_TIMES * close - (now - since);
              if (rest > 0) {
                left.put(slot, rest);
              }
            }));
    return left;
  }

  /**
   * Returns how long this replica must still wait before it makes a change that is due.
   *
   * @param due whether there is one
   * @param rank how many replicas come before this one
   */
  long turn(boolean due, int rank, long now, RandomGenerator random) {
    if (!due) {
      waiting = false;
      return 0;
    }
    if (!waiting) {
      waiting = true;
      turnAt = now + (long) (rank * RANK_PAUSE * (1 + random.nextDouble()));
    }
    long left = Math.max(0, turnAt - now);
    if (left == 0) {
      waiting = false;
    }
    return left;
  }

  /**
   * Returns how long changes that can be stored wait for slots that were closed just now and can
   * probably be stored too.
   */
  static long untilOthers(ReplicaSlots state, List<SlotAction.Store> stores, long now) {
    Set<Integer> ready = new TreeSet<>();
    stores.forEach(store -> ready.add(store.change().slot()));
    return state.held().entrySet().stream()
        .filter(held -> held.getValue().stage() == ReplicaSlots.Stage.CLOSING)
        .filter(held -> !ready.contains(held.getKey()))
        .mapToLong(held -> COALESCE - (now - held.getValue().since()))
        .max()
        .orElse(0);
  }
}
