// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.operation;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Time stamps as objects carry them; any thread. */
public final class Times {
  private Times() {}

  /** Returns the current second, as in {@code 2026-01-02T03:04:05Z}. */
  public static String now() {
    return plusSeconds(0);
  }

  /** Returns a second in the future. */
  public static String plusSeconds(long seconds) {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(seconds).toString();
  }
}
