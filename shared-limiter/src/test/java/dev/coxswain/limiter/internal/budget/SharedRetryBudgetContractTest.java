// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.PermissiveView;
import dev.coxswain.limiter.internal.RateOverride;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.ReplicaView.Lease;
import dev.coxswain.limiter.internal.member.ProcessPool;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.testkit.RetryBudgetContract;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The laws of every budget, with the real pool change in this process and on virtual time. */
class SharedRetryBudgetContractTest extends RetryBudgetContract {
  private static final ClusterShape SHAPE = new ClusterShape(1, 0.2);

  @Override
  protected RetryBudget create(double rate, int burst) {
    RetryBudget budget = budget(rate, burst, view(true));
    // The pool is not there at first and begins in debt; the budget of the laws is full.
    RetryBudget.Waiter waiter = budget.openWaiter("first");
    waiter.tryAcquire(1);
    settle();
    waiter.close();
    time.advance(Duration.ofNanos((long) (2e9 * (burst + 100) / rate) + 40_000_000_000L));
    return budget;
  }

  private @Nullable ProcessPool pool;

  private SharedRetryBudget budget(double rate, int burst, ReplicaView view) {
    ProcessPool pool = new ProcessPool(time);
    this.pool = pool;
    return new SharedRetryBudget(
        new LimiterSpec("test", rate, burst),
        SHAPE,
        view,
        time,
        (limiter, request) -> CompletableFuture.completedFuture(pool.apply(limiter, request)),
        time,
        0);
  }

  private ReplicaView view(boolean mayAct) {
    return view(mayAct, "");
  }

  private ReplicaView view(boolean mayAct, String poolProblem) {
    Lease lease = new Lease(0, time.nanos());
    return new PermissiveView() {
      @Override
      public boolean mayAct() {
        return mayAct;
      }

      @Override
      public Lease lease() {
        return lease;
      }

      @Override
      public int liveReplicas() {
        return 1;
      }

      @Override
      public String poolProblem() {
        return poolProblem;
      }
    };
  }

  @Override
  protected void settle() {
    time.settle();
  }

  @Override
  protected int smallBurst() {
    return 2;
  }

  @Override
  protected int atOnce(int burst) {
    // What permits need for their expiry is kept back: a quarter of the pool at most, rounded up.
    return burst - burst / 4 - 2;
  }

  @Test
  void replicaWhoseLeaseIsNotLive_startsNothing() {
    SharedRetryBudget budget = budget(10, 20, view(false));
    RetryBudget.Waiter waiter = budget.openWaiter("a");
    for (int i = 0; i < 1_000; i++) {
      assertThat(waiter.tryAcquire(5)).isPositive();
      time.advance(Duration.ofMillis(100));
    }
    assertThat(budget.snapshot().degraded()).contains("Lease of this replica is not live");
  }

  @Test
  void oneLateAnswer_isCountedAndNoTrouble_butALastingSilenceIs() {
    CompletableFuture<byte[]> late = new CompletableFuture<>();
    List<CompletableFuture<byte[]>> answers = new ArrayList<>(List.of(late));
    ProcessPool pool = new ProcessPool(time);
    List<byte[]> requests = new ArrayList<>();
    SharedRetryBudget budget =
        new SharedRetryBudget(
            new LimiterSpec("test", 100, 20),
            SHAPE,
            view(true),
            time,
            (limiter, request) -> {
              requests.add(request);
              return answers.isEmpty()
                  ? CompletableFuture.completedFuture(pool.apply(limiter, request))
                  : answers.getFirst();
            },
            time,
            0);
    RetryBudget.Waiter waiter = budget.openWaiter("a");
    waiter.tryAcquire(1_000);
    settle();
    time.advance(Duration.ofMillis(100)); // more than a permit lives
    waiter.tryAcquire(1_000);
    settle();
    assertThat(budget.status().failed()).isEqualTo(1);
    assertThat(requests).as("the next call goes out at once").hasSize(2);
    assertThat(budget.snapshot().degraded()).isNull();
    for (int i = 0; i < 30; i++) {
      time.advance(Duration.ofMillis(100));
      waiter.tryAcquire(1_000);
      settle();
    }
    assertThat(budget.snapshot().degraded()).contains("does not answer in time");
    answers.clear();
    late.complete(pool.apply("test", requests.getFirst()));
    assertThat(budget.snapshot().degraded()).isNull();
  }

