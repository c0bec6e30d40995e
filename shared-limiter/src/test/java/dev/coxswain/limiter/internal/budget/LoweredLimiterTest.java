// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.RateOverride;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import dev.coxswain.limiter.internal.bucket.PoolRequest;
import dev.coxswain.limiter.internal.member.ProcessPool;
import dev.coxswain.retry.WindowChecker;
import dev.coxswain.spi.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a change of the limits does to the permits of a pool. */
class LoweredLimiterTest {
  private static final ClusterShape SHAPE = new ClusterShape(5, 0.2);
  private static final LimiterSpec SPEC = new LimiterSpec("x", 100, 100, 1_000, 1_000);
  private static final long SECOND = 1_000_000_000;

  private long now;
  private final ProcessPool pool =
      new ProcessPool(
          new Clock() {
            @Override
            public long nanos() {
              return now;
            }

            @Override
            public Instant instant() {
              return Instant.EPOCH;
            }
          });

  private PoolReply ask(int count, @Nullable RateOverride set) {
    PoolRequest request =
        new PoolRequest(SPEC.rate(), SPEC.burst(), SHAPE, count, 3, SECOND, set, null);
    return Objects.requireNonNull(PoolReply.decode(pool.apply("x", request.encode())));
  }

  @Test
  void poolThatWasJustUsedUp_andIsLowered_givesTheNextPermitAfterOneNewInterval() {
    ask(0, null);
    now += 100 * SECOND;
    while (ask(1_000, null).granted() > 0) {
      // until nothing is left, not even ahead
    }
    PoolReply before = ask(0, null);
    PoolReply lowered = ask(0, new RateOverride(0, 2, 20, 3_600 * SECOND));
    long promisedAhead = before.firstDelay() - before.interval();
    assertThat(lowered.firstDelay())
        .as("promised ahead for %s", promisedAhead)
        .isLessThanOrEqualTo(promisedAhead + lowered.interval());
  }

  /** Limits, and from when until when permits of them may be used. */
  private record Held(long from, long to, BudgetSplit split) {}

  private final List<Held> history = new ArrayList<>();
  private BudgetSplit inForce = BudgetSplit.of(SPEC, SHAPE);
  private long inForceFrom;
  private long lastGood;
  private long lastUse;
  private long mustExpire;

  /** Returns the largest limits of each time: old ones hold while permits of them may be used. */
  private List<WindowChecker.Limit> limits() {
    history.add(new Held(inForceFrom, Long.MAX_VALUE, inForce));
    List<WindowChecker.Limit> result = new ArrayList<>();
    for (long at :
        history.stream()
            .flatMapToLong(held -> LongStream.of(held.from, held.to))
            .filter(time -> time < Long.MAX_VALUE)
            .sorted()
            .distinct()
            .toArray()) {
      List<BudgetSplit> held =
          history.stream().filter(one -> one.from <= at && at < one.to).map(Held::split).toList();
      result.add(
          new WindowChecker.Limit(
              at,
              held.stream().mapToDouble(one -> 1e9 / one.poolInterval()).max().orElseThrow(),
              held.stream().mapToInt(LoweredLimiterTest::burst).max().orElseThrow()));
    }
    return result;
  }

  /** Returns the capacity and what comes in while a permit is good. */
  private static int burst(BudgetSplit split) {
    return split.capacity() + (int) Math.ceil(1.0 * split.permitNanos() / split.poolInterval());
  }

