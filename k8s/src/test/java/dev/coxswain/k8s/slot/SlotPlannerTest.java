// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.slot.SlotChange.Assign;
import dev.coxswain.k8s.slot.SlotChange.Drain;
import dev.coxswain.k8s.slot.SlotChange.HandOver;
import dev.coxswain.k8s.slot.SlotChange.TakeOver;
import dev.coxswain.k8s.slot.SlotReplicas.Replica;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Quotas, minimal moves, calm and limits of the planner. Times are in seconds. */
class SlotPlannerTest {

  private static final SlotTimes TIMES = new SlotTimes(15, 5, 4, 1, 0);
  private static final MoveTimes MOVES = new MoveTimes(10, 60, 10, 30, 20);
  private static final SlotPlanner PLANNER = new SlotPlanner(TIMES, MOVES);

  private long now = 1000;
  private SlotMap map = SlotMap.initial(64, 7);
  private SlotObservation observed = SlotObservation.NONE;
  private final List<Replica> live = new ArrayList<>();
  private final List<String> lastHolders = new ArrayList<>();

  private SlotPlannerTest with(String... identities) {
    for (String identity : identities) {
      live.add(new Replica(identity, live.size(), 100, false, "1", ""));
    }
    return this;
  }

  private void replace(String identity, int weight, boolean leaving, String version) {
    live.replaceAll(r ->
        r.identity().equals(identity)
            ? new Replica(identity, r.ordinal(), weight, leaving, version, "")
            : r);
  }

  private void end(String identity) {
    live.removeIf(r -> r.identity().equals(identity));
    lastHolders.add(identity);
  }

  /** One look at the API server, and the plan after it. */
  private SlotPlan plan() {
    StoredSlotMap stored = new StoredSlotMap("u", 1, map, now);
    SlotReplicas list = new SlotReplicas(live, Set.copyOf(lastHolders), now, now);
    observed = observed.read(stored, now).listed(list, map.replicas(), TIMES, 4);
    return PLANNER.plan(stored, list, observed, now);
  }

  /** Plans, stores, and hands over what drains; returns the number of changes of owners. */
  private int settle() {
    int moves = 0;
    for (int round = 0; round < 100; round++) {
      SlotPlan plan = plan();
      map = map.with(plan.changes());
      moves += (int) plan.changes().stream().filter(c -> !(c instanceof Drain)).count();
      moves += handOver();
      now += 2;
    }
    return moves;
  }

