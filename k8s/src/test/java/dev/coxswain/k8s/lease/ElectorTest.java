// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.lease;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.fixture.Mischief;
import dev.coxswain.k8s.internal.lease.LeaseRecord;
import dev.coxswain.k8s.internal.lease.LeaseStore;
import dev.coxswain.k8s.internal.lease.Releases;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two candidates, one Lease, and virtual time. */
class ElectorTest {

  private long now = Long.MAX_VALUE - 5;
  private final Store store = new Store();
  private final List<String> calls = new ArrayList<>();
  private final List<String> problems = new ArrayList<>();
  private final Elector a = elector("a", 0);
  private final Elector b = elector("b", 0);

  private static final class Store implements LeaseStore {
    @Nullable LeaseRecord stored;
    long version;
    boolean down;
    @Nullable Mischief mischief;
    Runnable beforeUpdate = () -> {};
    Runnable beforeFailure = () -> {};

    @Override
    public Optional<LeaseRecord> get() {
      check();
      return Optional.ofNullable(stored);
    }

    @Override
    public LeaseRecord create(LeaseRecord lease) {
      check();
      if (stored != null) {
        throw new ApiStatusException(409, "AlreadyExists", "there is one", null, null);
      }
      return put(lease);
    }

    @Override
    public LeaseRecord update(LeaseRecord lease) {
      check();
      beforeUpdate.run();
      LeaseRecord present = stored;
      if (present == null) {
        throw new ApiStatusException(404, "NotFound", "there is none", null, null);
      }
      if (!present.resourceVersion().equals(lease.resourceVersion())) {
        throw new ApiStatusException(409, "Conflict", "another version", null, null);
      }
      return put(lease);
    }

    LeaseRecord stored() {
      return Objects.requireNonNull(stored);
    }

    LeaseRecord put(LeaseRecord lease) {
      var json = lease.json().deepCopy();
      json.getAsJsonObject("metadata").addProperty("resourceVersion", "" + ++version);
      LeaseRecord next = new LeaseRecord(json);
      stored = next;
      return next;
    }

    private void check() {
      Mischief plugIn = mischief;
      if (plugIn != null) {
        beforeFailure.run();
        plugIn.run();
      }
      if (down) {
        throw new ApiStatusException(0, "", "no answer", null, null);
      }
    }
  }

  private Elector elector(String identity, long offset) {
    Clock clock =
        new Clock() {
          @Override
          public long nanos() {
            return now + offset;
          }

          @Override
          public Instant instant() {
            // Wall clocks are wildly apart and must not matter.
            return Instant.EPOCH.plusSeconds(identity.hashCode() * 100_000L);
          }
        };
    return new Elector(
        identity,
        LeaseOptions.DEFAULT,
        store,
        () -> LeaseRecord.unheld("ns", "lease"),
        clock,
        new SplittableRandom(3),
        new LeaderListener() {
          @Override
          public void onStartedLeading() {
            calls.add(identity + " starts");
          }

          @Override
          public void onStoppedLeading() {
            calls.add(identity + " stops");
          }

          @Override
          public void onProblem(String problem) {
            problems.add(problem);
          }
        });
  }

