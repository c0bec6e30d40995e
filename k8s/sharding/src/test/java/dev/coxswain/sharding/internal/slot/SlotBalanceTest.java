// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.SlotChange.Drain;
import dev.coxswain.sharding.internal.slot.SlotReplicas.Replica;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Moves of slots that have a live owner. */
class SlotBalanceTest extends SlotPlannerFixture {

  @Test
  void balance_waitsUntilTheReplicasAreCalm() {
    with("a", "b");
    settle();
    with("c");
    for (int second = 0; second < 10; second++) {
      SlotPlanner.Plan plan = plan();
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
    SlotPlanner.Plan plan = plan();
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
      SlotPlanner.Plan plan = plan();
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
}
