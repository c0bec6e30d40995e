// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.spi;

import java.time.Instant;

/** The clock of this machine. */
enum SystemClock implements Clock {
  INSTANCE;

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public Instant instant() {
    return Instant.now();
  }
}