  private void pass(long millis) {
    now += Duration.ofMillis(millis).toNanos();
  }

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
  void aLeaseThatIsGivenBack_hasNoCurrentHolder_andTheLastOneIsRemembered() {
    a.step();
    b.step();
    a.resign();
    a.release();
    Elector third = elector("c", 0);
    store.down = true;
    third.step();
    store.down = false;
    assertThat(store.stored().holder()).isEmpty();
    // Who takes it sees that it was given back, and then itself.
    assertThat(a.lastSeen()).map(LeaderElection.ObservedHolder::holder).contains("a");
    third.step();
    b.step();
    assertThat(b.lastSeen()).map(LeaderElection.ObservedHolder::holder).contains("c");
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

  @Test
  void releasedLease_isTakenAtTheNextLook() {
    a.step();
    b.step();
    assertThat(a.resign()).isTrue();
    a.release();

    b.step();

    assertThat(calls).containsExactly("a starts", "a stops", "b starts");
  }

  /** With a label that was set meanwhile, or with a renewal whose response was lost. */
  @Test
  void releaseThatConflicts_looksAgain_andGivesTheLeaseBack() {
    a.step();
    a.resign();
    int[] conflicts = {0};
    store.beforeUpdate =
        () -> {
          if (conflicts[0]++ < 3) {
            store.put(store.stored());
          }
        };

    a.release();

    assertThat(store.stored().holder()).isEmpty();
    assertThat(conflicts[0]).isEqualTo(4);
  }

  @Test
  void releaseThatConflictsWithATakeover_leavesTheNewHolderAlone() {
    a.step();
    a.resign();
    store.beforeUpdate =
        () -> {
          store.beforeUpdate = () -> {};
          store.put(store.stored().heldBy("b", 15, Instant.EPOCH));
        };

    a.release();

    assertThat(store.stored().holder()).isEqualTo("b");
  }

  @Test
  void releaseThatConflictsAgainAndAgain_endsAfterSomeTries() {
    a.step();
    a.resign();
    int[] conflicts = {0};
    store.beforeUpdate =
        () -> {
          conflicts[0]++;
          store.put(store.stored());
        };

    a.release();

    assertThat(conflicts[0]).isEqualTo(Releases.ATTEMPTS);
    assertThat(store.stored().holder()).isEqualTo("a");
  }

  @Test
  void release_leavesSomebodyElsesLeaseAlone() {
    b.step();

    a.release();

    assertThat(store.stored().holder()).isEqualTo("b");
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
    store.stored = null;

    a.step();
    a.step();

    assertThat(a.isLeading()).isTrue();
  }

  @Test
  void twoThatCreateAtOnce_haveOneLeader() {
    a.step();
    Elector c = elector("c", 1_000_000_000_000L);

    c.step();

    assertThat(c.isLeading()).isFalse();
    assertThat(calls).containsExactly("a starts");
  }

  /** Only answers of the server were; what a plug-in of the client threw was seen in the log. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "INTERRUPT_FLAG")
  void anyFailureOfAStep_isTheProblem_untilAStepSucceeds(Mischief mischief) {
    a.step();
    store.mischief = mischief;

    assertThat(failsStep(a)).isTrue();
    assertThat(failsStep(a)).isTrue();
    String problem = a.problem();

    assertThat(problem).isNotEmpty();
    store.mischief = null;
    a.step();
    assertThat(a.problem()).isEmpty();
    assertThat(problems).containsExactly(problem, "");
  }

  /** Leadership that could not be renewed ends in the step, not a pause later. */
  @Test
  void stepThatFailsPastTheDeadline_endsLeadership_whateverItThrows() {
    a.step();
    store.mischief = Mischief.IO_ERROR;
    store.beforeFailure = () -> pass(10_000);

    assertThat(failsStep(a)).isTrue();

    assertThat(calls).containsExactly("a starts", "a stops");
  }

  private static boolean failsStep(Elector elector) {
    try {
      elector.step();
      return false;
    } catch (Throwable e) {
      return true; // the thread of the election reports it and goes on
    } finally {
      Thread.interrupted();
    }
  }

  /** One is a race that was lost, and no problem; without an end the Lease cannot be renewed. */
  @Test
  void conflictsWithoutEnd_areAProblem_andOneIsNot() {
    a.step();
    store.beforeUpdate = () -> store.put(store.stored());
    a.step();
    assertThat(a.problem()).isEmpty();

    for (int i = 0; i < 20; i++) {
      a.step();
    }

    assertThat(a.problem()).contains("another version");
    store.beforeUpdate = () -> {};
    a.step();
    assertThat(a.problem()).isEmpty();
  }
}