  private int handOver() {
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

  private Map<String, Integer> counts() {
    Map<String, Integer> counts = new TreeMap<>();
    map.entries().forEach(entry -> counts.merge(entry.finalOwner(), 1, Integer::sum));
    return counts;
  }

  @Test
  void freeSlots_areAssignedAtOnce_byQuota() {
    with("a", "b", "c");
    SlotPlan plan = plan();
    assertThat(plan.changes()).hasSize(64).allMatch(Assign.class::isInstance);
    map = map.with(plan.changes());
    assertThat(counts()).isEqualTo(Map.of("a", 22, "b", 21, "c", 21));
    assertThat(plan().changes()).isEmpty();
  }

  @Test
  void withoutReplicas_nothingIsPlanned() {
    assertThat(plan().changes()).isEmpty();
    with("a");
    replace("a", 0, false, "1");
    assertThat(plan().changes()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "64, 100 100 100, 22 21 21",
    "64, 1 2 5, 8 16 40",
    "64, 0 1 1, 0 32 32",
    "64, 1 1 1 1 1, 13" + " 13 13 13 12",
    "2, 1 1 1, 1 1 0",
    "1, 1 9, 0 1",
    "4096, 2147483647 1, 4096 0",
  })
  void quotas_areByLargestRemainder(int slots, String weights, String expected) {
    List<Replica> replicas = new ArrayList<>();
    for (String weight : weights.split(" ", -1)) {
      int i = replicas.size();
      replicas.add(new Replica("r" + i, i, Integer.parseInt(weight), false, "1", ""));
    }
    assertThat(SlotPlanner.quotas(slots, replicas, Map.of()).values())
        .containsExactlyElementsOf(
            Arrays.stream(expected.split(" ", -1)).map(Integer::valueOf).toList());
  }

  @Test
  void theRemainder_staysWithTheReplicaThatHoldsMost() {
    List<Replica> replicas =
        List.of(
            new Replica("a", 0, 1, false, "1", ""),
            new Replica("b", 1, 1, false, "1", ""),
            new Replica("c", 2, 1, false, "1", ""));
    assertThat(SlotPlanner.quotas(64, replicas, Map.of("c", 22, "a", 21, "b", 21)))
        .isEqualTo(Map.of("a", 21, "b", 21, "c", 22));
  }

  @Test
  void anEndedOwner_losesAllSlotsInOneWrite() {
    with("a", "b", "c");
    settle();
    SlotMap before = map;
    end("b");
    SlotPlan plan = plan();
    assertThat(plan.changes()).hasSize(21).allMatch(TakeOver.class::isInstance);
    map = map.with(plan.changes());
    assertThat(counts()).isEqualTo(Map.of("a", 32, "c", 32));
    for (int slot = 0; slot < 64; slot++) {
      if (!before.entry(slot).isOwnedBy("b")) {
        assertThat(map.entry(slot)).isEqualTo(before.entry(slot));
      }
    }
  }

  @Test
  void aMissingLease_isAnEndOnlyAfterItsDuration() {
    with("a", "b");
    settle();
    live.removeLast();
    for (int i = 0; i < 15; i++) {
      SlotPlan plan = plan();
      assertThat(plan.changes()).as("after %s s", i).isEmpty();
      assertThat(plan.after()).hasValue(15 - i);
      now++;
    }
    assertThat(plan().changes()).hasSize(32).allMatch(TakeOver.class::isInstance);
  }

  @Test
  void aGapBetweenLists_startsTheWaitForAMissingLeaseAgain() {
    with("a", "b");
    settle();
    live.removeLast();
    plan();
    now += 15;
    assertThat(plan().changes()).isEmpty();
    for (int i = 0; i < 14; i++) {
      now++;
      assertThat(plan().changes()).isEmpty();
    }
    now++;
    assertThat(plan().changes()).hasSize(32);
  }

  @Test
  void aDrainingSlotOfAnEndedOwner_goesToItsTarget() {
    with("a", "b");
    settle();
    with("c");
    now += 2;
    plan();
    while (map.entries().stream().noneMatch(SlotEntry::isDraining)) {
      now += 2;
      map = map.with(plan().changes());
    }
    SlotMap draining = map;
    end("a");
    map = map.with(plan().changes());
    for (int slot = 0; slot < 64; slot++) {
      SlotEntry before = draining.entry(slot);
      if (before.isDraining() && before.isOwnedBy("a")) {
        assertThat(map.entry(slot).owner()).isEqualTo("c");
      }
    }
  }

  @Test
  void balance_waitsUntilTheReplicasAreCalm() {
    with("a", "b");
    settle();
    with("c");
    for (int second = 0; second < 10; second++) {
      SlotPlan plan = plan();
      assertThat(plan.changes()).as("after %s s", second).isEmpty();
      assertThat(plan.after()).hasValue(10 - second);
      now++;
    }
    assertThat(plan().changes()).isNotEmpty().allMatch(Drain.class::isInstance);
  }

  @Test
  void balance_waitsLongerDuringARollOut() {
    with("a", "b");
    settle();
    with("c");
    replace("c", 100, false, "2");
    for (int second = 0; second < 60; second++) {
      assertThat(plan().changes()).as("after %s s", second).isEmpty();
      now++;
    }
    assertThat(plan().changes()).isNotEmpty();
  }

  @Test
  void moreThanTwiceTheQuota_movesAtOnce() {
    with("a");
    settle();
    with("b");
    assertThat(plan().changes()).as("exactly twice").isEmpty();
    with("c");
    assertThat(plan().changes()).as("three times").hasSize(4);
  }

  @Test
  void moves_areLimitedPerSourceAndInAll() {
    with("a", "b", "c", "d");
    settle();
    with("e", "f", "g", "h");
    plan();
    for (int second = 0; second < 10; second++) {
      now++;
      map = map.with(plan().changes());
    }
    assertThat(map.entries().stream().filter(SlotEntry::isDraining)).hasSize(8);
    for (String source : List.of("a", "b", "c", "d")) {
      assertThat(map.entries().stream().filter(e -> e.isDraining() && e.isOwnedBy(source)))
          .hasSizeLessThanOrEqualTo(4);
    }
    assertThat(plan().changes()).isEmpty();
    handOver();
    assertThat(plan().changes()).hasSize(8);
  }

  @Test
  void aLeavingReplica_handsAllOverAtOnce() {
    with("a", "b");
    settle();
    replace("a", 100, true, "1");
    SlotPlan plan = plan();
    assertThat(plan.changes()).hasSize(32).allMatch(Drain.class::isInstance);
    map = map.with(plan.changes());
    assertThat(counts()).isEqualTo(Map.of("b", 64));
    assertThat(plan().changes()).isEmpty();
  }

  @Test
  void twoJoinsAndACrash_moveTheMinimum() {
    with("a", "b", "c");
    settle();
    with("d", "e");
    end("c");
    int moves = settle();
    // c's 21, and what d and e lack after that.
    assertThat(counts()).isEqualTo(Map.of("a", 16, "b", 16, "d", 16, "e", 16));
    assertThat(moves).isEqualTo(32);
  }

  /** The number of changes of owners is the sum of the surpluses. */
  @Test
  void moves_areMinimal_forRandomChanges() {
    Random random = new Random(7);
    with("a", "b", "c");
    settle();
    for (int round = 0; round < 60; round++) {
      Map<String, Integer> before = counts();
      if (live.size() > 2 && random.nextBoolean()) {
        replace(live.get(random.nextInt(live.size())).identity(), 0, true, "1");
      } else {
        live.add(new Replica("n" + round, 100 + round, 1 + random.nextInt(200), false, "1", ""));
      }
      int moves = settle();
      Map<String, Integer> after = counts();
      int surplus = 0;
      for (Map.Entry<String, Integer> entry : before.entrySet()) {
        surplus += Math.max(0, entry.getValue() - after.getOrDefault(entry.getKey(), 0));
      }
      assertThat(moves).as("round %s: %s -> %s", round, before, after).isEqualTo(surplus);
      live.removeIf(Replica::leaving);
    }
  }

  /** Schedule 20: weights that flap and a replica that ends again and again. */
  @Test
  void flapping_movesABoundedNumberOfSlots() {
    with("a", "b");
    settle();
    int moves = 0;
    for (int second = 0; second < 600; second++) {
      replace("a", 99 + second % 2, false, "1");
      if (second % 12 == 0) {
        live.removeIf(r -> r.identity().startsWith("n"));
        lastHolders.add("n" + (second - 12));
        live.add(new Replica("n" + second, 2, 100, false, "1", ""));
      }
      SlotPlan plan = plan();
      map = map.with(plan.changes());
      moves += plan.changes().size();
      handOver();
      now++;
    }
    assertThat(moves).isLessThan(10 * 25);
  }

  @Test
  void theSurplus_leavesInAnOrderOfItsOwn_soPlannersAgree() {
    with("a", "b");
    settle();
    replace("b", 100, true, "1");
    List<SlotChange> first = plan().changes();
    assertThat(plan().changes()).isEqualTo(first);
  }

  @Test
  void freeSlotsOfAnotherMap_waitForTheFollowersOfTheOld() {
    with("a", "b");
    settle();
    map = SlotMap.initial(64, 5000);
    live.set(1, new Replica("b", 1, 100, false, "1", "u"));
    for (int second = 0; second < 40; second++) {
      SlotPlan plan = another();
      assertThat(plan.changes()).isEmpty();
      now++;
    }
    live.set(1, new Replica("b", 1, 100, false, "1", "u2"));
    assertThat(another().changes()).hasSize(64);
  }

  @Test
  void freeSlotsOfAnotherMap_waitForALeaseDuration() {
    with("a", "b");
    settle();
    map = SlotMap.initial(64, 5000);
    for (int second = 0; second < 15; second++) {
      SlotPlan plan = another();
      assertThat(plan.changes()).as("after %s s", second).isEmpty();
      assertThat(plan.after()).hasValue(15 - second);
      now++;
    }
    assertThat(another().changes()).hasSize(64);
  }

  private SlotPlan another() {
    StoredSlotMap stored = new StoredSlotMap("u2", 1, map, now);
    SlotReplicas list = new SlotReplicas(live, Set.copyOf(lastHolders), now, now);
    observed = observed.read(stored, now).listed(list, map.replicas(), TIMES, 4);
    return PLANNER.plan(stored, list, observed, now);
  }

  @Test
  void aListThatWasRequestedBeforeTheMap_assignsNothing() {
    with("a");
    StoredSlotMap stored = new StoredSlotMap("u", 1, map, now);
    SlotReplicas list = new SlotReplicas(live, Set.of(), now - 1, now);
    observed = observed.read(stored, now).listed(list, Set.of(), TIMES, 4);
    assertThat(PLANNER.plan(stored, list, observed, now).changes()).isEmpty();
  }

  @Test
  void theRank_isTheOrderOfOrdinals() {
    with("a", "b", "c");
    SlotReplicas list = new SlotReplicas(live.reversed(), Set.of(), 0, 0);
    assertThat(list.rank("a")).isZero();
    assertThat(list.rank("c")).isEqualTo(2);
    assertThat(list.rank("x")).isEqualTo(3);
  }
}
