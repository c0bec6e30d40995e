// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.ownership;

import static dev.coxswain.sharding.internal.ownership.OwnershipModel.KEY;
import static dev.coxswain.sharding.internal.ownership.OwnershipModel.NAME;
import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import dev.coxswain.sharding.internal.ownership.OwnershipModel.Replica;
import dev.coxswain.testing.TestLength;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicas never run one controller with different ownerships, in any order of their steps. */
class OwnershipRulesTest {

  private final OwnershipModel model = new OwnershipModel();

  /** An outside system that refuses lower epochs refused the rightful owner. */
  @Test
  void epoch_growsWithEachChangeOfTheOwnership_alsoOnReplicasThatHadTheSlotsBefore() {
    long before = 0;
    for (Ownership ownership :
        List.of(
            Ownership.SHARDED,
            Ownership.LEADER,
            Ownership.SHARDED,
            Ownership.EVERYWHERE,
            Ownership.LEADER,
            Ownership.EVERYWHERE)) {
      Replica one = model.replica(0, ownership);
      Replica two = model.replica(1, ownership);
      for (int i = 0; i < 3; i++) {
        one.settle();
        two.settle();
      }
      assertThat(one.running && two.running).isTrue();
      assertThat(one.rules.epoch(NAME)).isGreaterThan(before);
      assertThat(two.rules.epoch(NAME)).isGreaterThan(before);
      one.attempt();
      two.attempt();
      before = model.used.values().stream().mapToLong(Long::longValue).max().orElseThrow();
      one.leave();
      two.leave();
    }
  }

