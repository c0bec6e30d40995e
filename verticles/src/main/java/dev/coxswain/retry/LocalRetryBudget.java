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
  //
  // Change of the limits
  //
  // A change keeps the tokens, up to the new burst, and adds none: from a to b at most burst(a)
  // tokens are taken, plus those that each rate adds while it is in force. Reservations keep their
  // times, and those after them are no closer together than either rate allows.

  private static final long GRACE_NANOS = 250_000_000;
  private static final long LOOK_AGAIN_NANOS = 1_000_000_000;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final long MAX_DEBT = Long.MAX_VALUE / 4;

  /** Less by more than the error of a double: a change never adds a token. */
  private static final double ROUNDING = 1 - 1e-15;

  private final String name;
  private final Clock clock;

  // Guarded by this.
  private double rate;
  private int burst;
  private long interval;

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
    this.name = Objects.requireNonNull(name, "name");
    this.clock = Objects.requireNonNull(clock, "clock");
    this.interval = interval(rate, burst);
    this.rate = rate;
    this.burst = burst;
    this.fullAt = clock.nanos();
  }

  /** Returns the time in which a token is added; throws for limits out of range. */
  private long interval(double rate, int burst) {
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
    // Rounded up, so that rounding can only make it slower than promised.
    long result = (long) Math.ceil(NANOS_PER_SECOND / rate);
    if (result > Long.MAX_VALUE / 4 / burst) {
      throw new IllegalArgumentException(
          "limiter \""
              + name
              + "\" would take centuries to fill: raise the rate or lower the burst");
    }
    return result;
  }

  /**
   * Changes the limits at once. The tokens stay, up to the new burst; a larger burst fills at the
   * new rate.
   *
   * @param newRate tokens per second, from {@link #MIN_RATE} to {@link #MAX_RATE}
   * @param newBurst the largest number of tokens, from 1 to {@link #MAX_BURST}
   * @throws IllegalArgumentException when they are out of range; nothing has changed then
   */
  public void change(double newRate, int newBurst) {
    long next = interval(newRate, newBurst);
    List<LocalWaiter> woken;
    synchronized (this) {
      long now = clock.nanos();
      long held = burst * interval - (fullAt(now) - now); // tokens as time; a debt when negative
      double ratio = (double) next / interval;
      long kept =
          held >= 0
              ? Math.min(newBurst * next, Math.max(0, (long) (held * ratio * ROUNDING) - 1))
              : -(long) Math.min((double) MAX_DEBT, Math.ceil(-held * Math.max(1, ratio)));
      fullAt = now + newBurst * next - kept;
      rate = newRate;
      burst = newBurst;
      interval = next;
      queue.forEach(waiter -> waiter.expectedAt = now);
      woken = List.copyOf(queue);
    }
    woken.forEach(waiter -> waiter.wake.run()); // they sleep for a time at the old rate
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
    LocalWaiter waiter = new LocalWaiter(consumer, wake);
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
    private final Runnable wake;

    // Guarded by the budget.
    private boolean queued;
    private int waiting;
    private long expectedAt;

    LocalWaiter(String consumer, Runnable wake) {
      this.consumer = Objects.requireNonNull(consumer, "consumer");
      this.wake = Objects.requireNonNull(wake, "wake");
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
