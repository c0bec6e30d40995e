// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.SlotChange.TakeOver;
import dev.coxswain.sharding.internal.slot.SlotReplicas.Replica;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A replica that has not renewed its Lease for a while keeps its slots and gets no other ones. */
class SilentReplicaTest {

  private static final SlotTimes TIMES = new SlotTimes(15, 5, 4, 1, 0);
  private static final MoveTimes MOVES = new MoveTimes(10, 60, 10, 10, 30, 20);

  private SlotMap map = SlotMap.initial(SlotDivision.KEY, 64, 7);
  private SlotObservation observed = SlotObservation.NONE;

  private List<SlotChange> plan(long now, Set<String> last, List<Replica> live) {
    StoredSlotMap stored = new StoredSlotMap("u", 1, map, now);
    SlotReplicas list = new SlotReplicas(live, last, now, now);
    observed = observed.read(stored, now).listed(list, map.replicas(), TIMES, 4);
    return new SlotPlanner(TIMES, MOVES).plan(stored, list, observed, now).changes();
  }

  private static List<Replica> replicas(Set<Integer> present, Set<Integer> silent) {
    return IntStream.range(0, 6)
        .filter(present::contains)
        .mapToObj(i -> new Replica("r" + i, i, 100, false, "1", "", silent.contains(i)))
        .toList();
  }

  private static Set<String> takers(List<SlotChange> changes) {
    return changes.stream()
        .map(TakeOver.class::cast)
        .map(TakeOver::to)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void whenTwoReplicasEndTogether_theSlotsOfTheFirst_doNotGoToTheSecond() {
    map = map.with(plan(1_000, Set.of(), replicas(Set.of(0, 1, 2, 3, 4, 5), Set.of())));

    List<SlotChange> first = plan(1_014, Set.of("r5"), replicas(Set.of(0, 1, 2, 3, 4), Set.of(4)));
    assertThat(first).hasSizeBetween(10, 11);
    assertThat(takers(first)).containsExactly("r0", "r1", "r2", "r3");
    map = map.with(first);
    List<SlotChange> second =
        plan(1_015, Set.of("r4", "r5"), replicas(Set.of(0, 1, 2, 3), Set.of()));

    assertThat(second).as("only the slots of the second move").hasSizeBetween(10, 11);
    map = map.with(second);
    for (long now = 1_017; now < 1_040; now += 2) {
      assertThat(plan(now, Set.of(), replicas(Set.of(0, 1, 2, 3), Set.of()))).isEmpty();
    }
  }

  @Test
  void aSilentReplica_isNotDrained_andIsAlsoNoTargetOfABalance() {
    map = map.with(plan(1_000, Set.of(), replicas(Set.of(0, 1), Set.of())));
    for (long now = 1_001; now < 1_020; now++) {
      assertThat(plan(now, Set.of(), replicas(Set.of(0, 1), Set.of(1)))).isEmpty();
    }
    for (long now = 1_020; now < 1_040; now++) { // a third one joins and becomes silent at once
      assertThat(plan(now, Set.of(), replicas(Set.of(0, 1, 2), Set.of(2)))).isEmpty();
    }
    assertThat(plan(1_041, Set.of(), replicas(Set.of(0, 1, 2), Set.of()))).isNotEmpty();
  }

  @Test
  void whenAllAreSilent_slotsAreGivenAwayAllTheSame() {
    map = map.with(plan(1_000, Set.of(), replicas(Set.of(0, 1, 2), Set.of())));
    assertThat(plan(1_001, Set.of("r2"), replicas(Set.of(0, 1), Set.of(0, 1))))
        .hasSizeBetween(21, 22);
  }
}
