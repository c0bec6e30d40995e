// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import dev.coxswain.apiserver.Faults;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Breaks a server by plan, beginning now. */
final class FaultRunner implements AutoCloseable {

  private final ScheduledExecutorService timer;
  private final List<Future<?>> planned = new ArrayList<>();
  private final Map<FaultSchedule.Entry, String> ids = new ConcurrentHashMap<>();

  FaultRunner(Faults faults, FaultSchedule schedule, long seed) {
    timer = new ScheduledThreadPoolExecutor(1, Thread.ofVirtual().name("storm-faults").factory());
    SplittableRandom random = new SplittableRandom(seed);
    for (FaultSchedule.Entry entry : schedule.entries()) {
      SplittableRandom own = random.split();
      plan(entry.begin().toNanos(), () -> ids.put(entry, entry.fault().begin(faults, own)));
      if (entry.fault().lasts()) {
        plan(
            entry.end().toNanos(),
            () -> entry.fault().end(faults, Objects.requireNonNull(ids.get(entry))));
      }
    }
  }

  private void plan(long nanos, Runnable action) {
    planned.add(timer.schedule(action, nanos, TimeUnit.NANOSECONDS));
  }

  /** Waits until all of the plan has been done. */
  void finish() {
    for (Future<?> one : planned) {
      try {
        one.get();
      } catch (Exception e) {
        throw new AssertionError("a fault could not be injected", e);
      }
    }
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
