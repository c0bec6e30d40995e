// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.member;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Two threads of a member: one that only makes calls to pools, and one that may be held up. */
final class MemberThreads {
  final ExecutorService calls;
  private final ScheduledExecutorService chores;

  MemberThreads() {
    this.calls =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("coxswain-limiter-calls").factory());
    ScheduledThreadPoolExecutor scheduled =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("coxswain-limiter-chores").factory());
    scheduled.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    scheduled.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
    this.chores = scheduled;
  }

  /** Runs a chore again and again, which must not throw. */
  void everySecond(Runnable chore) {
    var _ = chores.scheduleWithFixedDelay(chore, 0, 1, TimeUnit.SECONDS);
  }

  void stop() {
    calls.shutdown();
    chores.shutdown();
  }
}
