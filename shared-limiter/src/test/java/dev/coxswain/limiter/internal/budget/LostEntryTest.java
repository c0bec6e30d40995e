// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.PermissiveView;
import dev.coxswain.limiter.internal.RateOverride;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.limiter.internal.member.ProcessPool;
import dev.coxswain.testkit.VirtualTime;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A replica that survives the loss of the limiter's entry, and the overrides that follow. */
class LostEntryTest {
  private static final LimiterSpec SPEC = new LimiterSpec("x", 100, 20, 1_000, 200);
  private static final ClusterShape SHAPE = new ClusterShape(5, 0.2);
  private static final long HOUR = 3_600_000_000_000L;

  private final VirtualTime time = new VirtualTime();
  private final ProcessPool pool = new ProcessPool(time);
  private final SharedRetryBudget survivor = replica(0);

  private SharedRetryBudget replica(int ordinal) {
    return replica(ordinal, 0);
  }

  private SharedRetryBudget replica(int ordinal, long coldNanos) {
    Lease held = new Lease(ordinal, time.nanos());
    PermissiveView view =
        new PermissiveView() {
          @Override
          public Lease lease() {
            return held;
          }

          @Override
          public int liveReplicas() {
            return 3;
          }
        };
    return new SharedRetryBudget(
        SPEC,
        SHAPE,
        view,
        time,
        (limiter, request) -> CompletableFuture.completedFuture(pool.apply(limiter, request)),
        time,
        coldNanos);
  }

  private void poll(SharedRetryBudget replica) {
    time.advance(Duration.ofSeconds(1));
    replica.poll();
    time.settle();
  }

  private static double rateOf(SharedRetryBudget replica) {
    return replica.snapshot().rate();
  }

  /** As another replica does, for which an operator sets an override. */
  private void override(@Nullable RateOverride set) {
    pool.apply("x", replica(1).request(0, set).encode());
  }

  private void override(double rate, int burst) {
    override(new RateOverride(0, rate, burst, HOUR));
  }

  @Test
  void replicaThatOutlivesTheEntry_obeysTheOverridesOfTheNextOne() {
    for (double rate : new double[] {50, 40, 30}) {
      override(rate, 20);
    }
    poll(survivor);
    assertThat(rateOf(survivor)).isEqualTo(30);
    pool.lose("x");
    override(5, 10);
    poll(survivor);
    assertThat(rateOf(survivor)).isEqualTo(5);
  }

  @Test
  void overrideThatSlowsDown_outlivesTheEntry_onAnyReplicaThatHasReceivedIt() {
    override(5, 10);
    poll(survivor);
    pool.lose("x");
    poll(replica(2)); // one that has received nothing creates the next entry
    poll(survivor);
    assertThat(rateOf(survivor)).isEqualTo(5);
    assertThat(survivor.snapshot().burst()).isEqualTo(10);
    SharedRetryBudget later = replica(3);
    poll(later);
    assertThat(rateOf(later)).isEqualTo(5);
  }

  @Test
  void overrideThatSpeedsUp_isLostWithTheEntry() {
    override(500, 100);
    poll(survivor);
    assertThat(rateOf(survivor)).isEqualTo(500);
    pool.lose("x");
    poll(survivor);
    assertThat(rateOf(survivor)).isEqualTo(SPEC.rate());
  }

  @Test
  void overrideThatWasEndedAfterTheLoss_isNotRestored() {
    override(5, 10);
    poll(survivor);
    pool.lose("x");
    override(new RateOverride(0, SPEC.rate(), SPEC.burst(), 0));
    poll(survivor);
    poll(survivor);
    assertThat(rateOf(survivor)).isEqualTo(SPEC.rate());
  }

  @Test
  void overrideThatRanOutBeforeTheLoss_isNotRestored() {
    override(new RateOverride(0, 5, 10, 2_000_000_000));
    poll(survivor);
    pool.lose("x");
    time.advance(Duration.ofSeconds(1));
    poll(survivor);
    assertThat(rateOf(survivor)).isEqualTo(SPEC.rate());
  }

  @Test
  void backupThatLacksTheLastOverride_isObeyedAllTheSame() {
    override(50, 20);
    byte[] backup = pool.state("x");
    override(40, 20);
    poll(survivor);
    pool.restore("x", backup);
    poll(survivor);
    assertThat(rateOf(survivor)).isEqualTo(50);
    override(5, 10); // of the same generation as the one that was lost
    poll(survivor);
    assertThat(rateOf(survivor)).isEqualTo(5);
  }

  @Test
  void answerThatWasOvertaken_changesNothing() {
    byte[] early = pool.apply("x", survivor.request(0, null).encode());
    long sentAt = time.nanos();
    override(5, 10);
    poll(survivor);
    survivor.onOverrideReply(Objects.requireNonNull(PoolReply.decode(early)), sentAt);
    assertThat(rateOf(survivor)).isEqualTo(5);
    pool.process++; // of another owner it is not known which is later
    survivor.onOverrideReply(
        Objects.requireNonNull(
            PoolReply.decode(
                pool.apply(
                    "x", replica(1).request(0, new RateOverride(0, 50, 20, HOUR)).encode()))),
        sentAt);
    assertThat(rateOf(survivor)).isEqualTo(5);
    poll(survivor);
    assertThat(rateOf(survivor)).isEqualTo(50);
  }

  @Test
  void newReplica_leavesItsFloorAlone_untilThePoolHasAnswered_orDoesNotForLong() {
    SharedRetryBudget fresh = replica(4, 15_000_000_000L);
    time.advance(Duration.ofSeconds(29));
    assertThat(fresh.openWaiter("a").tryAcquire(1)).isPositive();
    time.advance(Duration.ofSeconds(1));
    assertThat(fresh.openWaiter("b").tryAcquire(1)).isZero();
  }

  @Test
  void floorThatWasAwayDuringAnOverride_comesBackEmpty() {
    time.advance(Duration.ofMinutes(1));
    poll(survivor);
    assertThat(survivor.status().floorTokens()).isEqualTo(survivor.status().floorBurst());
    override(50, 4); // too little to divide
    poll(survivor);
    assertThat(survivor.status().floorBurst()).isZero();
    override(new RateOverride(0, SPEC.rate(), SPEC.burst(), 0));
    poll(survivor);
    assertThat(survivor.status().floorBurst()).isPositive();
    assertThat(survivor.status().floorTokens()).isZero();
  }
}
