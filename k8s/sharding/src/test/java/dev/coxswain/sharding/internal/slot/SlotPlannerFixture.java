// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import dev.coxswain.sharding.internal.slot.SlotChange.Drain;
import dev.coxswain.sharding.internal.slot.SlotChange.HandOver;
import dev.coxswain.sharding.internal.slot.SlotReplicas.Replica;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Replicas, a map and what a planner has observed of both. Times are in seconds. */
abstract class SlotPlannerFixture {

  static final SlotTimes TIMES = new SlotTimes(15, 5, 4, 1, 0);
  static final MoveTimes MOVES = new MoveTimes(10, 60, 10, 10, 30, 20);
  static final SlotPlanner PLANNER = new SlotPlanner(TIMES, MOVES);

  long now = 1000;
  SlotMap map = SlotMap.initial(SlotDivision.KEY, 64, 7);
  SlotObservation observed = SlotObservation.NONE;
  final List<Replica> live = new ArrayList<>();
  final List<String> lastHolders = new ArrayList<>();

  SlotPlannerFixture with(String... identities) {
    for (String identity : identities) {
      live.add(new Replica(identity, live.size(), 100, false, "1", ""));
    }
    return this;
  }

  void replace(String identity, int weight, boolean leaving, String version) {
    live.replaceAll(r ->
        r.identity().equals(identity)
            ? new Replica(identity, r.ordinal(), weight, leaving, version, "")
            : r);
  }

  void end(String identity) {
    live.removeIf(r -> r.identity().equals(identity));
    lastHolders.add(identity);
  }

  /** One look at the API server, and the plan after it. */
  SlotPlanner.Plan plan() {
    StoredSlotMap stored = new StoredSlotMap("u", 1, map, now);
    SlotReplicas list = new SlotReplicas(live, Set.copyOf(lastHolders), now, now);
    observed = observed.read(stored, now).listed(list, map.replicas(), TIMES, 4);
    return PLANNER.plan(stored, list, observed, now);
  }

  /** Plans, stores, and hands over what drains; returns the number of changes of owners. */
  int settle() {
    int moves = 0;
    for (int round = 0; round < 100; round++) {
      SlotPlanner.Plan plan = plan();
      map = map.with(plan.changes());
      moves += (int) plan.changes().stream().filter(c -> !(c instanceof Drain)).count();
      moves += handOver();
      now += 2;
    }
    return moves;
  }

  int handOver() {
    List<SlotChange> changes = new ArrayList<>();
    for (int slot = 0; slot < map.slots(); slot++) {
      SlotEntry entry = map.entry(slot);
      if (entry.isDraining()) {
        changes.add(new HandOver(slot, entry.owner(), entry.epoch(), entry.target()));
      }
    }
    map = map.with(changes);
    return changes.size();
  }

  Map<String, Integer> counts() {
    Map<String, Integer> counts = new TreeMap<>();
    map.entries().forEach(entry -> counts.merge(entry.finalOwner(), 1, Integer::sum));
    return counts;
  }
}
