// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testkit;

import dev.coxswain.spi.Alarm;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A clock that stands still until it is advanced, with its alarms and an event loop that runs on
 * demand.
 *
 * <p>Thread rule: one thread; the time may be read on any.
 */
public final class VirtualTime implements Clock, Alarm.Factory, Executor {

  /** The number of tasks without time passing that is treated as an endless loop. */
  private static final int MAX_TASKS_AT_ONCE = 50_000_000;

  private static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

  private final long start;

  /** Written by the one thread, read by threads of caches too. */
  private volatile long now;

  private long sequence;
  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final PriorityQueue<Entry> entries = new PriorityQueue<>();

  /** Creates a clock whose first value is near overflow, to detect code that compares values. */
  public VirtualTime() {
    this(Long.MAX_VALUE - 5_000_000_000L);
  }

  /**
   * Creates a clock.
   *
   * @param startNanos its first value
   */
  public VirtualTime(long startNanos) {
    this.start = startNanos;
    this.now = startNanos;
  }

  @Override
  public long nanos() {
    return now;
  }

  @Override
  public Instant instant() {
    return EPOCH.plusNanos(now - start);
  }

  /** Returns how much time has passed since the beginning. */
  public Duration elapsed() {
    return Duration.ofNanos(now - start);
  }

  /** Adds a task at the end of the event loop. */
  @Override
  public void execute(Runnable task) {
    tasks.addLast(task);
  }

  /** Runs the event loop until it has nothing to do now. */
  public void settle() {
    for (int i = 0; i < MAX_TASKS_AT_ONCE; i++) {
      Runnable task = tasks.pollFirst();
      if (task == null) {
        Entry due = entries.peek();
        if (due == null || due.at - now > 0) {
          return;
        }
        entries.remove();
        due.run();
      } else {
        task.run();
      }
    }
    throw new IllegalStateException("the event loop did not become idle");
  }

  /** Advances the time from alarm to alarm, running everything that becomes due. */
  public void advance(Duration by) {
    long until = now + by.toNanos();
    settle();
    while (true) {
      Entry next = entries.peek();
      if (next == null || next.at - until > 0) {
        break;
      }
      now = next.at;
      settle();
    }
    now = until;
    settle();
  }

  /** Returns how long it is until the next alarm; empty when none is set. */
  public Optional<Duration> untilNext() {
    Entry next = entries.peek();
    return next == null
        ? Optional.empty()
        : Optional.of(Duration.ofNanos(Math.max(0, next.at - now)));
  }

  /** Advances the time to the next alarm; returns false when none is set. */
  public boolean advanceToNext() {
    settle();
    Entry next = entries.peek();
    if (next == null) {
      return false;
    }
    now = next.at;
    settle();
    return true;
  }

  /** Returns a future that completes on the event loop after a delay. */
  public Future<Void> after(Duration delay) {
    Promise<Void> promise = Promise.promise();
    entries.add(new Entry(now + delay.toNanos(), sequence++, promise::complete));
    return promise.future();
  }

  @Override
  public Alarm create(Runnable onRing) {
    return new VirtualAlarm(onRing);
  }

  private final class VirtualAlarm implements Alarm {
    private final Runnable onRing;
    private @Nullable Entry armed;

    VirtualAlarm(Runnable onRing) {
      this.onRing = onRing;
    }

    @Override
    public void set(long deadlineNanos) {
      clear();
      long at = deadlineNanos - now < 0 ? now : deadlineNanos;
      Entry entry =
          new Entry(
              at,
              sequence++,
              () -> {
                armed = null;
                onRing.run();
              });
      armed = entry;
      entries.add(entry);
    }

    @Override
    public void clear() {
      if (armed != null) {
        entries.remove(armed);
        armed = null;
      }
    }
  }

  private static final class Entry implements Comparable<Entry> {
    private final long at;
    private final long order;
    private final Runnable action;

    Entry(long at, long order, Runnable action) {
      this.at = at;
      this.order = order;
      this.action = action;
    }

    void run() {
      action.run();
    }

    @Override
    public int compareTo(Entry other) {
      int byTime = Long.signum(at - other.at);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }
}
