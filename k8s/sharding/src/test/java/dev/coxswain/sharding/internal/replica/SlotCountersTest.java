// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.ReplicaPhase;
import dev.coxswain.sharding.internal.slot.ReplicaSlots;
import dev.coxswain.sharding.internal.slot.SlotChange.Assign;
import dev.coxswain.sharding.internal.slot.SlotChange.TakeOver;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import dev.coxswain.sharding.internal.view.SlotStatistics.Move;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SlotCountersTest {

  private static final SlotMap FREE = SlotMap.initial(SlotDivision.KEY, 1, 7);

  private final SlotCounters counters = new SlotCounters();

  /** A replica that has read a map and has opened nothing. */
  private static ReplicaSlots read(SlotMap map) {
    return new ReplicaSlots(
        "x",
        ReplicaPhase.HOLDING,
        0,
        new ReplicaSlots.Followed("u", false, Optional.of(new StoredSlotMap("u", 1, map, 0))),
        Map.of(),
        "",
        false);
  }

  private Map<Move, Long> opened(SlotMap... maps) {
    SlotMap last = maps[maps.length - 1];
    for (SlotMap map : maps) {
      counters.statistics(map, null, read(map), 0);
    }
    counters.opened(0, last.entry(0).epoch(), read(last));
    return counters.statistics(last, null, read(last), 0).moves();
  }

  @Test
  void freeSlot_thatIsOpenedSomeTimeAfterItsMapWasRead_isAssigned() {
    assertThat(opened(FREE, FREE.with(List.of(new Assign(0, "x")))))
        .containsExactly(Map.entry(Move.ASSIGNED, 1L));
  }

  @Test
  void slotOfAnother_thatIsOpenedSomeTimeAfterItsMapWasRead_isTakenOver() {
    SlotMap other = FREE.with(List.of(new Assign(0, "y")));
    assertThat(opened(other, other.with(List.of(new TakeOver(0, "y", "x")))))
        .containsExactly(Map.entry(Move.TAKEN_OVER, 1L));
  }
}
