// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.PermissiveView;
import dev.coxswain.limiter.internal.RateOverride;
import dev.coxswain.limiter.internal.bucket.EntryId;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.limiter.internal.member.ProcessPool;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.retry.WindowChecker;
import dev.coxswain.spi.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Replicas that read a changed configuration at different times: until all have it, the larger limits
 * hold, and then the new ones do.
 */
class ReloadedLimitsTest {

  private static final long MS = 1_000_000;
  private static final long SECOND = 1_000 * MS;
  private static final long SETTLE = 10 * SECOND;

  /** What a change may leave behind: permits ahead, their lives, and one renewal. */
  private static final long TAIL = 35 * SECOND;

  private final Timeline timeline = new Timeline();
  private final Clock clock =
      new Clock() {
        @Override
        public long nanos() {
          return timeline.now();
        }

        @Override
        public Instant instant() {
          return Instant.EPOCH;
        }
      };
  private final ProcessPool pool = new ProcessPool(clock);
  private final List<Long> starts = new ArrayList<>();

  private record Held(int ordinal) implements PermissiveView {
    @Override
    public @Nullable Lease lease() {
      return new Lease(ordinal, 0);
    }

    @Override
    public int liveReplicas() {
      return 1;
    }

    @Override
    public boolean othersListed() {
      return true;
    }

    @Override
    public boolean overrideSeen() {
      return false;
    }
  }

  /** A replica that always has retries to start, unless it is cut from the pool. */
  private final class Replica {
    private final SharedRetryBudget budget;
    private final RetryBudget.Waiter waiter;
    private final Random random;
    private long next = -1;
    private boolean cut;

    Replica(int ordinal, LimiterSpec spec, ClusterShape shape, Random random) {
      this.random = random;
      budget =
          new SharedRetryBudget(
              spec, shape, new Held(ordinal), clock, this::call, Runnable::run, SECOND);
      waiter = budget.openWaiter("all", () -> timeline.at(timeline.now(), null, this::acquire));
      acquire();
      poll();
    }

    private void poll() {
      budget.poll();
      timeline.at(timeline.now() + SECOND, null, this::poll);
    }

    private void acquire() {
      long wait = waiter.tryAcquire(1_000);
      if (wait == 0) {
        starts.add(timeline.now());
      }
      long at = timeline.now() + Math.max(1, wait);
      next = at;
      timeline.at(
          at,
          null,
          () -> {
            if (next == at) {
              acquire();
            }
          });
    }

    private CompletionStage<byte[]> call(String limiter, byte[] request) {
      CompletableFuture<byte[]> answer = new CompletableFuture<>();
      long there = timeline.now() + MS / 10 + random.nextLong(MS);
      timeline.at(
          there,
          null,
          () -> {
            if (cut) {
              answer.completeExceptionally(new IllegalStateException("cut"));
              return;
            }
            byte[] reply = pool.apply(limiter, request);
            timeline.at(there + MS / 10 + random.nextLong(MS), null, () -> answer.complete(reply));
          });
      return answer;
    }

    void override(RateOverride set) {
      PoolReply reply =
          Objects.requireNonNull(
              PoolReply.decode(pool.apply("x", budget.request(0, set).encode())));
      budget.onOverrideReply(reply, timeline.now());
    }
  }

  private static LimiterSpec spec(Random random, ClusterShape shape) {
    while (true) {
      double rate = Math.exp(random.nextDouble() * 6);
      int burst = 2 + random.nextInt(random.nextBoolean() ? 30 : 400);
      LimiterSpec spec = new LimiterSpec("x", rate, burst, rate * 4, burst * 4);
      if (isAccepted(spec, shape)) {
        return spec;
      }
    }
  }

  private static LimiterSpec change(Random random, LimiterSpec before, ClusterShape shape) {
    while (true) {
      LimiterSpec after = spec(random, shape);
      if (isAccepted(() -> new EffectiveLimit(before, shape).check(after))) {
        return after;
      }
    }
  }

  private static boolean isAccepted(LimiterSpec spec, ClusterShape shape) {
    return isAccepted(() -> BudgetSplit.of(spec, shape));
  }

  /** A burst that is too small for the rate is refused, in a configuration as with an override. */
  private static boolean isAccepted(Runnable check) {
    try {
      check.run();
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  /** Returns whether an override may be in force before, while and after the limits change. */
  private static boolean isAccepted(
      RateOverride set, LimiterSpec before, LimiterSpec after, ClusterShape shape) {
    return isAccepted(() -> {
      BudgetSplit.of(before, set, shape);
      BudgetSplit.of(after, set, shape);
      BudgetSplit.of(before.orLarger(after), before.orSmaller(after), set, shape);
    });
  }

  @Test
  void replicasThatChangeAtDifferentTimes_keepTheLargerCap_andThenTheNewOne() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    for (int round = 0; round < 30; round++) {
      try {
        new ReloadedLimitsTest().change(seed + round);
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + (seed + round), e);
      }
    }
  }

