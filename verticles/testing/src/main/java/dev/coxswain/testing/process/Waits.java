// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.process;

import java.io.IOException;
import java.time.Duration;

/** Waits for other processes, which cannot call back. */
public final class Waits {
  private static final long LOOK_MILLIS = 100;

  private Waits() {}

  /** A condition that may become true. */
  public interface Condition {
    boolean holds() throws IOException;
  }

  /** Waits for a time. */
  public static void pass(Duration time) throws IOException {
    Commands.pause(time.toMillis());
  }

  /** Waits until a condition holds and returns whether it did in time. */
  public static boolean until(Duration limit, Condition condition) throws IOException {
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
