// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.PermissiveView;
import dev.coxswain.limiter.internal.RateOverride;
import dev.coxswain.limiter.internal.member.ProcessPool;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.testkit.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The floor of a replica that has just started, before the pool has answered it. */
class FreshReplicaTest {
  private static final LimiterSpec SPEC = new LimiterSpec("x", 100, 20);
  private static final ClusterShape SHAPE = new ClusterShape(5, 0.2);
  private static final long LEASE = 15_000_000_000L;
  private static final long HOUR = 3_600_000_000_000L;

  private final VirtualTime time = new VirtualTime();
  private final ProcessPool pool = new ProcessPool(time);
  private boolean poolAnswers;

  /** One process, and what the Leases show to it. */
  private final class Replica implements PermissiveView {
    private final Lease lease;
    private final SharedRetryBudget budget;
    private final RetryBudget.Waiter waiter;
    private boolean listed = true;
    private boolean seen;

    Replica(int ordinal) {
      lease = new Lease(ordinal, time.nanos());
      budget =
          new SharedRetryBudget(
              SPEC,
              SHAPE,
              this,
              time,
              (limiter, request) ->
                  poolAnswers
                      ? CompletableFuture.completedFuture(pool.apply(limiter, request))
                      : CompletableFuture.failedFuture(new PoolFailure.NotRunning("joining")),
              time,
              LEASE);
      waiter = budget.openWaiter("all");
    }

    @Override
    public Lease lease() {
      return lease;
    }

    @Override
    public int liveReplicas() {
      return 3;
    }

    @Override
    public boolean othersListed() {
      return listed;
    }

    @Override
    public boolean overrideSeen() {
      return seen;
    }

    boolean startsARetry() {
      return waiter.tryAcquire(1) == 0;
    }

    void poll() {
      time.advance(Duration.ofSeconds(1));
      budget.poll();
      time.settle();
    }
  }

  @Test
  void allReplicasFresh_andThePoolOutOfReach_floorsAreUsedFromTheFirstTokenOn() {
    List<Replica> all = IntStream.range(0, 3).mapToObj(Replica::new).toList();
    assertThat(all).noneMatch(Replica::startsARetry);
    time.advance(Duration.ofMillis(250)); // 20 of 100 a second, divided by 5 replicas
    assertThat(all).allMatch(Replica::startsARetry);
    assertThat(all).noneMatch(Replica::startsARetry);
  }

  @Test
  void leaseOfAnotherReplicaShowsAnOverride_floorIsUnusedForTwoLeaseDurations() {
    Replica fresh = new Replica(0);
    fresh.seen = true;
    time.advance(Duration.ofSeconds(29));
    assertThat(fresh.startsARetry()).isFalse();
    time.advance(Duration.ofSeconds(1));
    assertFirstTokenComesInFromNowOn(fresh);
  }

  /** Until now the limit may have been lower, and the floor would have come in at that. */
  private void assertFirstTokenComesInFromNowOn(Replica fresh) {
    assertThat(fresh.startsARetry()).isFalse();
    time.advance(Duration.ofMillis(249)); // 20 of 100 a second, divided by 5 replicas
    assertThat(fresh.startsARetry()).isFalse();
    time.advance(Duration.ofMillis(1));
    assertThat(fresh.startsARetry()).isTrue();
    assertThat(fresh.startsARetry()).isFalse();
  }

  @Test
  void poolAnswersThatNoOverrideIsLeft_floorComesInFromThenOn() {
    Replica fresh = new Replica(0);
    fresh.seen = true;
    time.advance(Duration.ofSeconds(5));
    assertThat(fresh.startsARetry()).isFalse();
    poolAnswers = true;
    fresh.budget.poll();
    time.settle();
    assertFirstTokenComesInFromNowOn(fresh);
  }

  @Test
  void leaseOfAnotherReplicaShowsAnOverrideLater_floorIsUsedNoMore() {
    Replica fresh = new Replica(0);
    time.advance(Duration.ofSeconds(5));
    assertThat(fresh.startsARetry()).isTrue();
    fresh.seen = true;
    assertThat(fresh.startsARetry()).isFalse();
  }

  @Test
  void leasesNotListed_floorIsUnused_untilTheyAre() {
    Replica fresh = new Replica(0);
    fresh.listed = false;
    time.advance(Duration.ofSeconds(5));
    assertThat(fresh.startsARetry()).isFalse();
    fresh.listed = true;
    assertFirstTokenComesInFromNowOn(fresh);
  }

  @Test
  void freshReplica_reportsNoOverride_unlessItHasSeenTheReportOfAnother() {
    Replica fresh = new Replica(0);
    assertThat(fresh.budget.mayBeOverridden()).isFalse();
    fresh.seen = true;
    assertThat(fresh.budget.mayBeOverridden()).isTrue();
  }

  @Test
  void replicaThatThePoolHasAnswered_reportsWhatThePoolSays_whateverItHasSeen() {
    Replica replica = new Replica(0);
    replica.seen = true;
    poolAnswers = true;
    replica.poll();
    assertThat(replica.budget.mayBeOverridden()).isFalse();
    pool.apply("x", replica.budget.request(0, new RateOverride(0, 5, 10, HOUR)).encode());
    replica.poll();
    assertThat(replica.budget.mayBeOverridden()).isTrue();
    replica.seen = false;
    assertThat(replica.budget.mayBeOverridden()).isTrue();
    pool.apply("x", replica.budget.request(0, new RateOverride(0, 100, 20, 0)).encode());
    replica.poll();
    assertThat(replica.budget.mayBeOverridden()).isFalse();
  }

  @Test
  void overrideWhoseTimeIsUp_isReportedNoMore_alsoWithoutAnotherAnswer() {
    Replica replica = new Replica(0);
    poolAnswers = true;
    pool.apply("x", replica.budget.request(0, new RateOverride(0, 5, 10, HOUR)).encode());
    replica.poll();
    assertThat(replica.budget.mayBeOverridden()).isTrue();
    poolAnswers = false;
    time.advance(Duration.ofMinutes(64)); // the clock of the owner may be slower
    assertThat(replica.budget.mayBeOverridden()).isFalse();
  }
}
