// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus;
import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import dev.coxswain.testing.TestLength;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Replicas never run one controller with different ownerships, in any order of their steps. */
class OwnershipRulesTest {

  private static final String KEY = "controllers";
  private static final String NAME = "c";

  /** The Leases as the API server has them: the text of each holder. */
  private final Map<String, String> leases = new TreeMap<>();

  private long now = 1;

  /** The version of the store, and the highest one of a Lease. */
  private long version;

  private long leaseVersion;

  /** The highest epoch of attempts by ownership. */
  private final Map<Ownership, Long> used = new EnumMap<>(Ownership.class);

  private boolean ownerUnknown;
  private String problem = "";

  /** The longest text in a Lease; longer ones are in {@link #textsOf}. */
  private int longest = 1_000;

  private final MemoryTexts textsOf = new MemoryTexts();

  private final class Replica {
    final int ordinal;
    final Ownership ownership;
    final OwnershipRules rules = new OwnershipRules(() -> {});
    final Deque<Runnable> tasks = new ArrayDeque<>();
    final ClaimTexts texts =
        new ClaimTexts(textsOf, KEY, tasks::add, tasks::add, longest, Duration.ZERO);
    int incarnation;
    boolean holds;
    boolean wanted = true;
    boolean running;
    int phase;
    String sent = "";
    String text = "";
    String stored = "";
    long storedAt;
    ReplicaLeases.@Nullable LeaseList list;

    Replica(int ordinal, Ownership ownership) {
      this.ordinal = ordinal;
      this.ownership = ownership;
    }

    String identity() {
      return "r" + ordinal + "_" + incarnation;
    }

    /** Acquires or renews the Lease. */
    void store() {
      while (phase != 0) {
        renewalStep();
      }
      do {
        renewalStep();
      } while (phase != 0);
    }

    /** A renewal is sent with the present text, stored, or answered. */
    void renewalStep() {
      switch (phase) {
        case 0 -> sent = text;
        case 1 -> put(identity(), sent);
        default -> {
          stored = sent;
          holds = true;
          storedAt = ++now;
        }
      }
      phase = (phase + 1) % 3;
    }

    void list() {
      long sent = ++now;
      list =
          new ReplicaLeases.LeaseList(
              leases.entrySet().stream()
                  .map(entry -> {
                    int ordinal = entry.getKey().charAt(1) - '0';
                    return new ReplicaLeaseStatus.Taken(
                        ordinal,
                        entry.getKey(),
                        null,
                        "none",
                        false,
                        true,
                        Map.of(),
                        Map.of(KEY, entry.getValue()));
                  })
                  .toList(),
              Set.of(),
              Set.of(),
              leaseVersion,
              sent,
              ++now);
    }

    void pass() {
      ReplicaLeases.OwnLease own =
          new ReplicaLeases.OwnLease(
              identity(), holds, now + 1_000_000, holds ? Map.of(KEY, stored) : Map.of(), storedAt);
      OptionalInt held = holds ? OptionalInt.of(ordinal) : OptionalInt.empty();
      String claims =
          rules.pass(
              texts.resolved(own), texts.resolved(list, now), KEY, ownerUnknown, problem, ++now);
      text = texts.shortened(claims, held);
      texts.request(held, now);
    }

    /** The API server receives a request for a text and the response arrives. */
    void answer() {
      Runnable task = tasks.poll();
      if (task != null) {
        task.run();
      }
    }

    private void passWithTexts() {
      for (int i = 0; i < 4; i++) {
        pass();
        answer();
        answer();
      }
      pass();
    }

    /** What the manager does: one step of starting or stopping. */
    void manage() {
      boolean admitted = rules.admits(NAME, ownership, wanted);
      if (running && !admitted) {
        running = false;
      } else if (!running && admitted) {
        running = true;
        attempt();
      } else if (!running) {
        rules.ended(NAME);
      }
    }

    /** Starts an attempt, in a slot that it has just received. */
    void attempt() {
      boolean owner = ownership != Ownership.EVERYWHERE;
      long epoch = Math.max(rules.epoch(NAME), owner ? ++version : 0);
      used.forEach((other, highest) -> {
        if (other != ownership && (owner || holds)) {
          assertThat(rules.epoch(NAME)).as("after %s", other).isGreaterThan(highest);
        }
      });
      used.merge(ownership, epoch, Math::max);
    }

    String problem() {
      return rules.ended(NAME);
    }

