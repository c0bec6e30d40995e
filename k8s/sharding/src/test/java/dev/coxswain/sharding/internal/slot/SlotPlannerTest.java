// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.SlotChange.Assign;
import dev.coxswain.sharding.internal.slot.SlotChange.TakeOver;
import dev.coxswain.sharding.internal.slot.SlotReplicas.Replica;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Slots without an owner are given away. */
class SlotPlannerTest extends SlotPlannerFixture {

  @Test
  void freeSlots_areAssignedAtOnce_byQuota() {
    with("a", "b", "c");
    SlotPlanner.Plan plan = plan();
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
    SlotPlanner.Plan plan = plan();
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
      SlotPlanner.Plan plan = plan();
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
  void freeSlotsOfAnotherMap_waitForTheFollowersOfTheOld() {
    with("a", "b");
    settle();
    map = SlotMap.initial(SlotDivision.KEY, 64, 5000);
    live.set(1, new Replica("b", 1, 100, false, "1", "u"));
    for (int second = 0; second < 40; second++) {
      SlotPlanner.Plan plan = another();
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
    map = SlotMap.initial(SlotDivision.KEY, 64, 5000);
    for (int second = 0; second < 15; second++) {
      SlotPlanner.Plan plan = another();
      assertThat(plan.changes()).as("after %s s", second).isEmpty();
      assertThat(plan.after()).hasValue(15 - second);
      now++;
    }
    assertThat(another().changes()).hasSize(64);
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

  private SlotPlanner.Plan another() {
    StoredSlotMap stored = new StoredSlotMap("u2", 1, map, now);
    SlotReplicas list = new SlotReplicas(live, Set.copyOf(lastHolders), now, now);
    observed = observed.read(stored, now).listed(list, map.replicas(), TIMES, 4);
    return PLANNER.plan(stored, list, observed, now);
  }
}
