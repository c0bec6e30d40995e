// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.coxswain.spi.Clock;
import dev.coxswain.testkit.RetryBudgetContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LocalRetryBudgetTest extends RetryBudgetContract {

  @Override
  protected RetryBudget create(double rate, int burst) {
    return new LocalRetryBudget("test", rate, burst, time);
  }

  @Test
  void whoeverComesBackWhenTold_getsATokenThen_notANanosecondEarlier() {
    RetryBudget.Waiter waiter = create(10, 2).openWaiter("a");
    assertThat(waiter.tryAcquire(9)).isZero();
    assertThat(waiter.tryAcquire(8)).isZero();
    for (int i = 0; i < 50; i++) {
      long wait = waiter.tryAcquire(7);
      assertThat(wait).isPositive();
      time.advance(Duration.ofNanos(wait - 1));
      assertThat(waiter.tryAcquire(7)).as("not a nanosecond earlier").isEqualTo(1);
      time.advance(Duration.ofNanos(1));
      assertThat(waiter.tryAcquire(7)).isZero();
    }
  }

  @Test
  void reserve_takesWithoutAsking_andTellsHowLongToWait() {
    RetryBudget.Waiter waiter = create(10, 2).openWaiter("a");
    assertThat(waiter.reserve()).isZero();
    assertThat(waiter.reserve()).isZero();
    assertThat(waiter.reserve()).isEqualTo(100_000_000);
    assertThat(waiter.reserve()).isEqualTo(200_000_000);
  }

  @Test
  void snapshot_tellsTokens() {
    RetryBudget budget = create(10, 3);
    RetryBudget.Waiter waiter = budget.openWaiter("b");
    waiter.tryAcquire(9);
    assertThat(budget.snapshot().tokens()).isEqualTo(2);
    waiter.tryAcquire(8);
    waiter.tryAcquire(7);
    waiter.tryAcquire(6);
    assertThat(budget.snapshot().granted()).isEqualTo(3);
    assertThat(budget.snapshot().denied()).isEqualTo(1);
  }

  @Test
  void badRateOrBurst_areRefusedNamingTheLimiter() {
    for (double rate : new double[] {0, -1, Double.NaN, Double.POSITIVE_INFINITY, 1e9}) {
      assertThatThrownBy(() -> create(rate, 1)).hasMessageContaining("rate of limiter \"test\"");
    }
    for (int burst : new int[] {0, -1, Integer.MAX_VALUE}) {
      assertThatThrownBy(() -> create(1, burst)).hasMessageContaining("burst of limiter \"test\"");
    }
  }

  @Test
  void slowestAllowedRateWithALargeBurst_doesNotOverflow() {
    RetryBudget.Waiter waiter = create(1 / 86_400.0, 10_000).openWaiter("a");
    for (int i = 0; i < 10_000; i++) {
      assertThat(waiter.tryAcquire(1)).isZero();
    }
    assertThat(waiter.tryAcquire(1)).isEqualTo(86_400_000_000_000L);
    assertThat(waiter.estimateNanos(Integer.MAX_VALUE)).isPositive();
  }

  @Test
  void manyThreadsAtOnce_realClock_noTokenIsGivenTwice() throws InterruptedException {
    LocalRetryBudget budget = new LocalRetryBudget("busy", 20_000, 50, Clock.system());
    AtomicInteger taken = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    long begin = System.nanoTime();
    for (int i = 0; i < 4; i++) {
      RetryBudget.Waiter waiter = budget.openWaiter("lane" + i);
      threads.add(
          Thread.ofVirtual()
              .start(() -> {
                for (int j = 0; j < 200_000; j++) {
                  if (waiter.tryAcquire(1) == 0) {
                    taken.incrementAndGet();
                  }
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    assertThat((double) taken.get()).isBetween(50.0, 50 + 20_000 * seconds);
    assertThat((long) taken.get()).isEqualTo(budget.snapshot().granted());
  }

  @Test
  void changedLimits_noWindowExceedsThoseOfItsTime_andTheNewRateIsUsed() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    for (int round = 0; round < 200; round++) {
      Random random = new Random(seed + round);
      LocalRetryBudget budget = new LocalRetryBudget("test", 10, 10, time);
      RetryBudget.Waiter waiter = budget.openWaiter("a");
      List<WindowChecker.Limit> limits = new ArrayList<>();
      limits.add(new WindowChecker.Limit(time.nanos(), 10, 10));
      List<Long> starts = new ArrayList<>();
      for (int i = 0; i < 400; i++) {
        if (random.nextInt(20) == 0) {
          double rate = Math.exp(random.nextDouble() * 8 - 2);
          int burst = 1 + random.nextInt(40);
          time.advance(Duration.ofNanos(1)); // starts before the change are those of another time
          budget.change(rate, burst);
          limits.add(new WindowChecker.Limit(time.nanos(), rate, burst));
        }
        long wait = waiter.tryAcquire(9);
        if (wait == 0) {
          starts.add(time.nanos());
        } else {
          time.advance(Duration.ofNanos(Math.min(wait, random.nextLong(1_000_000_000))));
        }
      }
      long[] times = starts.stream().mapToLong(Long::longValue).toArray();
      assertThat(WindowChecker.worst(times, times.length, limits).excess())
          .as("seed %d", seed + round)
          .isLessThanOrEqualTo(1e-6);
      WindowChecker.Limit last = limits.getLast();
      time.advance(Duration.ofNanos((long) (2e9 * last.burst() / last.rate())));
      assertThat(budget.snapshot().tokens()).as("seed %d", seed + round).isEqualTo(last.burst());
    }
  }

  @Test
  void aLowerBurst_keepsTheTokensUpToIt_andALargerOneFillsAtTheRate() {
    LocalRetryBudget budget = new LocalRetryBudget("test", 10, 100, time);
    budget.change(1, 5);
    assertThat(budget.snapshot().tokens()).isEqualTo(5);
    budget.change(1, 50);
    assertThat(budget.snapshot().tokens()).isCloseTo(5, within(1e-6));
    time.advance(Duration.ofSeconds(10));
    assertThat(budget.snapshot().tokens()).isCloseTo(15, within(1e-6));
  }

  @Test
  void aRaisedRate_wakesTheWaiter_whichWouldWaitForTheOldOne() {
    LocalRetryBudget budget = new LocalRetryBudget("test", 0.001, 1, time);
    AtomicInteger woken = new AtomicInteger();
    RetryBudget.Waiter waiter = budget.openWaiter("a", woken::incrementAndGet);
    assertThat(waiter.tryAcquire(1)).isZero();
    assertThat(waiter.tryAcquire(1)).isGreaterThan(Duration.ofMinutes(15).toNanos());
    budget.change(10, 1);
    assertThat(woken).hasValue(1);
    assertThat(waiter.tryAcquire(1)).isLessThanOrEqualTo(100_000_001);
  }

  @Test
  void reservations_keepTheirTimes_andLaterOnesAreNoCloserThanEitherRateAllows() {
    LocalRetryBudget budget = new LocalRetryBudget("test", 1, 1, time);
    RetryBudget.Waiter waiter = budget.openWaiter("a");
    waiter.reserve();
    assertThat(waiter.reserve()).isEqualTo(1_000_000_000);
    assertThat(waiter.reserve()).isEqualTo(2_000_000_000);
    budget.change(10, 1);
    assertThat(waiter.reserve()).isEqualTo(2_100_000_000);
    budget.change(0.1, 1);
    assertThat(waiter.reserve()).isGreaterThan(Duration.ofSeconds(30).toNanos());
  }

  @Test
  void aChangeOutOfRange_changesNothing() {
    LocalRetryBudget budget = new LocalRetryBudget("test", 10, 100, time);
    assertThatThrownBy(() -> budget.change(0, 1)).isInstanceOf(IllegalArgumentException.class);
    assertThat(budget.snapshot().rate()).isEqualTo(10);
    assertThat(budget.snapshot().tokens()).isEqualTo(100);
  }
}
