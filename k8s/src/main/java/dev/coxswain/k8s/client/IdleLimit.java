// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import okhttp3.Call;
import okio.AsyncTimeout;

/**
 * The limit of the time in which a call that is read receives nothing: it ends the call.
 *
 * <p>The HTTP client's own limit wakes up another thread for each read, which takes as long as the
 * read. This one looks once in the time of the limit how long the present read has been waiting.
 *
 * <p>Thread rule: {@link #begin}, {@link #end} and {@link #stop} on the thread that reads, or under
 * a lock.
 */
final class IdleLimit extends AsyncTimeout {

  private static final long NO_READ = 0;

  private final Call call;
  private final long nanos;

  /** The begin of the read in progress. */
  private volatile long since = NO_READ;

  private volatile boolean exceeded;
  private volatile boolean stopped;

  IdleLimit(Call call, Duration limit) {
    this.call = call;
    this.nanos = limit.toNanos();
    lookAfter(nanos);
  }

  private void lookAfter(long time) {
    timeout(time, TimeUnit.NANOSECONDS);
    enter();
  }

  /** A read begins. */
  void begin() {
    long now = System.nanoTime();
    since = now == NO_READ ? 1 : now;
  }

  /** The read has ended. */
  void end() {
    since = NO_READ;
  }

  /** Returns whether the call was ended because it received nothing. */
  boolean isExceeded() {
    return exceeded;
  }

  /** Looks no more. */
  void stop() {
    stopped = true;
    exit();
  }

  @Override
  protected void timedOut() {
    exit();
    long begun = since;
    long left = begun == NO_READ ? nanos : nanos - (System.nanoTime() - begun);
    if (left <= 0) {
      exceeded = true;
      call.cancel();
    } else if (!stopped) {
      lookAfter(left);
      if (stopped) {
        exit(); // stopped just now, before it was there to be taken out
      }
    }
  }
}
