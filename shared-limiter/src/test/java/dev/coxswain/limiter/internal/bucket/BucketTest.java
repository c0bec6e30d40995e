// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.bucket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.RateOverride;
import dev.coxswain.limiter.internal.hazelcast.LargerDebtPolicy;
import dev.coxswain.retry.WindowChecker;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BucketTest {
  private static final ClusterShape SHAPE = new ClusterShape(3, 0);
  private static final LimiterSpec SPEC = new LimiterSpec("x", 10, 20);

  private long now = 5;
  private long process = 1;

  private final PoolOwner owner =
      new PoolOwner() {
        @Override
        public long idHigh() {
          return process;
        }

        @Override
        public long idLow() {
          return 0;
        }

        @Override
        public long nanos() {
          return now;
        }

        @Override
        public boolean hasMajority(int liveReplicas) {
          return liveReplicas < 9;
        }

        @Override
        public boolean hasBackup(String limiter, int liveReplicas) {
          return !limiter.equals("alone");
        }
      };

  private byte @Nullable [] state;

  private PoolReply ask(int count, @Nullable RateOverride set) {
    PoolRequest request =
        new PoolRequest(SPEC.rate(), SPEC.burst(), SHAPE, count, 3, 1_000_000_000, set, null);
    PoolChange change = PoolChange.apply("x", state, request.encode(), owner);
    if (change.state() != null) {
      state = change.state();
    }
    return Objects.requireNonNull(PoolReply.decode(change.reply()));
  }

  @Test
  void permitsOfOneOwner_areThoseOfAnExactBucket() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    BudgetSplit split = BudgetSplit.of(SPEC, SHAPE);
    ask(0, null);
    now += 100_000_000_000L;
    // The oracle: every permit that was ever given, each one interval after the one before it, and
    // no earlier than a full bucket allows.
    long fullAt = now;
    for (int i = 0; i < 50_000; i++) {
      now += random.nextLong(400_000_000);
      int wanted = random.nextInt(6);
      PoolReply reply = ask(wanted, null);
      for (int j = 0; j < reply.granted(); j++) {
        fullAt = Math.max(now, fullAt) + split.poolInterval();
        long expected = Math.max(0, fullAt - split.capacity() * split.poolInterval() - now);
        long told = Math.max(0, reply.firstDelay() + j * reply.interval());
        assertThat(told).as("seed %s, step %s", seed, i).isEqualTo(expected);
        assertThat(told).isLessThanOrEqualTo(split.horizon());
      }
      if (reply.granted() < wanted) {
        assertThat(reply.firstDelay() + reply.granted() * reply.interval())
            .isGreaterThan(split.horizon());
      }
    }
  }

  @Test
  void poolOfWhichNothingIsKnown_givesNothingUntilAllThatCouldBeOutIsMadeUpFor() {
    BudgetSplit split = BudgetSplit.of(SPEC, SHAPE);
    PoolReply first = ask(5, null);
    assertThat(first.granted()).isZero();
    long wait = first.firstDelay() - split.horizon();
    assertThat(wait).isEqualTo(1_000_000_000 + split.poolInterval());
    now += wait - 1;
    assertThat(ask(5, null).granted()).isZero();
    now += 1;
    assertThat(ask(5, null).granted()).isEqualTo(1);
  }

  @Test
  void nextOwner_takesNoTimeToHavePassed_andThenCountsItsOwn() {
    ask(0, null);
    now += 100_000_000_000L;
    int given = 0;
    while (ask(1, null).granted() == 1) {
      given++;
    }
    assertThat(given).isGreaterThan(15);
    process = 2;
    now -= 77_000_000_000_000L; // another clock
    assertThat(ask(1, null).granted()).isZero();
    now += 1_000_000_000; // although nothing was granted, time passes for this one
    assertThat(ask(20, null).granted()).isEqualTo(10);
  }

  @Test
  void clockThatGoesBack_givesNothing() {
    ask(0, null);
    now += 100_000_000_000L;
    while (ask(1, null).granted() == 1) {
      // until it is empty
    }
    now -= 50_000_000_000L;
    assertThat(ask(1, null).granted()).isZero();
  }

  @Test
  void override_holdsUntilItsEnd_andThenTheConfiguredRateComesBack() {
    ask(0, null);
    now += 100_000_000_000L;
    PoolReply set = ask(0, new RateOverride(0, 2, 10, 4_000_000_000L));
    assertThat(set.interval()).isEqualTo(500_000_000);
    assertThat(set.overrideGeneration()).isEqualTo(1);
    assertThat(set.override()).isNotNull();
    now += 3_999_999_999L;
    assertThat(ask(0, null).interval()).isEqualTo(500_000_000);
    now += 1;
    PoolReply after = ask(0, null);
    assertThat(after.interval()).isEqualTo(100_000_000);
    assertThat(after.override()).isNull();
  }

  @Test
  void fastOverrideThatHasEnded_doesNotMakeUpForTimeAfterItsEnd() {
    ask(0, null);
    now += 100_000_000_000L;
    ask(0, new RateOverride(0, 100, 200, 1_000_000_000L));
    while (ask(50, null).granted() > 0) {
      // until it is empty, also ahead
    }
    double before = ask(0, null).tokens();
    now += 1_300_000_000L; // one second at 100/s fills what the burst of before has room for
    int full = BudgetSplit.of(SPEC, SHAPE).capacity();
    assertThat(before).isNegative();
    assertThat(ask(0, null).tokens()).isBetween(full - 0.1, (double) full);
    while (ask(50, null).granted() > 0) {
      // until it is empty
    }
    before = ask(0, null).tokens();
    now += 1_000_000_000L;
    assertThat(ask(0, null).tokens()).isCloseTo(before + 10, within(0.001));
  }

  @Test
  void changeOfTheLimits_keepsWhatIsHeld_asFarAsThereIsRoom() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int i = 0; i < 10_000; i++) {
      Bucket bucket = bucket(i, 0);
      bucket.advance(owner, BudgetSplit.of(SPEC, SHAPE));
      now += 1L << 50; // full
      bucket.advance(owner, BudgetSplit.of(SPEC, SHAPE));
      bucket.limits(1_000, 1 + random.nextInt(18), 1_000);
      double held = bucket.tokens();
      for (int j = 0; j < 5; j++) {
        int capacity = 1 + random.nextInt(30);
        bucket.limits(1_000 + random.nextLong(1L << (10 + random.nextInt(30))), capacity, 1_000);
        held = Math.min(held, capacity);
        assertThat(bucket.tokens()).as("seed %s", seed).isBetween(held - 0.01, held);
      }
    }
  }

  private static Bucket bucket(int id, long more) {
    return Bucket.lost(new EntryId(id, 1, 1), BudgetSplit.of(SPEC, SHAPE), more);
  }

  @Test
  void mergedPools_oweAsMuchAsTheOneThatOwesMore() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int i = 0; i < 1_000; i++) {
      Bucket a = bucket(i, random.nextLong(1L << 36));
      Bucket b = bucket(i, random.nextLong(1L << 36));
      long most = Math.max(a.emptyIn(), b.emptyIn());
      byte[] merged = Objects.requireNonNull(LargerDebtPolicy.merge(a.encode(), b.encode()));
      Bucket result = Objects.requireNonNull(Bucket.decode(merged));
      assertThat(result.emptyIn()).as("seed %s", seed).isEqualTo(most);
    }
  }

  @Test
  void whatIsNotUnderstood_grantsNothingAndIsLeftAlone() {
    byte[] strange = new byte[Bucket.SIZE];
    strange[0] = 99;
    PoolRequest request = new PoolRequest(10, 20, SHAPE, 1, 3, 0, null, null);
    PoolChange unknownState = PoolChange.apply("x", strange, request.encode(), owner);
    assertThat(unknownState.state()).isNull();
    assertThat(status(unknownState)).isEqualTo(PoolReply.Status.VERSION);
    PoolChange unknownRequest = PoolChange.apply("x", null, new byte[] {99, 1}, owner);
    assertThat(unknownRequest.state()).isNull();
    assertThat(status(unknownRequest)).isEqualTo(PoolReply.Status.VERSION);
    PoolRequest senseless = new PoolRequest(-1, 20, SHAPE, 1, 3, 0, null, null);
    assertThat(status(PoolChange.apply("x", null, senseless.encode(), owner)))
        .isEqualTo(PoolReply.Status.INVALID);
    PoolRequest lonely = new PoolRequest(10, 20, SHAPE, 1, 9, 0, null, null);
    assertThat(status(PoolChange.apply("x", null, lonely.encode(), owner)))
        .isEqualTo(PoolReply.Status.MINORITY);
    assertThat(PoolReply.decode(new byte[] {2, 0})).isNull();
  }

  /** A frozen owner was expelled before its entry had a backup, and went on for itself. */
  @Test
  void whereNoOtherProcessStoresTheChange_nothingIsGranted() {
    PoolRequest request = new PoolRequest(10, 20, SHAPE, 1, 3, 0, null, null);
    PoolChange change = PoolChange.apply("alone", null, request.encode(), owner);
    assertThat(status(change)).isEqualTo(PoolReply.Status.NO_BACKUP);
    assertThat(change.state()).isNull();
  }

  private static PoolReply.Status status(PoolChange change) {
    return Objects.requireNonNull(PoolReply.decode(change.reply())).status();
  }

  @Test
  void worstWindow_isThatOfANaiveSearch() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      long[] times = new long[1 + random.nextInt(40)];
      for (int i = 0; i < times.length; i++) {
        times[i] = random.nextLong(10_000_000_000L);
      }
      Arrays.sort(times);
      double naive = Double.NEGATIVE_INFINITY;
      for (int i = 0; i < times.length; i++) {
        for (int j = i; j < times.length; j++) {
          naive = Math.max(naive, j - i + 1 - 3 * (times[j] - times[i]) / 1e9 - 4);
        }
      }
      WindowChecker.Window worst = WindowChecker.worst(times, times.length, 3, 4);
      assertThat(worst.excess()).as("seed %s", seed).isCloseTo(naive, within(1e-9));
      assertThat(worst.starts() - 4 - 3 * (worst.toNanos() - worst.fromNanos()) / 1e9)
          .isCloseTo(naive, within(1e-9));
    }
  }
}
