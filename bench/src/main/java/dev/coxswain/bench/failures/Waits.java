// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.bench.run.Commands;
import java.io.IOException;
import java.time.Duration;

/** Lets time pass; what is watched are other processes, which cannot call back. */
final class Waits {
  private static final long LOOK_MILLIS = 100;

  private Waits() {}

  /** Something that may be the case now or later. */
  interface Condition {
    boolean holds() throws IOException;
  }

  /** Lets a fault last, or things go on. */
  static void pass(Duration time) throws IOException {
    Commands.pause(time.toMillis());
  }

  /** Waits until a condition holds and returns whether it did in time. */
  static boolean until(Duration limit, Condition condition) throws IOException {
    long deadline = System.nanoTime() + limit.toNanos();
    while (!condition.holds()) {
      if (System.nanoTime() - deadline > 0) {
        return false;
      }
      pass(Duration.ofMillis(LOOK_MILLIS));
    }
    return true;
  }
}