  /**
   * The promise over random changes: rate and burst up and down, in quick succession, ended before
   * their time or by it; with permits that are used at once, late, or at the last moment. And no
   * pause is longer than the promise needs: what was promised ahead, the lives of the permits that
   * were there when the rate last rose, and one interval of the new rate.
   */
  @Test
  void anyChanges_noWindowExceedsTheLimitsOfItsTime_andNoPauseIsLongerThanThatNeeds() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    for (int round = 0; round < 300; round++) {
      changes(new Random(seed + round), "seed " + (seed + round));
    }
  }

  private void changes(Random random, String seed) {
    pool.lose("x");
    history.clear();
    now += 1_000 * SECOND;
    ask(0, null);
    now += 1_000 * SECOND;
    inForce = BudgetSplit.of(SPEC, SHAPE);
    inForceFrom = now;
    lastGood = now;
    lastUse = now;
    mustExpire = now;
    List<Long> used = new ArrayList<>();
    int lateness = random.nextInt(3);
    long overrideEnds = Long.MAX_VALUE;
    for (int i = 0; i < 400; i++) {
      long step = random.nextLong(random.nextInt(10) == 0 ? 20 * SECOND : SECOND / 20);
      if (overrideEnds - now <= step) {
        now = overrideEnds - 1; // a moment before it ends by itself
        overrideEnds = Long.MAX_VALUE;
        change(null, 1, seed);
        continue;
      }
      now += step;
      if (random.nextInt(8) == 0) {
        RateOverride set = override(random);
        change(set, 0, seed);
        overrideEnds = set.leftNanos() == 0 ? Long.MAX_VALUE : now + set.leftNanos();
      }
      PoolReply reply = ask(1 + random.nextInt(random.nextBoolean() ? 3 : 500), null);
      for (int j = 0; j < reply.granted(); j++) {
        long good = now + Math.max(0, reply.firstDelay() + j * reply.interval());
        lastGood = Math.max(lastGood, good);
        lastUse = Math.max(lastUse, good + reply.permitNanos());
        used.add(
            good
                + switch (lateness) {
                  case 0 -> 0;
                  case 1 -> random.nextLong(reply.permitNanos() + 1);
                  default -> random.nextInt(20) == 0 ? 0 : reply.permitNanos();
                });
      }
    }
    long[] times = used.stream().mapToLong(Long::longValue).sorted().toArray();
    assertThat(WindowChecker.worst(times, times.length, limits()).excess())
        .as(seed)
        .isLessThanOrEqualTo(1e-6);
    assertThat(times.length).as(seed).isGreaterThan(200);
  }

  private static RateOverride override(Random random) {
    while (true) {
      RateOverride set =
          new RateOverride(
              0,
              Math.exp(random.nextDouble() * 9 - 2),
              5 + random.nextInt(random.nextBoolean() ? 20 : 900),
              random.nextInt(5) == 0 ? 0 : 2 + random.nextLong(30 * SECOND));
      try {
        BudgetSplit.of(SPEC, set, SHAPE);
        return set;
      } catch (IllegalArgumentException e) {
        // a burst too small for the rate is refused
      }
    }
  }

  /** Makes a change, or lets time make it, and checks what it does to the pool. */
  private void change(@Nullable RateOverride set, long nanosUntil, String seed) {
    PoolReply before = ask(0, null);
    now += nanosUntil;
    PoolReply after = ask(0, set);
    boolean ended = set == null || set.leftNanos() == 0;
    BudgetSplit next = BudgetSplit.of(SPEC, ended ? null : set, SHAPE);
    assertThat(after.interval()).as(seed).isEqualTo(next.poolInterval());
    long promised = Math.max(0, lastGood - now);
    long usable = Math.max(0, lastUse - now);
    if (next.poolInterval() < inForce.poolInterval()) {
      mustExpire = lastUse;
    }
    long pause = Math.max(promised, mustExpire - now);
    assertThat(after.firstDelay())
        .as("%s: promised ahead for %s, usable for %s", seed, promised, usable)
        .isLessThanOrEqualTo(pause + next.poolInterval() + 1);
    if (usable == 0) {
      assertThat(after.tokens())
          .as(seed)
          .isCloseTo(Math.min(before.tokens(), next.capacity()), within(1e-4));
    }
    history.add(new Held(inForceFrom, now + usable + 1, inForce));
    inForce = next;
    inForceFrom = now;
  }

  @Test
  void worstWindowOfLimitsThatChange_isThatOfANaiveSearch() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      long[] times = random.longs(1 + random.nextInt(30), 0, 10 * SECOND).sorted().toArray();
      List<WindowChecker.Limit> some = new ArrayList<>();
      for (long at : random.longs(1 + random.nextInt(4), 0, 10 * SECOND).sorted().toArray()) {
        some.add(new WindowChecker.Limit(at, random.nextInt(20), random.nextInt(9)));
      }
      double naive = Double.NEGATIVE_INFINITY;
      for (int i = 0; i < times.length; i++) {
        for (int j = i; j < times.length; j++) {
          naive = Math.max(naive, j - i + 1 - allowed(some, times[i], times[j]));
        }
      }
      assertThat(WindowChecker.worst(times, times.length, some).excess())
          .as("seed %s", seed)
          .isCloseTo(naive, within(1e-6));
    }
  }

  private static double allowed(List<WindowChecker.Limit> some, long from, long to) {
    double burst = some.getFirst().burst();
    double cameIn = 0;
    for (int i = 0; i < some.size(); i++) {
      long begin = i == 0 ? Long.MIN_VALUE : some.get(i).fromNanos();
      long end = i + 1 == some.size() ? Long.MAX_VALUE : some.get(i + 1).fromNanos();
      burst = begin <= from ? some.get(i).burst() : burst;
      cameIn += some.get(i).rate() * Math.max(0, Math.min(to, end) - Math.max(from, begin)) / 1e9;
    }
    return burst + cameIn;
  }
}
