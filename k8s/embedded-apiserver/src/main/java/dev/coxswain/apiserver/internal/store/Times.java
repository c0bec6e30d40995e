// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.store;

import java.time.InstantSource;
import java.time.temporal.ChronoUnit;

/**
 * Time stamps as objects carry them; any thread.
 *
 * @param clock the clock of the server
 */
public record Times(InstantSource clock) {

  /** Returns the current second, as in {@code 2026-01-02T03:04:05Z}. */
  public String now() {
    return plusSeconds(0);
  }

  /** Returns a second in the future. */
  public String plusSeconds(long seconds) {
    return clock.instant().truncatedTo(ChronoUnit.SECONDS).plusSeconds(seconds).toString();
  }
}