  @Test
  void replicasOfAControllerThatAllRun_haveOneEpoch_alsoThoseThatJoinLater() {
    List<Replica> replicas = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      replicas.add(model.replica(i, Ownership.EVERYWHERE));
      for (int round = 0; round < 3; round++) {
        replicas.forEach(Replica::settle);
      }
      assertThat(replicas).extracting(one -> one.rules.epoch(NAME)).doesNotContain(0L);
      assertThat(replicas.stream().map(one -> one.rules.epoch(NAME)).distinct()).hasSize(1);
    }
    replicas.getFirst().leave();
    long epoch = replicas.get(1).rules.epoch(NAME);
    replicas.get(1).settle();
    assertThat(replicas.get(1).rules.epoch(NAME)).isEqualTo(epoch);
  }

  /** Its new slots were opened at once, while another one ran it with another ownership. */
  @Test
  void replicaThatHasANewIdentity_opensNoSlot_beforeItHasComparedItsControllers() {
    Replica one = model.replica(0, Ownership.SHARDED);
    one.settle();
    assertThat(one.rules.isAdmitted(one.identity())).isTrue();
    long epoch = one.rules.epoch(NAME);
    model.leases.clear();
    one.incarnation++;
    one.holds = false;
    one.store();
    one.pass();
    assertThat(one.rules.isAdmitted(one.identity())).isFalse();
    one.settle();
    assertThat(one.running).as("it is not stopped").isTrue();
    assertThat(one.rules.isAdmitted(one.identity())).isTrue();
    assertThat(one.rules.epoch(NAME)).isGreaterThan(epoch);
  }

  @Test
  void controllerInSlots_isNotStarted_whileAnOwnerMayActOfWhichNothingIsKnown() {
    model.ownerUnknown = true;
    Replica one = model.replica(0, Ownership.LEADER);
    one.settle();
    one.settle();
    assertThat(one.running).isFalse();
    assertThat(one.problem()).contains("has no Lease", "a Lease duration");
    model.ownerUnknown = false;
    one.settle();
    assertThat(one.running).isTrue();
    model.ownerUnknown = true;
    one.settle();
    assertThat(one.running).as("it continues").isTrue();
  }

  @Test
  void theFirstOneWins_theOtherNamesBoth_andRunsWhenTheFirstHasGone() {
    Replica one = model.replica(1, Ownership.SHARDED);
    Replica two = model.replica(0, Ownership.EVERYWHERE);
    one.settle();
    two.settle();
    assertThat(one.running).isTrue();
    assertThat(two.running).isFalse();
    assertThat(two.problem()).contains("replica r1 runs it with ownership sharded", "everywhere");
    one.settle();
    assertThat(one.running).as("the first one continues").isTrue();
    one.leave();
    two.settle();
    two.settle();
    assertThat(two.running).isTrue();
    assertThat(two.problem()).isEmpty();
  }

  @Test
  void theSameOwnership_runsOnAllReplicas() {
    Replica one = model.replica(0, Ownership.SHARDED);
    Replica two = model.replica(1, Ownership.SHARDED);
    one.settle();
    two.settle();
    assertThat(one.running && two.running).isTrue();
  }

  @Test
  void aReplicaThatIsNotToRunItNow_reportsThatItsOwnershipDiffers() {
    Replica one = model.replica(0, Ownership.EVERYWHERE);
    one.settle();
    Replica two = model.replica(1, Ownership.LEADER);
    two.wanted = false;
    two.settle();
    assertThat(two.problem()).contains("replica r0 runs it with ownership everywhere", "leader");
    one.settle();
    assertThat(one.running).isTrue();
    assertThat(one.problem()).isEmpty();
    one.leave();
    two.settle();
    assertThat(two.problem()).isEmpty();
  }

  @Test
  void withoutALease_onlyEverywhereRuns_andEndsWhenTheOthersShowAnotherOwnership() {
    Replica first = model.replica(0, Ownership.SHARDED);
    first.settle();
    Replica every = model.replica(1, Ownership.EVERYWHERE);
    Replica sharded = model.replica(2, Ownership.SHARDED);
    for (Replica replica : List.of(every, sharded)) {
      replica.manage();
      replica.pass();
    }
    model.now += Duration.ofSeconds(3).toNanos();
    for (Replica replica : List.of(every, sharded)) {
      replica.pass();
      replica.manage();
    }
    assertThat(every.running).isTrue();
    assertThat(sharded.running).isFalse();
    every.settle();
    assertThat(every.running).isFalse();
    assertThat(every.problem()).contains("replica r0 runs it with ownership sharded");
  }

  @Test
  void aReplicaThatLostItsLease_endsWhatItsReplacementRunsWithAnotherOwnership() {
    Replica one = model.replica(0, Ownership.LEADER);
    one.settle();
    model.leases.clear();
    Replica two = model.replica(1, Ownership.SHARDED);
    two.settle();
    assertThat(two.running).isTrue();
    one.incarnation++;
    one.holds = false;
    one.store();
    one.list();
    one.pass();
    one.manage();
    assertThat(one.running).isFalse();
    two.settle();
    assertThat(two.running).isTrue();
  }

  /** Another one may have begun to run it with another ownership, and its claims cannot be read. */
  @Test
  void replicaThatHasANewIdentity_stopsWhatItCannotCompare_andOthersGoOn() {
    Replica one = model.replica(0, Ownership.EVERYWHERE);
    Replica two = model.replica(1, Ownership.EVERYWHERE);
    one.settle();
    two.settle();
    model.problem = "the controllers of replica x cannot be read";
    one.incarnation++;
    one.pass();
    one.manage();
    two.pass();
    two.manage();
    assertThat(one.running).isFalse();
    assertThat(one.problem()).isEqualTo(model.problem);
    assertThat(two.running).isTrue();

    model.problem = "";
    one.settle();
    assertThat(one.running).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, 0})
  void inAnyOrderOfSteps_noTwoOwnershipsRun_andInTheEndOneDoes(int inLease) {
    model.longest = inLease;
    long fixed = Long.getLong("coxswain.seed", 20_260_712L);
    long fresh = System.nanoTime();
    int rounds = TestLength.of(1_000, 5_000);
    int conflicts = 0;
    for (int round = 0; round < rounds; round++) {
      long seed = round + (round < rounds / 2 ? fixed : fresh);
      Random random = new Random(seed);
      model.leases.clear();
      model.used.clear();
      model.textsOf.clear();
      List<Replica> replicas = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        replicas.add(model.replica(i, Ownership.values()[random.nextInt(3)]));
      }
      for (int step = 0; step < 120; step++) {
        Replica replica = replicas.get(random.nextInt(3));
        switch (random.nextInt(11)) {
          case 0 -> replica.renewalStep();
          case 1 -> replica.list();
          case 2, 3 -> replica.pass();
          case 4 -> replica.manage();
          case 5, 6 -> replica.renewalStep();
          case 8, 9 -> replica.answer();
          case 7 -> {
            if (replica.running) {
              replica.attempt();
            }
          }
          default -> replica.wanted = random.nextInt(4) > 0;
        }
        long modes =
            replicas.stream()
                .filter(one -> one.running)
                .map(one -> one.ownership)
                .distinct()
                .count();
        assertThat(modes).as("seed %d step %d", seed, step).isLessThanOrEqualTo(1);
      }
      replicas.forEach(one -> one.wanted = true);
      for (int i = 0; i < 6; i++) {
        replicas.forEach(Replica::settle);
      }
      Set<Ownership> modes =
          Set.copyOf(
              replicas.stream().filter(one -> one.running).map(one -> one.ownership).toList());
      assertThat(modes).as("seed %d", seed).hasSize(1);
      for (Replica one : replicas) {
        boolean same = modes.contains(one.ownership);
        assertThat(one.running).as("seed %d", seed).isEqualTo(same);
        if (same && one.ownership == Ownership.EVERYWHERE) {
          assertThat(one.rules.epoch(NAME))
              .as("seed %d", seed)
              .isEqualTo(
                  replicas.stream()
                      .filter(other -> other.running)
                      .mapToLong(other -> other.rules.epoch(NAME))
                      .max()
                      .orElseThrow());
        }
        if (!same) {
          conflicts++;
          assertThat(one.problem()).as("seed %d", seed).contains("runs it with ownership");
        }
      }
    }
    assertThat(conflicts).as("rounds with different ownerships").isGreaterThan(rounds / 5);
  }

  @Test
  void aTable_isReadAsWritten_andOneOfALaterVersionAsFarAsKnown() {
    OwnershipTable table = OwnershipTable.parse("sharded:a,b;leader!:c;other!:d;everywhere!77:e,f");
    assertThat(table.claims())
        .containsOnly(
            Map.entry("a", new OwnershipTable.Claim(Ownership.SHARDED, false)),
            Map.entry("b", new OwnershipTable.Claim(Ownership.SHARDED, false)),
            Map.entry("c", new OwnershipTable.Claim(Ownership.LEADER, true)),
            Map.entry("e", new OwnershipTable.Claim(Ownership.EVERYWHERE, true, 77)),
            Map.entry("f", new OwnershipTable.Claim(Ownership.EVERYWHERE, true, 77)));
    assertThat(OwnershipTable.parse(table.text())).isEqualTo(table);
    assertThat(OwnershipTable.parse("").claims()).isEmpty();
  }

  @Test
  void moreControllersThanALeaseCanName_areNotStarted_andSayWhy() {
    OwnershipRules rules = new OwnershipRules(() -> {});
    String last = "z".repeat(60);
    for (int i = 0; i < 3_000; i++) {
      rules.admits("controller-with-a-long-name-" + "x".repeat(30) + i, Ownership.SHARDED, true);
    }
    rules.admits(last, Ownership.SHARDED, true);
    String text =
        rules.pass(
            new ReplicaLeases.OwnLease("a_1", true, 1, Map.of(), 0), null, KEY, false, "", 1);
    assertThat(OwnershipTable.fits(text)).isTrue();
    assertThat(rules.ended(last)).contains("more controllers than its Lease can name");
  }
}
