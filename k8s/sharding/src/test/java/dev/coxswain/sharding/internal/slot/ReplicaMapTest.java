// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.SlotAction.Close;
import dev.coxswain.sharding.internal.slot.SlotAction.Open;
import dev.coxswain.sharding.internal.slot.SlotAction.Revoke;
import dev.coxswain.sharding.internal.slot.SlotChange.Drain;
import dev.coxswain.sharding.internal.slot.SlotChange.HandOver;
import org.junit.jupiter.api.Test;

/** Which slot map a replica follows, and what it closes. */
class ReplicaMapTest extends ReplicaSlotsFixture {

  @Test
  void theMap_isAnnounced_andReadAgain_beforeASlotIsOpened() {
    assertThat(step()).containsExactly(new SlotAction.Announce("u"));
    assertThat(slots.announced()).isEqualTo("u");
    announced = "u";
    announcedAt = now + 1;
    assertThat(step()).containsExactly(new SlotAction.ReadMap());
    assertThat(mayStart()).isFalse();
    now++;
    assertThat(step()).containsExactly(new Open(0, 8));
    assertThat(mayStart()).isTrue();
    assertThat(step()).isEmpty();
  }

  @Test
  void aDeletedMap_changesNothing() {
    open();
    mapMissing = true;
    assertThat(step()).isEmpty();
    assertThat(mayStart()).isTrue();
  }

  @Test
  void anotherMap_isFollowedWhenAllOfTheOldHasEnded() {
    open();
    attempts = 1;
    uid = "u2";
    map = SlotMap.initial(SlotDivision.KEY, 2, 5000);
    assertThat(step()).containsExactly(new Close(0));
    assertThat(step()).isEmpty();
    assertThat(slots.announced()).isEqualTo("u");
    attempts = 0;
    unanswered = 1;
    lastUnanswered = now;
    assertThat(step()).isEmpty();
    now += 4;
    assertThat(step()).containsExactly(new Revoke(0), new SlotAction.Announce("u2"));
    assertThat(slots.announced()).isEqualTo("u2");
  }

  @Test
  void anUnusableMap_closesAll_untilItCanBeUsedAgain() {
    open();
    problem = "function x/2 is not supported";
    assertThat(step()).containsExactly(new Revoke(0));
    assertThat(slots.problem()).contains("x/2");
    problem = "";
    assertThat(step()).containsExactly(new Open(0, 8));
  }

  @Test
  void aMapThatReplacesAnUnusableOne_waitsForWritesUnderWay() {
    open();
    problem = "unusable";
    step();
    problem = "";
    uid = "u2";
    unanswered = 1;
    lastUnanswered = now;
    assertThat(step()).isEmpty();
    now += 4;
    assertThat(step()).containsExactly(new SlotAction.Announce("u2"));
  }

  @Test
  void anOlderCopy_closesAll_untilTheMapIsNewer() {
    open();
    SlotMap older = map;
    change(new Drain(1, "y", "x"));
    change(new HandOver(1, "y", 8, "x"));
    SlotMap newer = map;
    step();
    map = older;
    version++;
    assertThat(step()).containsExactly(new Revoke(0), new Revoke(1));
    assertThat(slots.problem()).contains("older");
    map = newer;
    version++;
    assertThat(step()).containsExactly(new Open(0, 8), new Open(1, 9));
  }

  @Test
  void aLateVersion_isIgnored() {
    open();
    SlotMap before = map;
    change(new Drain(1, "y", "x"));
    step();
    map = before;
    version--;
    assertThat(step()).isEmpty();
    assertThat(slots.problem()).isEmpty();
  }

  @Test
  void doubling_keepsSlotsOpen() {
    open();
    map = map.doubled();
    version++;
    assertThat(step()).containsExactly(new SlotAction.Split(2));
    assertThat(slots.held().keySet()).containsExactlyInAnyOrder(0, 1);
    assertThat(step()).isEmpty();
    assertThat(slots.mayStart(1, lease(), TIMES, now)).isTrue();
  }
}
