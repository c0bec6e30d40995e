// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for something that another thread is about to make true. */
public final class Await {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private Await() {}

  public static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("did not become true within " + LIMIT);
      }
      LockSupport.parkNanos(1_000_000);
    }
  }
}