    void settle() {
      manage();
      passWithTexts();
      store();
      passWithTexts();
      store();
      list();
      passWithTexts();
      manage();
      passWithTexts();
      store();
    }

    /** Stops, after what it runs has ended. */
    void leave() {
      running = false;
      put(identity(), "");
      leases.remove(identity());
      holds = false;
    }
  }

  private void put(String identity, String text) {
    leases.put(identity, text);
    leaseVersion = ++version;
  }

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
      Replica one = new Replica(0, ownership);
      Replica two = new Replica(1, ownership);
      for (int i = 0; i < 3; i++) {
        one.settle();
        two.settle();
      }
      assertThat(one.running && two.running).isTrue();
      assertThat(one.rules.epoch(NAME)).isGreaterThan(before);
      assertThat(two.rules.epoch(NAME)).isGreaterThan(before);
      one.attempt();
      two.attempt();
      before = used.values().stream().mapToLong(Long::longValue).max().orElseThrow();
      one.leave();
      two.leave();
    }
  }

  @Test
  void replicasOfAControllerThatAllRun_haveOneEpoch_alsoThoseThatJoinLater() {
    List<Replica> replicas = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      replicas.add(new Replica(i, Ownership.EVERYWHERE));
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
    Replica one = new Replica(0, Ownership.SHARDED);
    one.settle();
    assertThat(one.rules.isAdmitted(one.identity())).isTrue();
    long epoch = one.rules.epoch(NAME);
    leases.clear();
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
    ownerUnknown = true;
    Replica one = new Replica(0, Ownership.LEADER);
    one.settle();
    one.settle();
    assertThat(one.running).isFalse();
    assertThat(one.problem()).contains("has no Lease", "a Lease duration");
    ownerUnknown = false;
    one.settle();
    assertThat(one.running).isTrue();
    ownerUnknown = true;
    one.settle();
    assertThat(one.running).as("it continues").isTrue();
  }

  @Test
  void theFirstOneWins_theOtherNamesBoth_andRunsWhenTheFirstHasGone() {
    Replica one = new Replica(1, Ownership.SHARDED);
    Replica two = new Replica(0, Ownership.EVERYWHERE);
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
    Replica one = new Replica(0, Ownership.SHARDED);
    Replica two = new Replica(1, Ownership.SHARDED);
    one.settle();
    two.settle();
    assertThat(one.running && two.running).isTrue();
  }

  @Test
  void aReplicaThatIsNotToRunItNow_reportsThatItsOwnershipDiffers() {
    Replica one = new Replica(0, Ownership.EVERYWHERE);
    one.settle();
    Replica two = new Replica(1, Ownership.LEADER);
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
    Replica first = new Replica(0, Ownership.SHARDED);
    first.settle();
    Replica every = new Replica(1, Ownership.EVERYWHERE);
    Replica sharded = new Replica(2, Ownership.SHARDED);
    for (Replica replica : List.of(every, sharded)) {
      replica.manage();
      replica.pass();
    }
    now += Duration.ofSeconds(3).toNanos();
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
    Replica one = new Replica(0, Ownership.LEADER);
    one.settle();
    leases.clear();
    Replica two = new Replica(1, Ownership.SHARDED);
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
    Replica one = new Replica(0, Ownership.EVERYWHERE);
    Replica two = new Replica(1, Ownership.EVERYWHERE);
    one.settle();
    two.settle();
    problem = "the controllers of replica x cannot be read";
    one.incarnation++;
    one.pass();
    one.manage();
    two.pass();
    two.manage();
    assertThat(one.running).isFalse();
    assertThat(one.problem()).isEqualTo(problem);
    assertThat(two.running).isTrue();

    problem = "";
    one.settle();
    assertThat(one.running).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {1_000, 0})
  void inAnyOrderOfSteps_noTwoOwnershipsRun_andInTheEndOneDoes(int inLease) {
    longest = inLease;
    long fixed = Long.getLong("coxswain.seed", 20_260_712L);
    long fresh = System.nanoTime();
    int rounds = TestLength.of(1_000, 5_000);
    int conflicts = 0;
    for (int round = 0; round < rounds; round++) {
      long seed = round + (round < rounds / 2 ? fixed : fresh);
      Random random = new Random(seed);
      leases.clear();
      used.clear();
      textsOf.clear();
      List<Replica> replicas = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        replicas.add(new Replica(i, Ownership.values()[random.nextInt(3)]));
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
