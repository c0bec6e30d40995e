// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.lease.LeaseOptions;
import dev.coxswain.sharding.internal.lease.LeaseRecord;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** When another replica may end a Lease, and what it records. */
class ReplicaLeaseEndTest extends ReplicaLeaseFixture {

  private LeaseRecord lease(int ordinal) {
    return leases.get("replica-" + ordinal).orElseThrow();
  }

  /**
   * The API server was away for three Lease durations. The first replica to reach it again released
   * the Leases of all others, which had been as unable to renew them as it had been to read them.
   */
  @Test
  void afterAnOutage_theFirstReplicaThatIsBack_endsNoLease() {
    a.step();
    live(Duration.ofSeconds(4), b, a); // a observes the last renewal of b
    down = true;
    live(Duration.ofSeconds(45), b, a);
    down = false;
    live(Duration.ofSeconds(14), a);
    assertThat(lease(1).holder()).isEqualTo("b_1");
    live(Duration.ofSeconds(2), b);
    assertThat(b.status().identity()).isEqualTo("b_1");
    assertThat(b.mayAct()).isTrue();
  }

  @Test
  void afterAnOutage_aReplicaThatDoesNotComeBack_losesItsLeaseAWholeDurationLater() {
    a.step();
    live(Duration.ofSeconds(4), b, a); // a observes the last renewal of b
    down = true;
    live(Duration.ofSeconds(45), a);
    down = false;
    live(Duration.ofSeconds(17), a);
    assertThat(lease(1).holder()).isEmpty();
  }

  /** It was stopped itself, so it cannot know whether the others renewed their Leases. */
  @Test
  void aReplicaThatWasStopped_endsNoLeaseThatWasNotRenewedMeanwhile() {
    live(Duration.ofSeconds(4), a, b, c);
    pass(60_000);
    c.step();
    a.step();
    assertThat(lease(0).holder()).isEqualTo("a_1");
    assertThat(lease(1).holder()).isEqualTo("b_1");
  }

  @Test
  void anExpiredLeaseThatIsReleased_namesItsLastHolder() {
    live(Duration.ofSeconds(1), a, b);
    live(Duration.ofSeconds(17), a);
    assertThat(lease(1).holder()).isEmpty();
    assertThat(lease(1).annotation(LeaseRecord.LAST_HOLDER)).isEqualTo("b_1");
  }

  @Test
  void anExpiredLeaseThatIsTakenOver_namesItsLastHolder_throughRenewals() {
    a.step();
    b.step();
    live(Duration.ofSeconds(16), b, c);
    live(Duration.ofSeconds(4), b, c);
    assertThat(lease(0).holder()).isEqualTo("c_1");
    assertThat(lease(0).annotation(LeaseRecord.LAST_HOLDER)).isEqualTo("a_1");
  }

  @Test
  void aLeaseThatItsHolderReleases_namesIt_alsoWhenItIsAcquiredAgain() {
    a.step();
    a.resign();
    a.release();
    assertThat(lease(0).annotation(LeaseRecord.LAST_HOLDER)).isEqualTo("a_1");
    b.step();
    assertThat(lease(0).holder()).isEqualTo("b_1");
    assertThat(lease(0).annotation(LeaseRecord.LAST_HOLDER)).isEqualTo("a_1");
  }

  /** For display: one that was stopped is no replica that has died. */
  @Test
  void aLeaseThatItsHolderReleases_isToldFromOneThatExpired_alsoWhenItIsAcquiredAgain() {
    live(Duration.ofSeconds(1), a, b);
    b.resign();
    b.release();
    live(Duration.ofSeconds(1), a);
    assertThat(a.status().released()).containsExactly("b_1");
    live(Duration.ofSeconds(1), a, c);
    assertThat(lease(1).holder()).isEqualTo("c_1");
    live(Duration.ofSeconds(17), a);
    assertThat(lease(1).holder()).as("expired").isEmpty();
    assertThat(lease(1).annotation(LeaseRecord.LAST_HOLDER)).isEqualTo("c_1");
    assertThat(a.status().released()).containsExactly("b_1");
  }

  /**
   * The request for one Lease had no response, and the replica acquired another Lease. When the
   * first request arrived after all, one identity held both; the one that it did not renew expired,
   * and named as ended an identity that was alive.
   */
  @Test
  void aRequestForALeaseThatArrivesLate_isOfAnIdentityThatNothingElseUses() {
    live(Duration.ofSeconds(4), a, b);
    b.resign();
    b.release();
    delayed = 1; // after the list
    c.step();
    a.resign();
    a.release();
    c.step();
    assertThat(lease(0).holder()).isEqualTo(c.status().identity());
    late.run();
    assertThat(lease(1).holder()).isEqualTo("c_1");
    live(Duration.ofSeconds(20), c);
    assertThat(lease(1).annotation(LeaseRecord.LAST_HOLDER)).isEqualTo("c_1");
    assertThat(c.mayAct()).isTrue();
    assertThat(c.status().identity()).isEqualTo("c_2");
  }

  /** Schedule 23: an observer that is configured with a shorter Lease. */
  @Test
  void schedule23_aLeaseWithALongerDuration_isWaitedForByItsOwn() {
    LeaseOptions longer =
        new LeaseOptions(Duration.ofSeconds(30), Duration.ofSeconds(20), Duration.ofSeconds(2));
    ReplicaLeaseHolder d = holder("d", "one", longer);
    d.step();
    a.step();
    live(Duration.ofSeconds(19), a);
    assertThat(d.mayAct()).isTrue();
    live(Duration.ofSeconds(10), a);
    assertThat(lease(0).holder()).as("after the duration of the observer").isEqualTo("d_1");
    live(Duration.ofSeconds(1), a);
    assertThat(lease(0).holder()).isEmpty();
  }

  /**
   * It lists once for each renewal. After one list that failed, the next came so late that observations
   * started again from zero: the slots of an owner without a Lease stayed with it for another duration.
   */
  @Test
  void aReplicaWithoutOthers_whoseListFailed_listsAgainBeforeObservationsBeginAnew() {
    follow(a, Duration.ofSeconds(10)); // until its Lease says that it may use the pool
    ReplicaLeases.LeaseList before = a.lastList().orElseThrow();
    delayed = 1; // after the renewal
    while (a.lastList().orElseThrow().sent() == before.sent()) {
      pass(1); // a thread wakes up late
      follow(a, Duration.ofNanos(1));
    }
    ReplicaLeases.LeaseList next = a.lastList().orElseThrow();
    assertThat(Duration.ofNanos(next.sent() - before.received()))
        .isLessThanOrEqualTo(OPTIONS.gap());
  }
}
