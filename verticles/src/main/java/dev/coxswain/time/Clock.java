// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.time;

import java.time.Instant;

/** A clock. */
public interface Clock {
  /** Returns. */
  long nanos();

  /** Returns. */
  Instant instant();
}
