// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.hazelcast;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Warm-up calls of a new member, which load classes and tables. The first call on a path has taken
 * up to 86 ms.
 */
final class WarmUp {
  private static final Logger log = LoggerFactory.getLogger(WarmUp.class);

  static final int CALLS = 50;

  /** The most refusals before the warm-up ends, 3 s in all. */
  static final int MOST_REFUSALS = 100;

  /** The pause after a refusal. */
  static final long PAUSE_NANOS = 30_000_000;

  private static final long ANSWER_SECONDS = 2;

  private WarmUp() {}

  /**
   * Makes the calls one after the other. Blocks. For a moment after the join Hazelcast refuses
   * calls, because split-brain protection has not been evaluated; those are retried.
   *
   * @param call makes one call
   * @param possible whether there are enough members for a call to succeed
   * @param pauseNanos how long to wait after a refusal
   */
  static void run(
      IntFunction<? extends CompletionStage<?>> call, BooleanSupplier possible, long pauseNanos) {
    int refusals = 0;
    int done = 0;
    while (done < CALLS) {
      try {
        call.apply(done).toCompletableFuture().get(ANSWER_SECONDS, TimeUnit.SECONDS);
        done++;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      } catch (ExecutionException | TimeoutException e) {
        refusals++;
        if (e instanceof TimeoutException || refusals > MOST_REFUSALS || !possible.getAsBoolean()) {
          log.atDebug().addKeyValue("error", e.toString()).log("warm-up call failed");
          return;
        }
        LockSupport.parkNanos(pauseNanos);
      }
    }
  }
}
