// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.internal.UserCode;
import dev.coxswain.testing.TestLength;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeaseThreadsTest {

  private static final long LIMIT_SECONDS = 30;
  private static final int ROUNDS = TestLength.of(1_000, 20_000);

  private final LeaseThreads threads = new LeaseThreads("test", new UserCode("replica", "test"));
  private final Semaphore steps = new Semaphore(0);

  private boolean stepped() throws InterruptedException {
    return steps.tryAcquire(LIMIT_SECONDS, TimeUnit.SECONDS);
  }

  @Test
  void wake_endsTheWait_andSoDoesTheStop_butForGood() throws Exception {
    threads.start(
        new LeaseThreads.Step(
            "test",
            () -> {
              steps.release();
              return Duration.ofDays(1);
            },
            "failed",
            Duration.ofDays(1)));
    assertThat(stepped()).as("the first step").isTrue();
    threads.wake();
    assertThat(stepped()).as("after a wake-up").isTrue();
    threads.stop("test-stop", () -> {}).await(LIMIT_SECONDS, TimeUnit.SECONDS);
    threads.wake();
    assertThat(steps.availablePermits()).as("steps after the stop").isZero();
  }

  /** A wake-up that met the stop used to take the permits of the other threads. */
  @Test
  void aWakeUpDuringTheStop_leavesNoThreadBehind() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      Semaphore begun = new Semaphore(0);
      LeaseThreads two = new LeaseThreads("test", new UserCode("replica", "test"));
      two.start(endless("one", begun), endless("two", begun));
      assertThat(begun.tryAcquire(2, LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      Thread waking = Thread.ofPlatform().start(two::wake);
      two.stop("test-stop", () -> {}).await(LIMIT_SECONDS, TimeUnit.SECONDS);
      waking.join();
    }
  }

  private static LeaseThreads.Step endless(String name, Semaphore begun) {
    return new LeaseThreads.Step(
        name,
        () -> {
          begun.release();
          return Duration.ofDays(1);
        },
        "failed",
        Duration.ofDays(1));
  }
}
