// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import org.jspecify.annotations.Nullable;

/**
 * The state of the calls to a pool: which are pending, whether replies arrive, and how many permits
 * may be requested.
 *
 * <p>Thread rule: guarded by the budget.
 */
final class PoolClient {
  // Calls
  //
  // A call is given up when its reply could not be used any more; permits that it was granted are
  // lost. Calls that were given up may still be queued in Hazelcast, so they are bounded too:
  // otherwise a pool that does not reply would collect calls without end.
  //
  // A single late call is not a failure: the next one may be faster and is sent at once. Only while
  // calls get no reply at all do the pauses between them grow, and only after a time is it reported
  // as a failure.
  //
  // Calls of all limiters are sent by one thread. How many permits a call requests is decided when
  // it is sent, and until then there is no other one: a busy limiter makes few calls for many
  // permits.
  //
  // The number of permits requested ahead follows their use, like the congestion window of TCP:
  // permits that expire unused halve it, each used permit adds one.

  private static final int MAX_CALLS = 4;
  private static final int MAX_UNANSWERED = 16;
  private static final long UNANSWERED_RESET_NANOS = 60_000_000_000L;
  private static final long FIRST_PAUSE_NANOS = 100_000_000;
  private static final long LONGEST_PAUSE_NANOS = 1_000_000_000;
  private static final long UNRESPONSIVE_NANOS = 1_000_000_000;

  /** One call to the pool. */
  static final class Call {
    final long madeAt;
    int count;
    long sentAt;
    boolean sent;
    boolean givenUp;

    Call(long madeAt) {
      this.madeAt = madeAt;
      this.sentAt = madeAt;
    }
  }

  private final @Nullable Call[] calls = new @Nullable Call[MAX_CALLS];
  private int requested;
  private int unanswered;
  private long lastCallAt;
  private int window = Integer.MAX_VALUE;
  private long pause;
  private long nextCallAt;
  private boolean paused;
  private boolean unresponsive;
  private long unresponsiveSince;
  private @Nullable String failure;

  /** Returns how many permits are requested in calls that were sent and are pending. */
  int requested() {
    return requested;
  }

  /** Returns why the pool cannot be used, or null. */
  @Nullable String failure() {
    return failure;
  }

  /** Returns how many permits may be held and requested together. */
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
    if (unanswered == MAX_UNANSWERED && now - lastCallAt > UNANSWERED_RESET_NANOS) {
      unanswered = 0; // they ended without a completion, against their contract
    }
    return unanswered < MAX_UNANSWERED
        && !(paused && nextCallAt - now > 0)
        && !waits()
        && freeIndex() >= 0;
  }

  /** Returns whether a call waits to be sent. */
  private boolean waits() {
    for (Call call : calls) {
      if (call != null && !call.sent) {
        return true;
      }
    }
    return false;
  }

  /** Returns the time until the pause ends; {@code otherwise} without a pause. */
  long pauseLeft(long now, long otherwise) {
    return paused && nextCallAt - now > 0 ? nextCallAt - now : otherwise;
  }

  /** Returns a new call, to be sent. */
  Call begin(long now) {
    Call call = new Call(now);
    calls[freeIndex()] = call;
    unanswered++;
    lastCallAt = now;
    return call;
  }

  /** Begins to send a call that was not given up. */
  void send(Call call, int count, long now) {
    call.sent = true;
    call.sentAt = now;
    call.count = count;
    requested += count;
  }

  private int freeIndex() {
    for (int i = 0; i < calls.length; i++) {
      if (calls[i] == null) {
        return i;
      }
    }
    return -1;
  }

  /** Ends a call that has completed, with a reply or a failure. */
  void answered(Call call) {
    unanswered = Math.max(0, unanswered - 1);
    forget(call);
  }

  private void forget(Call call) {
    for (int i = 0; i < calls.length; i++) {
      if (calls[i] == call) {
        calls[i] = null;
        requested -= call.count;
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
    if (late > 0 && !unresponsive) {
      unresponsive = true;
      unresponsiveSince = oldest;
    } else if (late > 0) {
      pause = pause == 0 ? limit : Math.min(LONGEST_PAUSE_NANOS, pause * 2);
      pauseFor(pause, now);
    }
    if (unresponsive && now - unresponsiveSince >= UNRESPONSIVE_NANOS) {
      failure = "the pool does not answer in time";
    }
    return late;
  }

  /** Returns the time until the oldest call is given up; {@code otherwise} when there is none. */
  long untilGivenUp(long limit, long now, long otherwise) {
    long least = otherwise;
    for (Call call : calls) {
      if (call != null) {
        least = Math.min(least, Math.max(0, call.madeAt + limit - now) + 1);
      }
    }
    return least;
  }

  /** Stores a failure and doubles the pause before the next call. */
  void failed(String why, long now) {
    failure = why;
    pause = pause == 0 ? FIRST_PAUSE_NANOS : Math.min(LONGEST_PAUSE_NANOS, pause * 2);
    pauseFor(pause, now);
  }

  void succeeded() {
    failure = null;
    pause = 0;
    paused = false;
    unresponsive = false;
  }

  void pauseFor(long nanos, long now) {
    paused = true;
    nextCallAt = now + Math.min(nanos, LONGEST_PAUSE_NANOS);
  }
}
