// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.SlotAction.Close;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The owner of a slot goes on with it while the target reports that it loads, within a bound. */
class LongLoadTest {

  private static final SlotTimes TIMES = new SlotTimes(15, 5, 4, 1, 0);
  private static final MoveTimes MOVES = new MoveTimes(10, 60, 10, 100, 30, 60);

  private ReplicaSlots slots = ReplicaSlots.NONE;
  private SlotMap map =
      SlotMap.initial(SlotDivision.KEY, 1, 7).with(List.of(new SlotChange.Assign(0, "x")));
  private Set<Integer> loading = Set.of();
  private Set<Integer> warm = Set.of();
  private boolean leaving;
  private long now;

  private List<SlotAction> step() {
    SlotContext context =
        new SlotContext(
            new SlotContext.Lease("x", true, Long.MAX_VALUE / 2, "u", 0),
            Optional.of(new StoredSlotMap("u", 1, map, now)),
            "",
            SlotActivity.NONE,
            Set.of(),
            warm,
            loading,
            leaving,
            0);
    ReplicaSlots.Step step = slots.step(context, TIMES, MOVES, now);
    slots = step.next();
    return step.actions();
  }

  @BeforeEach
  void drain() {
    step();
    map = map.with(List.of(new SlotChange.Drain(0, "x", "y")));
    step();
  }

  @Test
  void aTargetThatReportsNothing_getsTheShortTime() {
    now = 9;
    assertThat(step()).isEmpty();
    now = 10;
    assertThat(step()).contains(new Close(0));
  }

  @Test
  void aTargetThatReportsALoad_getsTimeUntilItIsDone_orUntilTheBound() {
    now = 9;
    loading = Set.of(0);
    assertThat(step()).isEmpty();
    now = 99;
    assertThat(step()).isEmpty();
    now = 100;
    assertThat(step()).as("at the bound").contains(new Close(0));
  }

  @Test
  void aLoadThatIsDone_endsTheWait() {
    loading = Set.of(0);
    now = 50;
    assertThat(step()).isEmpty();
    loading = Set.of();
    warm = Set.of(0);
    assertThat(step()).contains(new Close(0));
  }

  @Test
  void aReplicaThatLeaves_waitsForAThirdOfItsTime() {
    loading = Set.of(0);
    leaving = true;
    now = 19;
    assertThat(step()).isEmpty();
    now = 20;
    assertThat(step()).contains(new Close(0));
  }
}
