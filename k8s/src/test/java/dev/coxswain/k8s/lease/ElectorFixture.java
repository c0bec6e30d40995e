// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.lease;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.fixture.Mischief;
import dev.coxswain.k8s.internal.lease.LeaseRecord;
import dev.coxswain.k8s.internal.lease.LeaseStore;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Two candidates, one Lease, and virtual time. */
abstract class ElectorFixture {

  private long now = Long.MAX_VALUE - 5;
  final Store store = new Store();
  final List<String> calls = new ArrayList<>();
  final List<String> problems = new ArrayList<>();
  final Elector a = elector("a", 0);
  final Elector b = elector("b", 0);

  static final class Store implements LeaseStore {
    private final MemoryLeases leases = new MemoryLeases();
    private final LeaseStore one = leases.lease("lease");
    boolean down;
    @Nullable Mischief mischief;
    Runnable beforeUpdate = () -> {};
    Runnable beforeFailure = () -> {};

    @Override
    public Optional<LeaseRecord> get() {
      check();
      return one.get();
    }

    @Override
    public LeaseRecord create(LeaseRecord lease) {
      check();
      return one.create(lease);
    }

    @Override
    public LeaseRecord update(LeaseRecord lease) {
      check();
      beforeUpdate.run();
      return one.update(lease);
    }

    LeaseRecord stored() {
      return one.get().orElseThrow();
    }

    void put(LeaseRecord lease) {
      leases.put(lease);
    }

    void delete() {
      leases.delete("lease");
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

  final Elector elector(String identity, long offset) {
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
        LeaseRecord.unheld("ns", "lease"),
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

  final void pass(long millis) {
    now += Duration.ofMillis(millis).toNanos();
  }
}
