// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.sharding.internal.lease.LeaseOptions;
import dev.coxswain.sharding.internal.lease.MemoryLeases;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.UserCodeFault;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Two Leases, some replicas, and virtual time. */
abstract class ReplicaLeaseFixture {

  static final MembershipOptions OPTIONS =
      new MembershipOptions("ns", "replica", 2, "r", "one", LeaseOptions.DEFAULT);

  private long now = Long.MAX_VALUE - 5;
  final MemoryLeases leases = new MemoryLeases();
  final ReplicaLeaseHolder a = holder("a", "one");
  final ReplicaLeaseHolder b = holder("b", "one");
  final ReplicaLeaseHolder c = holder("c", "one");
  final Set<String> overridden = new TreeSet<>();
  boolean down;

  /** How many requests all replicas have sent. */
  int requests;

  /** The request, by its number from now on, that arrives only when {@link #late} is run. */
  int delayed = -1;

  Runnable late = () -> {};
  @Nullable UserCodeFault fault;

  /** The store of all replicas; the server keeps its Leases. */
  private final class Way extends MemoryLeases.Called {
    Way() {
      super(leases);
    }

    @Override
    protected <T> T call(Supplier<T> request) {
      requests++;
      if (fault != null) {
        fault.run();
      }
      if (down) {
        throw new ApiStatusException(0, "", "no answer", null, null);
      }
      if (delayed-- == 0) {
        late = () -> assertThat(request.get()).isNotNull();
        throw new ApiStatusException(0, "", "no answer", null, null);
      }
      return request.get();
    }
  }

  ReplicaLeaseHolder holder(String name, String generation) {
    return holder(name, generation, LeaseOptions.DEFAULT);
  }

  ReplicaLeaseHolder holder(String name, String generation, LeaseOptions times) {
    int[] tenures = {0};
    ReplicaLeaseHolder[] itself = new ReplicaLeaseHolder[1];
    itself[0] =
        new ReplicaLeaseHolder(
            new MembershipOptions("ns", "replica", 2, name, generation, times),
            new Way(),
            new Clock() {
              @Override
              public long nanos() {
                return now;
              }

              @Override
              public Instant instant() {
                return Instant.EPOCH.plusSeconds(name.hashCode() * 100_000L);
              }
            },
            new SplittableRandom(3),
            () -> name + "_" + ++tenures[0],
            () -> overridden.contains(name) || itself[0].overrideSeen());
    return itself[0];
  }

  void pass(long millis) {
    now += Duration.ofMillis(millis).toNanos();
  }

  /** Takes the steps of one replica when they are due. */
  void follow(ReplicaLeaseHolder one, Duration time) {
    long end = now + time.toNanos();
    while (end - now > 0) {
      now += one.step().toNanos();
    }
  }

  void live(Duration time, ReplicaLeaseHolder... who) {
    for (long i = 0; i < time.toSeconds(); i++) {
      pass(1_000);
      for (ReplicaLeaseHolder one : who) {
        one.step();
      }
    }
  }
}
