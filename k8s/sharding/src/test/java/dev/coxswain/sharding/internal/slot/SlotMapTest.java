// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.sharding.internal.slot.SlotChange.Assign;
import dev.coxswain.sharding.internal.slot.SlotChange.Drain;
import dev.coxswain.sharding.internal.slot.SlotChange.HandOver;
import dev.coxswain.sharding.internal.slot.SlotChange.Keep;
import dev.coxswain.sharding.internal.slot.SlotChange.TakeOver;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The changes of the slot map, each with its precondition. */
class SlotMapTest {

  private static final SlotEntry FREE = SlotEntry.free(7);
  private static final SlotEntry OWNED = SlotEntry.owned("x", 8);
  private static final SlotEntry DRAINING = new SlotEntry("x", 8, "y");

  @Test
  void aNewMap_isFreeFromItsBase() {
    SlotMap map = SlotMap.initial(SlotDivision.KEY, 4, 7);
    assertThat(map.entries()).containsExactly(FREE, FREE, FREE, FREE);
    assertThat(map.replicas()).isEmpty();
  }

  @Test
  void eachChangeOfTheOwner_incrementsTheEpoch() {
    assertThat(new Assign(0, "x").apply(FREE)).isEqualTo(OWNED);
    assertThat(new Drain(0, "x", "y").apply(OWNED)).isEqualTo(DRAINING);
    assertThat(new HandOver(0, "x", 8, "y").apply(DRAINING)).isEqualTo(SlotEntry.owned("y", 9));
    assertThat(new Keep(0, "x", 8).apply(DRAINING)).isEqualTo(OWNED);
    assertThat(new TakeOver(0, "x", "z").apply(OWNED)).isEqualTo(SlotEntry.owned("z", 9));
    assertThat(new TakeOver(0, "x", "z").apply(DRAINING)).isEqualTo(SlotEntry.owned("z", 9));
    assertThat(new TakeOver(0, "x", "y").apply(DRAINING)).isEqualTo(SlotEntry.owned("y", 9));
  }

  @Test
  void aChange_appliesOnlyToItsState() {
    refused(new Assign(0, "y"), OWNED, DRAINING);
    refused(new Drain(0, "x", "y"), FREE, DRAINING, SlotEntry.owned("z", 8));
    refused(new Drain(0, "x", "x"), OWNED);
    refused(new HandOver(0, "x", 8, "y"), FREE, OWNED, new SlotEntry("z", 8, "y"));
    refused(new HandOver(0, "x", 8, "y"), new SlotEntry("x", 8, "z"), new SlotEntry("x", 9, "y"));
    refused(new Keep(0, "x", 8), FREE, OWNED, new SlotEntry("z", 8, "y"));
    refused(new Keep(0, "x", 8), new SlotEntry("x", 9, "y"));
    refused(new TakeOver(0, "x", "z"), FREE, SlotEntry.owned("y", 8), SlotEntry.owned("z", 8));
    refused(new TakeOver(0, "x", "x"), OWNED);
  }

  private static void refused(SlotChange change, SlotEntry... entries) {
    for (SlotEntry entry : entries) {
      assertThatThrownBy(() -> change.apply(entry))
          .as("%s on %s", change, entry)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("does not apply");
    }
  }

  @Test
  void changes_areAppliedInOrder() {
    SlotMap map =
        SlotMap.initial(SlotDivision.KEY, 2, 7)
            .with(List.of(new Assign(1, "x"), new Drain(1, "x", "y"), new Assign(0, "z")));
    assertThat(map.entries()).containsExactly(SlotEntry.owned("z", 8), DRAINING);
    assertThat(map.replicas()).containsExactly("x", "y", "z");
  }

  @Test
  void doubling_keepsOwnersAndEpochs() {
    SlotMap map =
        SlotMap.initial(SlotDivision.KEY, 2, 7).with(List.of(new Assign(1, "x"))).doubled();
    assertThat(map.entries()).containsExactly(FREE, FREE, OWNED, OWNED);
    SlotMap draining = map.with(List.of(new Drain(3, "x", "y")));
    assertThatThrownBy(draining::doubled).hasMessageContaining("draining");
    assertThatThrownBy(SlotMap.initial(SlotDivision.KEY, 4096, 1)::doubled)
        .hasMessageContaining("maximum");
  }

  @Test
  void anOlderCopy_isFoundByEpochsAndOwners() {
    SlotMap before = SlotMap.initial(SlotDivision.KEY, 2, 7).with(List.of(new Assign(1, "x")));
    SlotMap later = before.with(List.of(new Drain(1, "x", "y")));
    SlotMap handed = later.with(List.of(new HandOver(1, "x", 8, "y")));
    assertThat(later.regressionFrom(before)).isEmpty();
    assertThat(before.regressionFrom(later)).as("a cancelled move").isEmpty();
    assertThat(handed.regressionFrom(before)).isEmpty();
    assertThat(handed.doubled().regressionFrom(before)).isEmpty();
    assertThat(later.regressionFrom(handed))
        .hasValueSatisfying(why -> assertThat(why).contains("slot 1 went from 9 to 8"));
    SlotMap other = SlotMap.initial(SlotDivision.KEY, 2, 7).with(List.of(new Assign(1, "z")));
    assertThat(other.regressionFrom(before))
        .hasValueSatisfying(why -> assertThat(why).contains("owner of slot 1"));
    assertThat(before.regressionFrom(before.doubled()))
        .hasValueSatisfying(why -> assertThat(why).contains("2 slots and had 4"));
  }

  @Test
  void epochs_areNotBelowTheBase() {
    assertThatThrownBy(() -> new SlotMap(SlotDivision.KEY, 9, List.of(OWNED)))
        .hasMessageContaining("base");
    assertThatThrownBy(() -> new SlotMap(SlotDivision.KEY, 1, List.of(OWNED, OWNED, OWNED)))
        .hasMessageContaining("power of two");
  }

  @Test
  void aTarget_isAnotherReplica() {
    assertThatThrownBy(() -> new SlotEntry("x", 1, "x")).hasMessageContaining("another replica");
    assertThatThrownBy(() -> new SlotEntry("", 1, "x")).hasMessageContaining("owner");
    assertThatThrownBy(() -> SlotEntry.free(-1)).hasMessageContaining("negative");
  }
}
