// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.slots;

import dev.coxswain.k8s.slot.MoveTimes;
import dev.coxswain.k8s.slot.ReplicaSlots;
import dev.coxswain.k8s.slot.SlotAction;
import dev.coxswain.k8s.slot.SlotChange;
import dev.coxswain.k8s.slot.SlotObservation;
import dev.coxswain.k8s.slot.SlotPlan;
import dev.coxswain.k8s.slot.SlotPlanner;
import dev.coxswain.k8s.slot.SlotReplicas;
import dev.coxswain.k8s.slot.SlotTimes;
import dev.coxswain.k8s.slot.StoredSlotMap;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
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

  private final SlotPlanner planner;

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
   * The changes that are due.
   *
   * @param after the time after which others may be due
   */
  record Due(List<SlotChange> changes, long after) {}

  SlotPlans(SlotTimes times, MoveTimes moves) {
    planner = new SlotPlanner(times, moves);
  }

  Due due(StoredSlotMap stored, SlotReplicas list, SlotObservation observed, long now) {
    since = stored.equals(map) ? since : now;
    boolean same = stored.equals(map) && list.equals(replicas);
    if (!same || (!unlimited && now - expires >= 0)) {
      SlotPlan plan = planner.plan(stored, list, observed, now);
      map = stored;
      replicas = list;
      changes = plan.changes();
      unlimited = plan.after().isEmpty();
      expires = now + Math.max(SHORTEST, plan.after().orElse(0));
    }
    long settle = SETTLE - (now - since);
    if (settle > 0 && changes.stream().allMatch(SlotChange.Drain.class::isInstance)) {
      return new Due(List.of(), settle);
    }
    return new Due(changes, unlimited ? Long.MAX_VALUE : Math.max(1, expires - now));
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
