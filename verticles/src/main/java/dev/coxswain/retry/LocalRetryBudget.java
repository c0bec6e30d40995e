// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.retry;

import dev.coxswain.spi.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A retry budget of this process alone: a token bucket whose waiters are served in turn.
 *
 * <p>The bucket is the generic cell rate algorithm (ITU-T I.371): one number, the time at which the
 * bucket would be full again. In any window of length T at most {@code burst + rate x T} tokens are
 * taken by {@link RetryBudget.Waiter#tryAcquire}, exactly.
 *
 * <p>Thread rule: any thread. A short critical section guards the state, because its waiters belong
 * to different event loops; it does a handful of arithmetic and never waits for anything else.
 */
public final class LocalRetryBudget implements RetryBudget {
  // Fairness
  //
  // Waiting clients form a queue. A waiter may take a token when there are more tokens than waiters
  // before it, so those before it never lose theirs; then it moves to the end.
  //
  // A waiter that was due to call again and did not (all of its workers are busy, or its event loop
  // is blocked) keeps its place, and one token stays in the bucket for it while the bucket has room
  // for one more: it is served when it calls at last, and the others lose no rate. With a burst of
  // 1 there is no such room, and a waiter that is always late may never be served.

  private static final long GRACE_NANOS = 250_000_000;
  private static final long LOOK_AGAIN_NANOS = 1_000_000_000;
  private static final double NANOS_PER_SECOND = 1e9;

  private final String name;
  private final double rate;
  private final int burst;
  private final long interval;
  private final Clock clock;

  private final ArrayDeque<LocalWaiter> queue = new ArrayDeque<>();
  private final List<LocalWaiter> waiters = new ArrayList<>();
  private long fullAt;
  private long granted;
  private long denied;

  /**
   * Creates a full bucket.
   *
   * @param name its name
   * @param rate tokens per second, from {@link #MIN_RATE} to {@link #MAX_RATE}
   * @param burst the largest number of tokens, from 1 to {@link #MAX_BURST}
   * @param clock the time
   */
  public LocalRetryBudget(String name, double rate, int burst, Clock clock) {
    if (!(rate >= MIN_RATE && rate <= MAX_RATE)) {
      throw new IllegalArgumentException(
          "the rate of limiter \""
              + name
              + "\" must be from 1/86400 to 1000000 per second: "
              + rate);
    }
    if (burst < 1 || burst > MAX_BURST) {
      throw new IllegalArgumentException(
          "the burst of limiter \"" + name + "\" must be from 1 to " + MAX_BURST + ": " + burst);
    }
    this.name = Objects.requireNonNull(name, "name");
    this.rate = rate;
    this.burst = burst;
    // Rounded up, so that rounding can only make it slower than promised.
    this.interval = (long) Math.ceil(NANOS_PER_SECOND / rate);
    this.clock = Objects.requireNonNull(clock, "clock");
    if (interval > Long.MAX_VALUE / 4 / burst) {
      throw new IllegalArgumentException(
          "limiter \""
              + name
              + "\" would take centuries to fill: raise the rate or lower the burst");
    }
    this.fullAt = clock.nanos();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public synchronized BudgetSnapshot snapshot() {
    long now = clock.nanos();
    int waiting = 0;
    List<String> consumers = new ArrayList<>();
    for (LocalWaiter waiter : waiters) {
      waiting += waiter.waiting;
      consumers.add(waiter.consumer);
    }
    consumers.sort(null);
    double tokens = burst - (double) (fullAt(now) - now) / interval;
    return new BudgetSnapshot(
        name, "local", rate, burst, tokens, waiting, granted, denied, consumers);
  }

  @Override
  public synchronized Waiter openWaiter(String consumer, Runnable wake) {
    LocalWaiter waiter = new LocalWaiter(consumer);
    waiters.add(waiter);
    return waiter;
  }

  private long fullAt(long now) {
    return fullAt - now < 0 ? now : fullAt;
  }

  /**
   * Returns how long it takes until there are {@code tokens} tokens; zero or less when there are.
   */
  private long untilThereAre(long tokens, long now) {
    // Saturating: a position far back in the queue must not wrap into the past.
    long missing = tokens - burst;
    if (missing > (Long.MAX_VALUE / 4) / interval) {
      return Long.MAX_VALUE / 4;
    }
    return fullAt(now) + missing * interval - now;
  }

  private synchronized long acquire(LocalWaiter waiter, int waiting) {
    long now = clock.nanos();
    waiter.waiting = waiting;
    if (!waiter.queued) {
      queue.addLast(waiter);
      waiter.queued = true;
    }
    long wait = untilThereAre(tokensKeptForOthers(waiter, now) + 1L, now);
    if (wait > 0) {
      denied++;
      // Waiters before this one may leave the queue meanwhile, so it retries before long.
      wait = Math.min(wait, Math.max(LOOK_AGAIN_NANOS, untilThereAre(1, now)));
      waiter.expectedAt = now + wait;
      return wait;
    }
    fullAt = fullAt(now) + interval;
    granted++;
    waiter.waiting = waiting - 1;
    queue.remove(waiter);
    waiter.queued = waiting > 1;
    if (waiter.queued) {
      queue.addLast(waiter);
      waiter.expectedAt = now + Math.max(0, untilThereAre(queue.size(), now));
    }
    return 0;
  }

  private int tokensKeptForOthers(LocalWaiter waiter, long now) {
    int present = 0;
    int absent = 0;
    for (LocalWaiter other : queue) {
      if (other == waiter) {
        break;
      }
      if (now - other.expectedAt > GRACE_NANOS) {
        absent++;
      } else {
        present++;
      }
    }
    return present + Math.min(absent, Math.max(0, burst - 1 - present));
  }

  private synchronized long reserveOne() {
    long now = clock.nanos();
    long wait = untilThereAre(1, now);
    granted++;
    if (fullAt(now) - now < Long.MAX_VALUE / 4) { // as far as times can be compared
      fullAt = fullAt(now) + interval;
    }
    return Math.max(0, wait);
  }

  private synchronized void leave(LocalWaiter waiter) {
    waiter.waiting = 0;
    if (waiter.queued) {
      queue.remove(waiter);
      waiter.queued = false;
    }
  }

  private synchronized void close(LocalWaiter waiter) {
    leave(waiter);
    waiters.remove(waiter);
  }

  private synchronized long estimate(LocalWaiter waiter, int position) {
    long now = clock.nanos();
    long before = position;
    for (LocalWaiter other : queue) {
      if (other != waiter) {
        before += Math.min(other.waiting, position);
      }
    }
    return Math.max(0, untilThereAre(before, now));
  }

  private final class LocalWaiter implements Waiter {
    private final String consumer;

    // Guarded by the budget.
    private boolean queued;
    private int waiting;
    private long expectedAt;

    LocalWaiter(String consumer) {
      this.consumer = Objects.requireNonNull(consumer, "consumer");
    }

    @Override
    public long tryAcquire(int waitingNow) {
      return acquire(this, waitingNow);
    }

    @Override
    public long reserve() {
      return reserveOne();
    }

    @Override
    public void withdraw() {
      leave(this);
    }

    @Override
    public long estimateNanos(int position) {
      return estimate(this, position);
    }

    @Override
    public void close() {
      LocalRetryBudget.this.close(this);
    }
  }
}
