// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.retry;

import dev.coxswain.spi.Clock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * A retry budget of this process alone: a token bucket whose lanes are served in turn.
 *
 * <p>The bucket is the generic cell rate algorithm (ITU-T I.371): one number, the time at which the
 * bucket would be full again. In any window of length T at most {@code burst + rate x T} tokens are
 * taken by {@link RetryBudget.Lane#tryAcquire}, exactly.
 *
 * <p>Thread rule: any thread. A short critical section guards the state, because its lanes belong
 * to different event loops; it does a handful of arithmetic and never waits for anything else.
 */
public final class LocalRetryBudget implements RetryBudget {
  // Fairness
  //
  // Lanes that wait stand in a line. A lane may take a token when there are more tokens than lanes
  // before it, so those before it never lose theirs; having taken one it goes to the end.
  //
  // A lane that was told to come back and did not (all of its workers are busy, or its event loop
  // hangs) keeps its place, and a token stays in the bucket for it as long as the bucket has room
  // for
  // one more: so it is served when it comes at last, and the others lose no rate by it. With a
  // burst
  // of 1 there is no such room, and a lane that always comes late may go without.

  private static final long GRACE_NANOS = 250_000_000;
  private static final long LOOK_AGAIN_NANOS = 1_000_000_000;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int MAX_BURST = 1_000_000;

  private final String name;
  private final double rate;
  private final int burst;
  private final long interval;
  private final Clock clock;

  private final ArrayDeque<LocalLane> line = new ArrayDeque<>();
  private final List<LocalLane> lanes = new ArrayList<>();
  private long fullAt;
  private long granted;
  private long denied;

  /**
   * Creates a full bucket.
   *
   * @param name its name
   * @param rate tokens per second, from one in a day to a million
   * @param burst the largest number of tokens, from 1 to a million
   * @param clock the time
   */
  public LocalRetryBudget(String name, double rate, int burst, Clock clock) {
    if (!(rate >= 1 / 86_400.0 && rate <= 1_000_000)) {
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
    for (LocalLane lane : lanes) {
      waiting += lane.waiting;
      consumers.add(lane.consumer);
    }
    consumers.sort(null);
    double tokens = burst - (double) (fullAt(now) - now) / interval;
    return new BudgetSnapshot(
        name, "local", rate, burst, tokens, waiting, granted, denied, consumers);
  }

  @Override
  public synchronized Lane openLane(String consumer, Runnable wake) {
    LocalLane lane = new LocalLane(consumer);
    lanes.add(lane);
    return lane;
  }

  private long fullAt(long now) {
    return fullAt - now < 0 ? now : fullAt;
  }

  /**
   * Returns how long it takes until there are {@code tokens} tokens; zero or less when there are.
   */
  private long untilThereAre(long tokens, long now) {
    // Saturating: a position far back in the line must not wrap into the past.
    long missing = tokens - burst;
    if (missing > (Long.MAX_VALUE / 4) / interval) {
      return Long.MAX_VALUE / 4;
    }
    return fullAt(now) + missing * interval - now;
  }

  private synchronized long acquire(LocalLane lane, int waiting) {
    long now = clock.nanos();
    lane.waiting = waiting;
    if (!lane.inLine) {
      line.addLast(lane);
      lane.inLine = true;
    }
    long wait = untilThereAre(tokensKeptForOthers(lane, now) + 1L, now);
    if (wait > 0) {
      denied++;
      // Those before it may leave the line meanwhile: it looks again before long.
      wait = Math.min(wait, Math.max(LOOK_AGAIN_NANOS, untilThereAre(1, now)));
      lane.expectedAt = now + wait;
      return wait;
    }
    fullAt = fullAt(now) + interval;
    granted++;
    lane.waiting = waiting - 1;
    line.remove(lane);
    lane.inLine = waiting > 1;
    if (lane.inLine) {
      line.addLast(lane);
      lane.expectedAt = now + Math.max(0, untilThereAre(line.size(), now));
    }
    return 0;
  }

  private int tokensKeptForOthers(LocalLane asking, long now) {
    int present = 0;
    int absent = 0;
    for (LocalLane other : line) {
      if (other == asking) {
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

  private synchronized void leave(LocalLane lane) {
    lane.waiting = 0;
    if (lane.inLine) {
      line.remove(lane);
      lane.inLine = false;
    }
  }

  private synchronized void close(LocalLane lane) {
    leave(lane);
    lanes.remove(lane);
  }

  private synchronized long estimate(LocalLane lane, int position) {
    long now = clock.nanos();
    long before = position;
    for (LocalLane other : line) {
      if (other != lane) {
        before += Math.min(other.waiting, position);
      }
    }
    return Math.max(0, untilThereAre(before, now));
  }

  private final class LocalLane implements Lane {
    private final String consumer;

    // Guarded by the budget.
    private boolean inLine;
    private int waiting;
    private long expectedAt;

    LocalLane(String consumer) {
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
