// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.resource;

import dev.coxswain.k8s.client.ApiStatusException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Retries of a read-modify-write after a conflict. */
public final class Conflicts {

  /** The number of tries; then the reconciler's own backoff takes over. */
  static final int ATTEMPTS = 5;

  /** The longest first pause; it doubles with every further conflict. */
  static final long FIRST_PAUSE_NANOS = 10_000_000;

  private Conflicts() {}

  /** Runs {@code action} until it ends without a conflict; the last conflict is thrown. */
  public static <R> R retry(Supplier<R> action) {
    // An interrupt ends the pause, and the next request fails at once.
    return retry(action, RandomGenerator.getDefault(), LockSupport::parkNanos);
  }

  /** The same with a given random source and pause. */
  static <R> R retry(Supplier<R> action, RandomGenerator random, LongConsumer pause) {
    long longest = FIRST_PAUSE_NANOS;
    for (int attempt = 1; ; attempt++) {
      try {
        return action.get();
      } catch (ApiStatusException e) {
        if (!e.isConflict() || attempt == ATTEMPTS) {
          throw e;
        }
      }
      // Random, so that the writers of one object do not conflict again.
      pause.accept(longest / 2 + random.nextLong(longest / 2 + 1));
      longest *= 2;
    }
  }
}
