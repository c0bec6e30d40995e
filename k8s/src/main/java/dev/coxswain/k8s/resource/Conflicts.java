// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.resource;

import dev.coxswain.k8s.client.ApiStatusException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** Starts a read-change-write over when somebody else has written in between. */
final class Conflicts {

  /** How often a change is tried; then the reconciler's own backoff takes over. */
  static final int ATTEMPTS = 5;

  /** The longest first pause; it doubles with every further conflict. */
  static final long FIRST_PAUSE_NANOS = 10_000_000;

  private Conflicts() {}

  /** Runs {@code action} until it ends without a conflict; the last conflict is thrown. */
  static <R> R retry(Supplier<R> action) {
    // An interrupt ends the pause, and the next request fails at once.
    return retry(action, RandomGenerator.getDefault(), LockSupport::parkNanos);
  }

  /** The same with chance and pauses of one's own. */
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
      // Those who met at this object must not meet there again.
      pause.accept(longest / 2 + random.nextLong(longest / 2 + 1));
      longest *= 2;
    }
  }
}