  @Test
  void whyThePoolMayNotBeUsed_isToldAsItIs() {
    SharedRetryBudget budget =
        budget(10, 20, view(true, "the other replicas could not be looked at"));
    assertThat(budget.snapshot().degraded())
        .isEqualTo("the other replicas could not be looked at: floor only");
  }

  @Test
  void floor_isShownAsWhatBelongsToThisReplica_andWhatItHasGranted() {
    SharedRetryBudget budget =
        budget(10, 20, view(true, "the other replicas could not be looked at"));
    time.advance(Duration.ofMinutes(10));
    BudgetSnapshot.Floor full = Objects.requireNonNull(budget.snapshot().floor());
    assertThat(full.rate() * SHAPE.maxReplicas())
        .isCloseTo(10 * SHAPE.floorShare(), within(1e-6)); // its interval is rounded to 1 ns
    assertThat(full.tokens()).isEqualTo(full.burst());
    assertThat(full.granted()).isZero();
    assertThat(budget.openWaiter("a").tryAcquire(1)).isZero();
    BudgetSnapshot.Floor used = Objects.requireNonNull(budget.snapshot().floor());
    assertThat(used.granted()).isEqualTo(1);
    assertThat(used.tokens()).isEqualTo(full.burst() - 1);
  }

  @Test
  void floorOfALeaseThatWasJustAcquired_isEmpty() {
    SharedRetryBudget budget = budget(10, 20, view(true));
    assertThat(budget.openWaiter("a").tryAcquire(1)).isPositive();
    assertThat(budget.status().floorTokens()).isZero();
  }

  @Test
  void arrivingPermit_callsTheFirstInTheLine() {
    RetryBudget budget = create(10, 20);
    List<String> called = new ArrayList<>();
    RetryBudget.Waiter first = budget.openWaiter("first", () -> called.add("first"));
    budget.openWaiter("second", () -> called.add("second"));
    while (first.tryAcquire(1) == 0) {
      // what the floor has
    }
    settle();
    assertThat(called).containsExactly("first");
    assertThat(first.tryAcquire(1)).isZero();
  }

  @Test
  void reserving_isRefused() {
    RetryBudget budget = create(10, 20);
    assertThat(budget.reserves()).isFalse();
    assertThatThrownBy(() -> budget.openWaiter("a").reserve())
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("limiter \"test\"");
  }

  @Test
  void estimate_growsWithThePosition_andTellsTheRate() {
    SharedRetryBudget budget = (SharedRetryBudget) create(10, 20);
    RetryBudget.Waiter waiter = budget.openWaiter("a");
    while (waiter.tryAcquire(200) == 0) {
      settle();
    }
    settle();
    waiter.tryAcquire(200);
    long previous = -1;
    for (int position = 1; position <= 100; position++) {
      long estimate = waiter.estimateNanos(position);
      assertThat(estimate).isGreaterThanOrEqualTo(previous);
      previous = estimate;
    }
    assertThat(previous / 1e9).isBetween(8.0, 12.0);
  }

  /** It counted on for ever with the rate of an override that ends in a moment. */
  @Test
  void estimate_countsWithTheEndOfAnOverride() {
    SharedRetryBudget budget = (SharedRetryBudget) create(10, 20);
    RetryBudget.Waiter waiter = budget.openWaiter("a");
    Objects.requireNonNull(pool)
        .apply("test", budget.request(0, new RateOverride(0, 1, 20, 20_000_000_000L)).encode());
    while (budget.snapshot().overrideUntil() == null) {
      waiter.tryAcquire(200);
      settle();
      time.advance(Duration.ofMillis(10));
    }
    while (waiter.tryAcquire(200) == 0) {
      settle();
    }
    // About 20 in the 20 s of the override, and 80 more at 10 a second.
    assertThat(waiter.estimateNanos(100) / 1e9).isBetween(22.0, 34.0);
    assertThat(waiter.estimateNanos(5) / 1e9).isLessThan(10);
  }
}
