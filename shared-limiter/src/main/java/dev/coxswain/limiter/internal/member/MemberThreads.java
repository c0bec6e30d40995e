// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The two threads of a member: one for calls to pools, and one for periodic tasks, which may take
 * longer.
 */
final class MemberThreads {
  final ExecutorService calls;
  private final ScheduledExecutorService periodic;

  MemberThreads() {
    this.calls =
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("coxswain-limiter-calls").factory());
    ScheduledThreadPoolExecutor scheduled =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("coxswain-limiter-periodic").factory());
    scheduled.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    scheduled.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
    this.periodic = scheduled;
  }

  /** Runs a task every second. It must not throw. */
  void everySecond(Runnable task) {
    var _ = periodic.scheduleWithFixedDelay(task, 0, 1, TimeUnit.SECONDS);
  }

  void stop() {
    calls.shutdown();
    periodic.shutdown();
  }
}
