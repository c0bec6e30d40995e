// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.SlotAction.Close;
import dev.coxswain.sharding.internal.slot.SlotAction.Open;
import dev.coxswain.sharding.internal.slot.SlotAction.Prepare;
import dev.coxswain.sharding.internal.slot.SlotAction.Revoke;
import dev.coxswain.sharding.internal.slot.SlotAction.Store;
import dev.coxswain.sharding.internal.slot.SlotChange.Drain;
import dev.coxswain.sharding.internal.slot.SlotChange.HandOver;
import dev.coxswain.sharding.internal.slot.SlotChange.TakeOver;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Replicas that may not act for a while, lose their Lease, or leave. */
class ReplicaPhaseTest extends ReplicaSlotsFixture {

  @Test
  void aPassedDeadline_suspends_andARenewalReopens() {
    open();
    now = 999;
    assertThat(mayStart()).as("within the margin").isFalse();
    assertThat(mayWrite()).isTrue();
    now = 1000;
    assertThat(step()).isEmpty();
    assertThat(slots.phase()).isEqualTo(ReplicaPhase.SUSPENDED);
    assertThat(mayWrite()).isFalse();
    now = 1005;
    assertThat(step()).containsExactly(new SlotAction.CancelAttempts());
    assertThat(step()).isEmpty();
    deadline = 2000;
    assertThat(step()).isEmpty();
    assertThat(slots.phase()).isEqualTo(ReplicaPhase.HOLDING);
    assertThat(mayStart()).isTrue();
  }

  @Test
  void aSuspendedReplica_storesNothing() {
    open();
    change(new Drain(0, "x", "y"));
    step();
    now = 1000;
    assertThat(step()).containsExactly(new Close(0));
    assertThat(step()).isEmpty();
  }

  @Test
  void aLostLease_endsTheIdentity() {
    open();
    held = false;
    assertThat(step()).containsExactly(new Revoke(0), new SlotAction.Rejoin());
    assertThat(slots.phase()).isEqualTo(ReplicaPhase.LOST);
    held = true;
    assertThat(step()).as("the same identity again").containsExactly(new SlotAction.Rejoin());
    identity = "x2";
    announced = "";
    assertThat(step()).containsExactly(new SlotAction.Announce("u"));
    assertThat(mayWrite()).isFalse();
    announced = "u";
    assertThat(step()).as("the slots of the earlier identity").isEmpty();
    change(new TakeOver(0, "x", "x2"));
    assertThat(step()).containsExactly(new Open(0, 9));
    assertThat(mayWrite()).as("an attempt of the earlier identity").isFalse();
  }

  @Test
  void anotherIdentity_revokesAll() {
    open();
    identity = "x2";
    held = false;
    assertThat(step()).containsExactly(new Revoke(0));
    assertThat(slots.phase()).isEqualTo(ReplicaPhase.JOINING);
  }

  @Test
  void leaving_handsOver_andReleasesTheLease() {
    open();
    leaving = true;
    assertThat(step()).isEmpty();
    assertThat(mayStart()).as("until it drains").isTrue();
    change(new Drain(0, "x", "y"));
    assertThat(step()).containsExactly(new Prepare(0, "y"));
    assertThat(mayStart()).as("until the target is ready").isTrue();
    warm = Set.of(0);
    assertThat(step()).containsExactly(new Close(0));
    HandOver handOver = new HandOver(0, "x", 8, "y");
    assertThat(step()).containsExactly(new Store(stored(), handOver));
    change(handOver);
    assertThat(step()).containsExactly(new Revoke(0));
    assertThat(step()).containsExactly(new SlotAction.ReleaseLease());
    assertThat(slots.phase()).isEqualTo(ReplicaPhase.ENDED);
    assertThat(step()).isEmpty();
  }

  @Test
  void leaving_waitsForATarget_forAThirdOfItsTime() {
    open();
    leaving = true;
    step();
    change(new Drain(0, "x", "y"));
    assertThat(step()).containsExactly(new Prepare(0, "y"));
    now += 5;
    assertThat(step()).isEmpty();
    now += 1;
    assertThat(step()).containsExactly(new Close(0));
  }

  @Test
  void leaving_atItsLimit_waitsForWritesUnderWay() {
    open();
    leaving = true;
    attempts = 1;
    step();
    now += 20;
    unanswered = 1;
    lastUnanswered = now;
    assertThat(step()).containsExactly(new Revoke(0));
    assertThat(step()).isEmpty();
    now += 4;
    assertThat(step()).containsExactly(new SlotAction.ReleaseLease());
  }

  @Test
  void leaving_atItsLimit_releasesTheLease_alsoWhenAnAttemptOfAMovingSlotDoesNotEnd() {
    open();
    leaving = true;
    attempts = 1;
    change(new Drain(0, "x", "y"));
    step();
    now += MOVES.leave();
    assertThat(step()).contains(new Revoke(0));
    assertThat(step()).containsExactly(new SlotAction.ReleaseLease());
    assertThat(slots.phase()).isEqualTo(ReplicaPhase.ENDED);
  }
}
