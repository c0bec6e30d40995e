// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.sharding.internal.lease.LeaseOptions;
import dev.coxswain.sharding.internal.lease.LeaseRecord;
import dev.coxswain.testing.UserCodeFault;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReplicaLeaseHolderTest extends ReplicaLeaseFixture {

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "INTERRUPT_FLAG")
  void anyFailureOfAStep_isTheProblem_untilAStepSucceeds(UserCodeFault bad) {
    fault = bad;
    for (int i = 0; i < 2; i++) {
      try {
        a.step();
      } catch (Throwable e) {
        // The thread of the Leases reports it and goes on.
      } finally {
        Thread.interrupted();
      }
    }
    assertThat(a.status().problem()).startsWith("no replica lease acquired yet: ");

    fault = null;
    a.step();
    pass(OPTIONS.settle().toMillis());
    a.step();

    assertThat(a.status().problem()).isEmpty();
  }

  @Test
  void everyReplica_hasALeaseOfItsOwn_andTheOneTooManyHasNone_andSaysSo() {
    a.step();
    b.step();
    c.step();

    assertThat(a.status().ordinal()).hasValue(0);
    assertThat(b.status().ordinal()).hasValue(1);
    assertThat(a.mayAct()).isTrue();
    assertThat(c.status().ordinal()).isEmpty();
    assertThat(c.mayAct()).isFalse();
    assertThat(c.status().problem()).isEqualTo("all 2 replica leases are held, by a_1, b_1");
    assertThat(c.status().taken())
        .extracting(ReplicaLeaseStatus.Taken::replica)
        .containsExactly("a", "b");
  }

  /** Between the list and the response to its acquisition, and after its release. */
  @Test
  void replicaWithoutALease_saysThatAllAreHeld_onlyWhenTheyAre() {
    a.step();
    fault = UserCodeFault.values()[0];
    try {
      b.step();
    } catch (Throwable e) {
      // Reported by the thread of the Leases.
    }
    fault = null;
    assertThat(b.status().problem()).startsWith("no replica lease acquired yet");
    b.step();
    b.step();

    b.resign();
    assertThat(b.status().problem()).isEqualTo("the replica is stopping");
    b.release();
    assertThat(b.status().problem()).isEqualTo("the replica is stopping");
  }

  @Test
  void leaseOfADeadReplica_isTakenAfterTheWholeLease_notBefore_andItsNextRenewalFails() {
    a.step();
    b.step();
    c.step();
    for (int i = 0; i < 14; i++) {
      pass(1_000);
      b.step();
      c.step();
      assertThat(c.status().ordinal()).as("after " + i + " s").isEmpty();
    }
    pass(1_000);
    c.step();
    assertThat(c.status().ordinal()).hasValue(0);
    assertThat(c.mayAct()).isTrue();
    assertThat(a.mayAct()).isFalse();

    a.step();
    a.step();

    assertThat(a.status().ordinal()).isEmpty();
    assertThat(a.mayAct()).isFalse();
  }

  @Test
  void replicaThatCannotRenew_stopsActingBeforeAnybodyCanTakeItsLease_andGoesOnWhenNobodyDid() {
    a.step();
    down = true;
    pass(9_999);
    a.step();
    assertThat(a.mayAct()).isTrue();
    pass(1);
    assertThat(a.mayAct()).isFalse();
    assertThat(a.status().problem()).isEqualTo("the Lease could not be renewed in time: no answer");
    down = false;
    a.step();
    assertThat(a.mayAct()).isTrue();
    assertThat(a.status().identity()).isEqualTo("a_1");
  }

  @Test
  void replicaWhoseLeaseWasTaken_looksForAnotherOne_underANewIdentity() {
    a.step();
    b.step();
    c.step();
    live(Duration.ofSeconds(16), b, c);
    assertThat(c.status().ordinal()).hasValue(0);
    assertThat(a.mayAct()).isFalse();

    a.step();
    a.step();
    a.step();

    assertThat(a.status().ordinal()).isEmpty();
    assertThat(a.status().identity()).isEqualTo("a_2");
    b.resign();
    assertThat(b.mayAct()).isFalse();
    b.release();
    a.step();
    assertThat(a.status().ordinal()).hasValue(1);
    assertThat(a.mayAct()).isTrue();
  }

  @Test
  void leaseOfADeadReplica_isReleasedByTheOthers_andItStillCountsForOneLease() {
    a.step();
    b.step();
    live(Duration.ofSeconds(17), a);
    assertThat(leases.get("replica-1").orElseThrow().holder()).isEmpty();
    assertThat(a.liveReplicas()).isEqualTo(2);
    live(Duration.ofSeconds(16), a);
    assertThat(a.liveReplicas()).isEqualTo(1);
  }

  @Test
  void pool_isUsedOnlyAfterTheSettlingTime_andOnAFreshView() {
    a.step();
    assertThat(a.poolAllowed()).isFalse();
    assertThat(a.status().problem()).startsWith("the replica lease was just acquired");
    live(Duration.ofSeconds(5), a);
    assertThat(a.poolAllowed()).isTrue();
    assertThat(a.status().problem()).isEmpty();
    down = true;
    live(Duration.ofSeconds(5), a);
    assertThat(a.mayAct()).isTrue();
    assertThat(a.poolAllowed()).isFalse();
    assertThat(a.status().problem()).isEqualTo("the replica leases could not be listed: no answer");
  }

  @Test
  void generationThatComesSecond_leavesThePoolToTheFirst_untilThatIsGone() {
    ReplicaLeaseHolder other = holder("other", "two");
    a.step();
    live(Duration.ofSeconds(6), a);
    other.step();
    live(Duration.ofSeconds(20), a, other);
    assertThat(a.poolAllowed()).isTrue();
    assertThat(other.mayAct()).isTrue();
    assertThat(other.poolAllowed()).isFalse();
    assertThat(other.status().problem())
        .isEqualTo("replicas of another generation use the pool, or may: a_1 (one)");

    live(Duration.ofSeconds(25), other);

    assertThat(a.mayAct()).isFalse();
    assertThat(other.poolAllowed()).isTrue();
  }

  @Test
  void replicaOfTheGenerationThatHasThePool_joinsIt_whileAnotherGenerationWaits() {
    ReplicaLeaseHolder other = holder("other", "two");
    a.step();
    live(Duration.ofSeconds(6), a);
    other.step();
    live(Duration.ofSeconds(6), a, other);
    other.resign();
    other.release();
    b.step();
    live(Duration.ofSeconds(6), a, b);
    assertThat(a.poolAllowed()).isTrue();
    assertThat(b.poolAllowed()).isTrue();
  }

  @Test
  void twoGenerationsThatStartAtOnce_bothLeaveThePoolAlone() {
    ReplicaLeaseHolder other = holder("other", "two");
    leases.put(
        LeaseRecord.unheld("ns", "replica-1")
            .heldBy("ghost_1", 15, Instant.EPOCH)
            .marked(
                ReplicaLeaseTable.LABEL,
                "replica",
                java.util.Map.of(ReplicaLeaseTable.GENERATION, "two")));
    a.step();
    assertThat(a.status().problem()).contains("ghost_1 (two)");
    live(Duration.ofSeconds(16), a, other);
    assertThat(a.poolAllowed() && other.poolAllowed()).isFalse();
  }

  @Test
  void takingWhoseAnswerWasLost_isRecognised() {
    leases.put(
        LeaseRecord.unheld("ns", "replica-1")
            .heldBy("a_1", 15, Instant.EPOCH)
            .marked(ReplicaLeaseTable.LABEL, "replica", java.util.Map.of()));
    a.step();
    assertThat(a.status().ordinal()).hasValue(1);
    assertThat(leases.get("replica-0")).isEmpty();
  }

  @Test
  void leaseThatWasMadeByHand_isUsed_andAnyOthersAreLeftAlone() {
    leases.put(
        new LeaseRecord(
            JsonParser.parseString("{\"metadata\":{\"name\":\"replica-0\"}}").getAsJsonObject()));
    leases.put(LeaseRecord.unheld("ns", "replica-x").heldBy("somebody", 1, Instant.EPOCH));
    a.step();
    a.step();
    assertThat(a.status().ordinal()).hasValue(0);
    assertThat(leases.get("replica-x").orElseThrow().holder()).isEqualTo("somebody");
  }

  /** Another replica may have taken over what the holder of the deleted one had. */
  @Test
  void leaseThatIsCreatedAgainWithTheSameHolder_isALostLease() {
    a.step();
    pass(2_000);
    JsonObject again = leases.get("replica-0").orElseThrow().json().deepCopy();
    again.getAsJsonObject("metadata").addProperty("uid", "another");
    leases.delete("replica-0");
    leases.put(new LeaseRecord(again));
    a.step();
    a.step();
    a.step();
    assertThat(a.status().identity()).isEqualTo("a_2");
  }

  @Test
  void leaseThatIsDeleted_isALostLease() {
    a.step();
    pass(2_000);
    leases.delete("replica-0");
    a.step();
    a.step();
    a.step();
    assertThat(a.status().identity()).isEqualTo("a_2");
    assertThat(a.mayAct()).isTrue();
  }

  @Test
  void viewThatIsTooOld_orOlderThanTheLease_isNoViewOfTheOthers() {
    assertThat(a.othersListed()).as("before the first list").isFalse();
    a.step();
    assertThat(a.othersListed()).isTrue();
    pass(OPTIONS.settle().toMillis() - 1);
    assertThat(a.othersListed()).isTrue();
    pass(1);
    assertThat(a.othersListed()).isFalse();
    down = true;
    a.step();
    assertThat(a.othersListed()).isFalse();
    down = false;
    a.step();
    assertThat(a.othersListed()).isTrue();
  }

  @Test
  void addresses_areSeenByTheOthers() {
    a.announce("admin", "http://10.0.0.1:8090");
    a.step();
    b.step();
    assertThat(b.status().taken().getFirst().addresses())
        .containsEntry("admin", "http://10.0.0.1:8090");
    assertThat(OPTIONS.lease(0)).isEqualTo("replica-0");
  }

  @Test
  void whatAReplicaPublishes_isStoredWithItsRenewal_andListedByTheOthers() {
    a.step();
    assertThat(a.own().attributes()).isEmpty();
    a.publish("slot-map", "u");
    assertThat(a.own().attributes()).as("not stored yet").isEmpty();
    a.step();
    b.step();

    assertThat(a.own().attributes()).containsOnly(Map.entry("slot-map", "u"));
    assertThat(b.lastList().orElseThrow().taken())
        .filteredOn(taken -> taken.replica().equals("a"))
        .singleElement()
        .satisfies(
            taken -> assertThat(taken.attributes()).containsOnly(Map.entry("slot-map", "u")));
  }

  @Test
  void theEndOfAReplica_isInTheListOfTheStepThatEndsIt() {
    a.step();
    b.step();
    live(OPTIONS.times().leaseDuration().plusSeconds(1), b);

    assertThat(b.lastList().orElseThrow().lastHolders()).containsExactly("a_1");
    assertThat(b.lastList().orElseThrow().taken())
        .extracting(ReplicaLeaseStatus.Taken::identity)
        .containsExactly("b_1");
  }

  @Test
  void leasesOfOthers_areListedTwiceBetweenRenewals_andAtLeastOnceASecond() {
    for (int renewal : List.of(800, 2_000, 5_000)) {
      ReplicaLeaseHolder other = holder("other-" + renewal, "one", renewedEach(renewal));
      other.step();
      ReplicaLeaseHolder one = holder("one-" + renewal, "one", renewedEach(renewal));
      one.step();
      assertThat(one.step())
          .as("a renewal each %d ms", renewal)
          .isEqualTo(Duration.ofMillis(Math.min(renewal / 2, 1_000)));
      one.release();
      other.release();
    }
  }

  /** Each of these requests takes milliseconds of processor time in a process that does nothing else. */
  @Test
  void aReplicaWithoutOthers_sendsOneRenewalAndOneListForEachInterval_andFindsOneThatJoinsWithIt() {
    follow(a, Duration.ofSeconds(10)); // until its Lease says that it may use the pool
    int before = requests;
    follow(a, Duration.ofMinutes(1));
    assertThat(requests - before).as("requests in a minute").isEqualTo(60);
    b.step();
    follow(a, Duration.ofSeconds(2));
    assertThat(a.lastList().orElseThrow().taken())
        .extracting(ReplicaLeaseStatus.Taken::identity)
        .containsExactly("a_1", "b_1");
  }

  private static LeaseOptions renewedEach(int millis) {
    return new LeaseOptions(
        Duration.ofSeconds(30), Duration.ofSeconds(20), Duration.ofMillis(millis));
  }

  @Test
  void ownLease_hasTheDeadlineOfItsLastRenewal_andIsNotHeldAfterItWasResigned() {
    assertThat(a.own().held()).isFalse();
    a.step();
    long first = a.own().writeDeadline();
    pass(1_000);
    a.step();
    assertThat(a.own().writeDeadline()).as("not renewed before its time").isEqualTo(first);
    pass(1_000);
    a.step();
    assertThat(a.own().held()).isTrue();
    assertThat(a.own().writeDeadline() - first).isEqualTo(Duration.ofSeconds(2).toNanos());
    assertThat(a.own().identity()).isEqualTo("a_1");
    a.resign();
    assertThat(a.own().held()).as("it acts no more").isFalse();
  }
}
