// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.run;

import dev.coxswain.spi.Alarm;
import dev.coxswain.spi.Clock;
import dev.coxswain.testkit.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;

/**
 * Virtual time that threads of caches give tasks to. The API server stamps objects with its wall
 * clock.
 *
 * <p>Thread rule: {@link #execute} and the clock any thread, the rest the thread that made it.
 */
public final class KitTime implements Clock, Executor {

  private final VirtualTime time = new VirtualTime(0);
  private final Instant begin;
  private final Thread owner = Thread.currentThread();
  private final Queue<Runnable> incoming = new ConcurrentLinkedQueue<>();

  /**
   * Creates a clock at zero.
   *
   * @param begin the wall clock then
   */
  KitTime(Instant begin) {
    this.begin = begin;
  }

  @Override
  public long nanos() {
    return time.nanos();
  }

  @Override
  public Instant instant() {
    return begin.plusNanos(time.nanos());
  }

  /** Returns how much time has passed. */
  public Duration elapsed() {
    return time.elapsed();
  }

  /** Returns whether this is the thread that runs everything. */
  public boolean isOwner() {
    return Thread.currentThread().equals(owner);
  }

  @Override
  public void execute(Runnable task) {
    if (isOwner()) {
      time.execute(task);
    } else {
      incoming.add(task);
    }
  }

  Alarm.Factory alarms() {
    return time;
  }

  /** Returns whether threads have added tasks since {@link #settle}. */
  boolean hasIncoming() {
    return !incoming.isEmpty();
  }

  /** Runs everything that is due now. */
  void settle() {
    do {
      for (Runnable task = incoming.poll(); task != null; task = incoming.poll()) {
        time.execute(task);
      }
      time.settle();
    } while (hasIncoming());
  }

  /** Advances to the next alarm if it is due by {@code end}; false when none is. */
  boolean advanceToNext(long end) {
    Duration next = time.untilNext().orElse(Duration.ofNanos(Long.MAX_VALUE / 2));
    return time.nanos() + next.toNanos() <= end && time.advanceToNext();
  }

  /** Advances to a time before which no alarm is due; does nothing when it has passed. */
  void skipTo(long end) {
    if (end > time.nanos()) {
      time.advance(Duration.ofNanos(end - time.nanos()));
    }
  }
}
