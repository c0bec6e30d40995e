// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import java.util.Locale;

/**
 * The promise of a limiter: in any time T at most {@code burst + rate x T} retries.
 *
 * <p>Thread rule: immutable.
 */
public record Budget(double rate, int burst) {
  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%.0f/s, burst %d", rate, burst);
  }
}