  private void change(long seed) {
    Random random = new Random(seed);
    int size = 2 + random.nextInt(3);
    ClusterShape shape =
        new ClusterShape(size + random.nextInt(3), random.nextInt(5) == 0 ? 0 : 0.2);
    LimiterSpec before = spec(random, shape);
    LimiterSpec after = change(random, before, shape);
    List<Replica> replicas = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      replicas.add(new Replica(i, before, shape, random));
    }
    long changed = 60 * SECOND;
    timeline.runUntil(changed);
    int settled = starts.size();
    long last = changed;
    LimiterSpec largest = before.orLarger(after);
    for (Replica replica : replicas) {
      long at = changed + random.nextLong(SETTLE * 9 / 10);
      last = Math.max(last, at);
      timeline.at(at, null, () -> replica.budget.change(after, SETTLE));
    }
    replicas.getFirst().cut = random.nextInt(4) == 0; // has its floor alone
    RateOverride set =
        new RateOverride(0, before.rate() * 2, before.burst() * 2, random.nextLong(SETTLE) + 1);
    if (random.nextBoolean() && isAccepted(set, before, after, shape)) {
      largest = largest.orLarger(new LimiterSpec("x", set.rate(), set.burst()));
      timeline.at(changed + random.nextLong(SETTLE), null, () -> replicas.getLast().override(set));
    }
    long settles = last + SETTLE + TAIL;
    long end = settles + 60 * SECOND;
    timeline.runUntil(end);
    assertThat(replicas).noneMatch(replica -> replica.budget.isSettling());
    long[] times = starts.stream().mapToLong(Long::longValue).sorted().toArray();
    List<WindowChecker.Limit> limits =
        List.of(
            new WindowChecker.Limit(0, before.rate(), before.burst()),
            new WindowChecker.Limit(changed, largest.rate(), largest.burst()),
            new WindowChecker.Limit(settles, after.rate(), after.burst()));
    String what = "seed %d: %s to %s, %s".formatted(seed, before, after, shape);
    // The end of the window may be an instant before the change, its permits are used after it.
    assertThat(WindowChecker.worst(times, times.length, limits).excess())
        .as(what)
        .isLessThanOrEqualTo(1e-6);
    assertThat(settled).as(what).isPositive();
    long late = Stream.of(starts).flatMap(List::stream).filter(at -> at >= settles).count();
    assertThat(late).as(what).isGreaterThan((long) (after.rate() * 60 * 0.4) - 2);
  }

  /** Who has the limits of the pool, and who those of a floor, while a change spreads. */
  @Test
  void poolOfOneReplica_andFloorsOfOthers_areWithinTheLargerLimits_inEachStepOfAChange() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    int directly = 0;
    int compared = 0;
    for (int round = 0; round < 20_000; round++) {
      ClusterShape shape =
          new ClusterShape(1 + random.nextInt(10), 0.05 + random.nextDouble() * 0.85);
      LimiterSpec a = spec(random, shape);
      LimiterSpec b = spec(random, shape);
      EffectiveLimit limit = new EffectiveLimit(a, shape);
      try {
        limit.change(b, SETTLE, 0);
      } catch (IllegalArgumentException e) {
        assertThat(e).hasMessageContaining("limiters.x.burst");
        continue;
      }
      compared++;
      BudgetSplit before = BudgetSplit.of(a, shape);
      BudgetSplit after = BudgetSplit.of(b, shape);
      LimiterSpec larger = a.orLarger(b);
      String what = "seed %d: %s, %s, %s".formatted(seed, a, b, shape);
      for (BudgetSplit pool : List.of(before, limit.split())) {
        for (BudgetSplit floor : List.of(before, limit.split())) {
          assertThat(excess(pool, floor, larger, shape)).as(what).isLessThanOrEqualTo(1e-6);
        }
      }
      for (BudgetSplit pool : List.of(limit.split(), after)) {
        for (BudgetSplit floor : List.of(limit.split(), after)) {
          assertThat(excess(pool, floor, larger, shape)).as(what).isLessThanOrEqualTo(1e-6);
        }
      }
      if (excess(before, after, larger, shape) > 1e-6
          || excess(after, before, larger, shape) > 1e-6) {
        directly++;
      }
    }
    assertThat(compared).as("seed %d", seed).isGreaterThan(15_000);
    assertThat(directly)
        .as("seed %d: changes that would exceed without a step between", seed)
        .isPositive();
  }

  /** The replica that accepts an override may not have the new configuration yet. */
  @Test
  void anOverrideThatFitsTheReplicaThatWasCalledOnly_isAppliedWithinItsLimits() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    int slower = 0;
    // Until there was one that does not fit: few are like that.
    for (int round = 0; round < 20_000 || (slower == 0 && round < 2_000_000); round++) {
      ClusterShape shape =
          new ClusterShape(1 + random.nextInt(10), 0.05 + random.nextDouble() * 0.85);
      LimiterSpec called = spec(random, shape);
      LimiterSpec set = spec(random, shape);
      RateOverride override = new RateOverride(1, set.rate(), set.burst(), 3_600 * SECOND);
      try {
        BudgetSplit.of(called, override, shape);
      } catch (IllegalArgumentException e) {
        continue;
      }
      LimiterSpec other = spec(random, shape);
      EffectiveLimit limit = new EffectiveLimit(other, shape);
      PoolReply reply =
          new PoolReply(
              PoolReply.Status.DONE,
              0,
              0,
              1,
              1,
              1,
              1,
              1,
              2,
              3,
              0,
              new EntryId(1, 2, 3),
              1,
              override);
      String what = "seed %d: %s, %s, %s, %s".formatted(seed, called, other, override, shape);
      assertThat(limit.received(reply, 0, 0, Instant.EPOCH)).as(what).isTrue();
      assertThat(limit.split().capacity()).as(what).isPositive();
      assertThat(excess(limit.split(), limit.split(), set, shape))
          .as(what)
          .isLessThanOrEqualTo(1e-6);
      if (1e9 / limit.split().poolInterval() < override.rate() * 0.09) {
        slower++;
      }
      limit.update(4_000 * SECOND);
      assertThat(limit.split()).as(what).isEqualTo(BudgetSplit.of(other, shape));
    }
    assertThat(slower).as("seed %d: overrides that do not fit", seed).isPositive();
  }

  /** By how much a pool and the floors of all replicas exceed limits, in rate or in burst. */
  private static double excess(
      BudgetSplit pool, BudgetSplit floor, LimiterSpec limits, ClusterShape shape) {
    double poolRate = 1e9 / pool.poolInterval();
    double floorRate = floor.hasFloors() ? shape.maxReplicas() * 1e9 / floor.floorInterval() : 0;
    double burst =
        pool.capacity()
            + poolRate * pool.permitNanos() / 1e9
            + floorRate * floor.slackNanos() / 1e9
            + (double) shape.maxReplicas() * floor.floorBurst();
    return Math.max(poolRate + floorRate - limits.rate(), burst - limits.burst());
  }

  @Test
  void theLargerLimitsHold_untilTheChangeHasSettled() {
    ClusterShape shape = new ClusterShape(3, 0.2);
    LimiterSpec before = new LimiterSpec("x", 10, 100);
    LimiterSpec after = new LimiterSpec("x", 20, 50);
    Replica replica = new Replica(0, before, shape, new Random(1));
    timeline.runUntil(SECOND);
    replica.budget.change(after, SETTLE);
    assertThat(replica.budget.isSettling()).isTrue();
    assertThat(replica.budget.snapshot().rate()).isEqualTo(20);
    assertThat(replica.budget.snapshot().burst()).isEqualTo(100);
    assertThat(replica.budget.status().floorBurst()).as("the smaller one").isEqualTo(3);
    timeline.runUntil(2 * SECOND + SETTLE);
    assertThat(replica.budget.isSettling()).isFalse();
    assertThat(replica.budget.snapshot().burst()).isEqualTo(50);
  }

  @Test
  void anOverrideInForce_winsOverTheChange_andABurstTooSmallRefusesIt() {
    ClusterShape shape = new ClusterShape(3, 0.2);
    LimiterSpec before = new LimiterSpec("x", 10, 100, 1_000, 100);
    Replica replica = new Replica(0, before, shape, new Random(1));
    timeline.runUntil(SECOND);
    replica.override(new RateOverride(0, 500, 80, 3_600 * SECOND));
    replica.budget.change(new LimiterSpec("x", 20, 100, 1_000, 100), SETTLE);
    timeline.runUntil(3 * SECOND + SETTLE);
    assertThat(replica.budget.snapshot().rate()).isEqualTo(500);
    assertThatThrownBy(() -> replica.budget.change(new LimiterSpec("x", 1e6, 4), SETTLE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("limiters.x.burst");
    assertThat(replica.budget.spec().rate()).isEqualTo(20);
  }
}
