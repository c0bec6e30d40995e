// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.internal.lease.Releases;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** A Lease that is released by its holder. */
class ElectorReleaseTest extends ElectorFixture {

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
}
