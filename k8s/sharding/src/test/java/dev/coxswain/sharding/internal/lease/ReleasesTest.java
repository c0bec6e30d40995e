// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonParser;
import dev.coxswain.spi.Clock;
import java.time.Instant;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The release of a Lease that is held under a version that the holder does not know. */
class ReleasesTest {

  private final MemoryLeases leases = new MemoryLeases();
  private final LeaseStore store = leases.lease("lease");
  private int reads;

  /** Puts another version, as another writer would, after each of the first reads. */
  private LeaseStore contested(int times, UnaryOperator<LeaseRecord> meanwhile) {
    return new LeaseStore() {
      @Override
      public Optional<LeaseRecord> get() {
        Optional<LeaseRecord> found = store.get();
        if (reads++ < times) {
          found.ifPresent(lease -> leases.put(meanwhile.apply(lease)));
        }
        return found;
      }

      @Override
      public LeaseRecord create(LeaseRecord lease) {
        return store.create(lease);
      }

      @Override
      public LeaseRecord update(LeaseRecord lease) {
        return store.update(lease);
      }
    };
  }

  private static LeaseRecord heldBy(String identity) {
    return LeaseRecord.unheld("ns", "lease").heldBy(identity, 15, Instant.EPOCH);
  }

  private String holder() {
    return store.get().orElseThrow().holder();
  }

  @Test
  void releaseThatConflicts_readsAgain_andReleasesTheLease() {
    leases.put(heldBy("me"));

    Releases.release(contested(2, lease -> lease), "me", Clock.system());

    assertThat(holder()).isEmpty();
    assertThat(reads).isEqualTo(3);
  }

  @Test
  void releaseThatConflictsWithATakeover_leavesTheNewHolderAlone() {
    leases.put(heldBy("me"));

    Releases.release(
        contested(1, lease -> lease.heldBy("other", 15, Instant.EPOCH)), "me", Clock.system());

    assertThat(holder()).isEqualTo("other");
  }

  @Test
  void releaseThatConflictsAgainAndAgain_endsAfterSomeTries() {
    leases.put(heldBy("me"));

    Releases.release(contested(Integer.MAX_VALUE, lease -> lease), "me", Clock.system());

    assertThat(holder()).isEqualTo("me");
    assertThat(reads).isEqualTo(Releases.ATTEMPTS);
  }

  @Test
  void release_leavesTheLeaseOfAnotherAlone_andOneThatIsGone() {
    Releases.release(store, "me", Clock.system());
    assertThat(store.get()).isEmpty();

    LeaseRecord other = leases.put(heldBy("other"));
    Releases.release(store, "me", Clock.system());
    assertThat(store.get()).contains(other);
  }

  /** Other programs write Leases, too. */
  @Test
  void leaseWithoutTransitionsOrTimesOrSpec_isUsable() {
    LeaseRecord bare =
        new LeaseRecord(
            JsonParser.parseString("{\"metadata\":{\"name\":\"lease\"}}").getAsJsonObject());
    assertThat(bare.holder()).isEmpty();
    assertThat(bare.transitions()).isZero();
    assertThat(bare.heldBy("me", 15, Instant.EPOCH).holder()).isEqualTo("me");

    LeaseRecord held =
        new LeaseRecord(
            JsonParser.parseString(
                    "{\"metadata\":{\"name\":\"lease\"},\"spec\":{\"holderIdentity\":\"x\"}}")
                .getAsJsonObject());
    assertThat(leases.put(held).heldBy("me", 15, Instant.EPOCH).transitions()).isEqualTo(1);
  }
}
