// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.lease;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.internal.lease.LeaseRecord;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** How a Lease makes a leader, and keeps all others from being one. */
class ElectorTest extends ElectorFixture {

  @Test
  void firstComes_andLeadsAtOnce_othersDoNot() {
    a.step();
    b.step();

    assertThat(a.isLeading()).isTrue();
    assertThat(b.isLeading()).isFalse();
    assertThat(b.leader()).isEqualTo("a");
  }

  @Test
  void renewals_keepTheOthersOut_forEver() {
    for (int i = 0; i < 100; i++) {
      a.step();
      b.step();
      pass(2_000);
    }

    assertThat(calls).containsExactly("a starts");
    assertThat(store.stored().transitions()).isZero();
  }

  @Test
  void deadLeader_isSucceededAfterTheWholeLease_seenByTheOther_notBefore() {
    a.step();
    pass(7_000);
    b.step();
    pass(14_999);
    b.step();
    assertThat(b.isLeading()).isFalse();
    pass(1);

    b.step();

    assertThat(b.isLeading()).isTrue();
    assertThat(store.stored().transitions()).isEqualTo(1);
  }

  @Test
  void aHolder_isCurrent_untilItsRenewDeadline_andIsRememberedAfterwards() {
    assertThat(b.lastSeen()).isEmpty();
    a.step();
    b.step();
    assertThat(b.lastSeen()).map(LeaderElection.ObservedHolder::holder).contains("a");
    assertThat(b.lastSeen()).map(LeaderElection.ObservedHolder::current).contains(true);
    pass(9_999);
    b.step();
    assertThat(b.lastSeen()).map(LeaderElection.ObservedHolder::current).contains(true);
    pass(1);
    assertThat(b.lastSeen()).map(LeaderElection.ObservedHolder::current).contains(false);
    assertThat(b.lastSeen()).map(LeaderElection.ObservedHolder::holder).contains("a");
  }

  @Test
  void leaderThatCannotRenew_fencesItself_beforeAnybodyCanTakeOver() {
    a.step();
    b.step();
    store.down = true;
    pass(9_999);
    a.step();
    assertThat(a.isLeading()).isTrue();
    pass(1);

    assertThat(a.isLeading()).isFalse();
    a.step();
    assertThat(calls).containsExactly("a starts", "a stops");
    assertThat(b.isLeading()).isFalse();
  }

  @Test
  void fence_worksWhileARenewalHangs() {
    a.step();
    pass(2_000);
    store.beforeUpdate =
        () -> {
          pass(9_000);
          a.fence();
          calls.add("renewal answered");
        };

    a.step();

    // The deadline counts from the renewal of 2 s ago, which was the last that had been answered.
    assertThat(calls).containsExactly("a starts", "a stops", "renewal answered", "a starts");
    assertThat(a.isLeading()).isTrue();
    pass(1_000);
    assertThat(a.isLeading()).as("1 s of 10 was left of the slow renewal").isFalse();
  }

  @Test
  void answerThatComesAfterItsOwnDeadline_doesNotMakeALeader() {
    store.put(LeaseRecord.unheld("ns", "lease"));
    store.beforeUpdate = () -> pass(10_000);

    a.step();

    assertThat(a.isLeading()).isFalse();
    assertThat(calls).isEmpty();
  }

  @Test
  void lostLeadership_isWonBack_withoutANewStart() {
    a.step();
    store.down = true;
    pass(11_000);
    a.step();
    store.down = false;

    a.step();

    assertThat(a.isLeading()).isTrue();
    assertThat(calls).containsExactly("a starts", "a stops", "a starts");
  }

  /** The official client runs into a NullPointerException for ever. */
  @Test
  void leaseWithoutTransitionsOrTimesOrSpec_isUsable() {
    store.put(
        new LeaseRecord(
            JsonParser.parseString(
                    "{\"metadata\":{\"name\":\"lease\"},\"spec\":{\"holderIdentity\":\"x\"}}")
                .getAsJsonObject()));
    a.step();
    pass(15_000);
    a.step();
    assertThat(a.isLeading()).isTrue();
    assertThat(store.stored().transitions()).isEqualTo(1);

    store.put(
        new LeaseRecord(
            JsonParser.parseString("{\"metadata\":{\"name\":\"lease\"}}").getAsJsonObject()));
    b.step();
    assertThat(b.isLeading()).isTrue();
  }

  @Test
  void leaseThatIsStolen_endsLeadershipAtTheNextStep() {
    a.step();
    store.put(store.stored().heldBy("thief", 15, Instant.EPOCH));

    a.step();
    a.step();

    assertThat(a.isLeading()).isFalse();
    assertThat(a.leader()).isEqualTo("thief");
  }

  @Test
  void leaseThatIsDeleted_isCreatedAgain() {
    a.step();
    store.delete();

    a.step();
    a.step();

    assertThat(a.isLeading()).isTrue();
  }

  /** Another process may have held the new Lease and lost it. */
  @Test
  void leaseOfTheSameHolderWithAnotherUid_endsTheLeadership_andANewOneBegins() {
    a.step();
    long term = a.term();
    JsonObject other = store.stored().json().deepCopy();
    other.getAsJsonObject("metadata").addProperty("uid", "another");
    store.put(new LeaseRecord(other));

    a.step(); // a conflict
    a.step();

    assertThat(calls).containsExactly("a starts", "a stops", "a starts");
    assertThat(a.isLeading()).isTrue();
    assertThat(a.term()).isGreaterThan(term);
  }

  @Test
  void twoThatCreateAtOnce_haveOneLeader() {
    a.step();
    Elector c = elector("c", 1_000_000_000_000L);

    c.step();

    assertThat(c.isLeading()).isFalse();
    assertThat(calls).containsExactly("a starts");
  }
}
