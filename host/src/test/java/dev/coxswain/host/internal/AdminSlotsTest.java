// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.coxswain.admin.spi.SlotDirectory;
import dev.coxswain.admin.spi.SlotDirectory.SlotState;
import dev.coxswain.host.internal.AdminSlots.Converted;
import dev.coxswain.sharding.internal.slot.ReplicaSlots;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import dev.coxswain.sharding.internal.view.SlotStatistics;
import dev.coxswain.sharding.internal.view.SlotView;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class AdminSlotsTest {

  private static final SlotMap FREE = SlotMap.initial(SlotDivision.KEY, 16, 1);
  private static final SlotMap OWNED =
      new SlotMap(SlotDivision.KEY, 1, Collections.nCopies(16, new SlotEntry("pod-0/1", 2, "")));

  private static SlotView view(String uid, long version, SlotMap map, SlotView.Share... shares) {
    return new SlotView(
        ReplicaSlots.NONE,
        null,
        Optional.of(new StoredSlotMap(uid, version, map, version)),
        List.of(shares),
        SlotStatistics.NONE,
        "",
        "");
  }

  private static SlotDirectory.View then(Converted before, SlotView next) {
    return AdminSlots.convert(next, before).view();
  }

  private static SlotState first(SlotDirectory.View view) {
    return view.slots().getFirst().state();
  }

  @Test
  void slots_areKeptWithTheirMap_andNothingElseIs() {
    Converted before = AdminSlots.convert(view("a", 7, FREE), null);
    SlotDirectory.View same =
        then(before, view("a", 7, FREE, new SlotView.Share("pod-0/1", 3, true, false)));
    assertSame(before.view().slots(), same.slots());
    assertSame(before.view().own(), same.own());
    assertEquals(List.of(3), same.replicas().stream().map(SlotDirectory.Share::weight).toList());
  }

  @Test
  void anotherVersion_anotherMap_andNone_areShown() {
    Converted before = AdminSlots.convert(view("a", 7, FREE), null);
    assertEquals(SlotState.FREE, first(before.view()));
    assertEquals(SlotState.OWNED, first(then(before, view("a", 8, OWNED))));
    assertEquals(SlotState.OWNED, first(then(before, view("b", 7, OWNED))));
    assertEquals(List.of(), then(before, SlotView.NONE).slots());
  }
}
