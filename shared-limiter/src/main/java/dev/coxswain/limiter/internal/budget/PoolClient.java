// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import org.jspecify.annotations.Nullable;

/**
 * What a budget knows of the way to its pool: which calls are under way, whether answers come, and
 * how much may be asked for.
 *
 * <p>Thread rule: guarded by the budget.
 */
final class PoolClient {
  // Calls
  //
  // A call is given up when its answer would be of no use any more; whatever it charged is lost to
  // the pool, never used. Calls that were given up may still be queued in Hazelcast, so there is a
  // bound on those as well: without it a pool that does not answer would collect calls without end.
  //
  // A call that is late is no failure yet: the next one may be faster, and goes out at once. Only
  // when calls stay without any answer do the pauses between them grow, and only when that has
  // lasted is it a trouble to be shown.
  //
  // How much is asked for ahead follows what is used: permits that expire because the workers were
  // busy halve it, each one used adds to it, as with the congestion window of TCP.

  private static final int MAX_CALLS = 4;
  private static final int MAX_UNANSWERED = 16;
  private static final long ANSWERED_BY_THEN_NANOS = 60_000_000_000L;
  private static final long FIRST_PAUSE_NANOS = 100_000_000;
  private static final long LONGEST_PAUSE_NANOS = 1_000_000_000;
  private static final long SILENT_NANOS = 1_000_000_000;

  /** One call to the pool. */
  static final class Call {
    final int count;
    final long madeAt;
    long sentAt;
    boolean givenUp;

    Call(int count, long madeAt) {
      this.count = count;
      this.madeAt = madeAt;
      this.sentAt = madeAt;
    }
  }

  private final @Nullable Call[] calls = new @Nullable Call[MAX_CALLS];
  private int asked;
  private int unanswered;
  private long lastCallAt;
  private int window = Integer.MAX_VALUE;
  private long pause;
  private long askAt;
  private boolean paused;
  private boolean silent;
  private long silentSince;
  private @Nullable String trouble;

  /** Returns how many permits have been asked for and not answered. */
  int asked() {
    return asked;
  }

  /** Returns why the pool does not serve, or null. */
  @Nullable String trouble() {
    return trouble;
  }

  /** Returns how many permits to hold or have asked for at most. */
  int window(int outstanding) {
    return Math.min(window, outstanding);
  }

  void used(int outstanding) {
    window = window >= outstanding ? outstanding : window + 1;
  }

  void expired(int outstanding) {
    window = Math.max(1, window(outstanding) / 2);
  }

  /** Returns whether a call may be made now. */
  boolean mayCall(long now) {
    if (unanswered == MAX_UNANSWERED && now - lastCallAt > ANSWERED_BY_THEN_NANOS) {
      unanswered = 0; // they ended without an answer, against their contract
    }
    return unanswered < MAX_UNANSWERED && !(paused && askAt - now > 0) && slot() >= 0;
  }

  /** Returns when a call may be made again, if there is a pause; else {@code otherwise}. */
  long pauseLeft(long now, long otherwise) {
    return paused && askAt - now > 0 ? askAt - now : otherwise;
  }

  Call begin(int count, long now) {
    Call call = new Call(count, now);
    calls[slot()] = call;
    asked += count;
    unanswered++;
    lastCallAt = now;
    return call;
  }

  private int slot() {
    for (int i = 0; i < calls.length; i++) {
      if (calls[i] == null) {
        return i;
      }
    }
    return -1;
  }

  /** Takes an answer, or its failure; every call has one, unless it never returns. */
  void answered(Call call) {
    unanswered = Math.max(0, unanswered - 1);
    forget(call);
  }

  private void forget(Call call) {
    for (int i = 0; i < calls.length; i++) {
      if (calls[i] == call) {
        calls[i] = null;
        asked -= call.count;
      }
    }
  }

  /** Gives up calls older than {@code limit} and returns how many there were. */
  int giveUp(long limit, long now) {
    int late = 0;
    long oldest = now;
    for (Call call : calls) {
      if (call != null && now - call.madeAt > limit) {
        call.givenUp = true;
        forget(call);
        late++;
        oldest = Math.min(oldest, call.madeAt);
      }
    }
    if (late > 0 && !silent) {
      silent = true;
      silentSince = oldest;
    } else if (late > 0) {
      pause = pause == 0 ? limit : Math.min(LONGEST_PAUSE_NANOS, pause * 2);
      pauseFor(pause, now);
    }
    if (silent && now - silentSince >= SILENT_NANOS) {
      trouble = "the pool does not answer in time";
    }
    return late;
  }

  /** Returns how long until the oldest call is given up; {@code otherwise} when there is none. */
  long untilGivenUp(long limit, long now, long otherwise) {
    long least = otherwise;
    for (Call call : calls) {
      if (call != null) {
        least = Math.min(least, Math.max(0, call.madeAt + limit - now) + 1);
      }
    }
    return least;
  }

  /** Something went wrong: the next call waits, twice as long as the last time. */
  void failed(String why, long now) {
    trouble = why;
    pause = pause == 0 ? FIRST_PAUSE_NANOS : Math.min(LONGEST_PAUSE_NANOS, pause * 2);
    pauseFor(pause, now);
  }

  void succeeded() {
    trouble = null;
    pause = 0;
    paused = false;
    silent = false;
  }

  void pauseFor(long nanos, long now) {
    paused = true;
    askAt = now + Math.min(nanos, LONGEST_PAUSE_NANOS);
  }
}
