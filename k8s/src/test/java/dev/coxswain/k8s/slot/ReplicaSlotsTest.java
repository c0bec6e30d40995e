// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.slot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.slot.ReplicaSlots.Stage;
import dev.coxswain.k8s.slot.SlotAction.Close;
import dev.coxswain.k8s.slot.SlotAction.Incoming;
import dev.coxswain.k8s.slot.SlotAction.Open;
import dev.coxswain.k8s.slot.SlotAction.Prepare;
import dev.coxswain.k8s.slot.SlotAction.Revoke;
import dev.coxswain.k8s.slot.SlotAction.Store;
import dev.coxswain.k8s.slot.SlotChange.Assign;
import dev.coxswain.k8s.slot.SlotChange.Drain;
import dev.coxswain.k8s.slot.SlotChange.HandOver;
import dev.coxswain.k8s.slot.SlotChange.Keep;
import dev.coxswain.k8s.slot.SlotChange.TakeOver;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The steps of one replica, {@code x}. Times are in seconds. */
class ReplicaSlotsTest {

  private static final SlotTimes TIMES = new SlotTimes(15, 5, 4, 1, 0);
  private static final MoveTimes MOVES = new MoveTimes(10, 60, 10, 30, 20);

  private long now = 100;
  private long version = 1;
  private String uid = "u";
  private SlotMap map = SlotMap.initial(2, 7).with(List.of(new Assign(0, "x"), new Assign(1, "y")));
  private boolean mapMissing;
  private String problem = "";
  private String identity = "x";
  private boolean held = true;
  private long deadline = 1000;
  private String announced = "";
  private long announcedAt;
  private int attempts;
  private int unanswered;
  private long lastUnanswered;
  private Set<String> unavailable = Set.of();
  private Set<Integer> warm = Set.of();
  private boolean leaving;
  private ReplicaSlots slots = ReplicaSlots.NONE;

  private final SlotActivity activity =
      new SlotActivity() {
        @Override
        public int attempts(int slot) {
          return slot == 0 ? attempts : 0;
        }

        @Override
        public int unanswered(int slot) {
          return slot == 0 ? unanswered : 0;
        }

        @Override
        public long lastUnanswered(int slot) {
          return lastUnanswered;
        }
      };

  private StoredSlotMap stored() {
    return new StoredSlotMap(uid, version, map, now);
  }

  private SlotContext.Lease lease() {
    return new SlotContext.Lease(identity, held, deadline, announced, announcedAt);
  }

  private List<SlotAction> step() {
    ReplicaSlots.Step step =
        slots.step(
            new SlotContext(
                lease(),
                mapMissing ? Optional.empty() : Optional.of(stored()),
                problem,
                activity,
                unavailable,
                warm,
                leaving),
            TIMES,
            MOVES,
            now);
    slots = step.next();
    return step.actions();
  }

  private void change(SlotChange change) {
    map = map.with(List.of(change));
    version++;
  }

  private void open() {
    announced = "u";
    announcedAt = now;
    assertThat(step()).containsExactly(new Open(0, 8));
  }

  private boolean mayStart() {
    return slots.mayStart(0, lease(), TIMES, now);
  }

  private boolean mayWrite() {
    return slots.mayWrite("x", 0, 8, lease(), TIMES, now);
  }

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
  void aMove_preparesClosesAndHandsOver() {
    open();
    change(new Drain(0, "x", "y"));
    attempts = 1;
    assertThat(step()).containsExactly(new Prepare(0, "y"));
    assertThat(mayStart()).isTrue();
    assertThat(step()).isEmpty();
    warm = Set.of(0);
    assertThat(step()).containsExactly(new Close(0));
    assertThat(mayStart()).isFalse();
    assertThat(mayWrite()).as("running attempts still write").isTrue();
    assertThat(step()).isEmpty();
    attempts = 0;
    unanswered = 1;
    lastUnanswered = now;
    assertThat(step()).isEmpty();
    now += 4;
    HandOver handOver = new HandOver(0, "x", 8, "y");
    assertThat(step()).containsExactly(new Store(stored(), handOver));
    assertThat(step()).as("until it is stored").containsExactly(new Store(stored(), handOver));
    change(handOver);
    assertThat(step()).containsExactly(new Revoke(0));
    assertThat(mayWrite()).isFalse();
  }

  @Test
  void aTargetThatIsNotWarm_getsTheSlotCold() {
    open();
    change(new Drain(0, "x", "y"));
    step();
    now += 10;
    assertThat(step()).containsExactly(new Close(0));
    assertThat(step()).hasSize(1);
  }

  @Test
  void anAttemptThatDoesNotEnd_keepsTheSlot() {
    open();
    change(new Drain(0, "x", "y"));
    attempts = 1;
    step();
    now += 10;
    step();
    now += 29;
    assertThat(step()).isEmpty();
    now++;
    Keep keep = new Keep(0, "x", 8);
    assertThat(step()).containsExactly(new Store(stored(), keep));
    assertThat(mayStart()).as("only when it is stored").isFalse();
    change(keep);
    assertThat(step()).containsExactly(new Open(0, 8));
  }

  @Test
  void aTargetThatEnded_doesNotGetTheSlot() {
    open();
    change(new Drain(0, "x", "z"));
    unavailable = Set.of("z");
    assertThat(step()).containsExactly(new Store(stored(), new Keep(0, "x", 8)));
    assertThat(mayStart()).isTrue();
  }

  @Test
  void theTarget_opensOnlyWhenItIsTheOwner() {
    open();
    change(new Drain(1, "y", "x"));
    assertThat(step()).containsExactly(new Incoming(1, "y"));
    assertThat(Objects.requireNonNull(slots.held().get(1)).stage()).isEqualTo(Stage.INCOMING);
    assertThat(slots.mayStart(1, lease(), TIMES, now)).isFalse();
    assertThat(step()).isEmpty();
    change(new HandOver(1, "y", 8, "x"));
    assertThat(step()).containsExactly(new Open(1, 9));
  }

  @Test
  void aCancelledMove_isForgottenByTheTarget() {
    open();
    change(new Drain(1, "y", "x"));
    step();
    change(new Keep(1, "y", 8));
    assertThat(step()).containsExactly(new Revoke(1));
  }

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
    map = SlotMap.initial(2, 5000);
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

  @Test
  void leaving_handsOver_andReleasesTheLease() {
    open();
    leaving = true;
    assertThat(step()).isEmpty();
    assertThat(mayStart()).as("until it drains").isTrue();
    change(new Drain(0, "x", "y"));
    assertThat(step()).containsExactly(new Prepare(0, "y"), new Close(0));
    HandOver handOver = new HandOver(0, "x", 8, "y");
    assertThat(step()).containsExactly(new Store(stored(), handOver));
    change(handOver);
    assertThat(step()).containsExactly(new Revoke(0));
    assertThat(step()).containsExactly(new SlotAction.ReleaseLease());
    assertThat(slots.phase()).isEqualTo(ReplicaPhase.ENDED);
    assertThat(step()).isEmpty();
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
}
