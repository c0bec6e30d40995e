// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.PermissiveView;
import dev.coxswain.limiter.internal.member.ProcessPool;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Calls to the pool that wait for the thread on which they are sent. */
class CallsThatWaitTest implements PermissiveView {
  private final VirtualTime time = new VirtualTime();
  private final Lease lease = new Lease(0, time.nanos());
  private final ProcessPool pool = new ProcessPool(time);
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final List<CompletableFuture<byte[]>> answers = new ArrayList<>();
  private final List<byte[]> requests = new ArrayList<>();
  private final SharedRetryBudget budget =
      new SharedRetryBudget(
          new LimiterSpec("x", 1_000, 200),
          new ClusterShape(1, 0),
          this,
          time,
          (limiter, request) -> {
            requests.add(request);
            CompletableFuture<byte[]> answer = new CompletableFuture<>();
            answers.add(answer);
            return answer;
          },
          tasks::add,
          0);
  private final RetryBudget.Waiter one = budget.openWaiter("one");
  private final RetryBudget.Waiter other = budget.openWaiter("other");

  @BeforeEach
  void thePoolIsFull() {
    budget.poll();
    next();
    time.advance(Duration.ofSeconds(60));
  }

  @Test
  void whatIsRequestedBeforeACallIsSent_goesWithIt() {
    one.tryAcquire(3);
    other.tryAcquire(4);
    one.tryAcquire(5);
    assertThat(tasks).as("one call").hasSize(1);
    next();
    assertThat(requests).hasSize(2);
    assertThat(started(one, 5) + started(other, 4)).isEqualTo(9);
  }

  @Test
  void whatIsRequestedAfterACallWasSent_goesWithTheNextOne() {
    one.tryAcquire(1);
    Objects.requireNonNull(tasks.poll()).run();
    other.tryAcquire(1);
    assertThat(tasks).hasSize(1);
    next();
    assertThat(requests).hasSize(3);
    answer(1);
    assertThat(started(one, 1) + started(other, 1)).isEqualTo(2);
  }

  @Test
  void aCallThatWasGivenUpBeforeItsTurn_isNotSent() {
    one.tryAcquire(3);
    time.advance(Duration.ofSeconds(1)); // more than a permit lives
    one.tryAcquire(3);
    assertThat(budget.status().failed()).isEqualTo(1);
    assertThat(tasks).hasSize(2);
    Objects.requireNonNull(tasks.poll()).run();
    assertThat(requests).as("the call that was given up is not sent").hasSize(1);
    next();
    assertThat(started(one, 3)).isEqualTo(3);
    assertThat(budget.status().late()).isZero();
  }

  /** Sends the next call and answers it. */
  private void next() {
    Objects.requireNonNull(tasks.poll()).run();
    answer(requests.size() - 1);
  }

  private void answer(int call) {
    answers.get(call).complete(pool.apply("x", requests.get(call)));
  }

  private static int started(RetryBudget.Waiter waiter, int waiting) {
    int started = 0;
    while (started < waiting && waiter.tryAcquire(waiting - started) == 0) {
      started++;
    }
    return started;
  }

  @Override
  public Lease lease() {
    return lease;
  }

  @Override
  public int liveReplicas() {
    return 1;
  }
}
