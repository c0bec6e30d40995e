// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal;

import java.time.Duration;

/**
 * Durations that fit the arithmetic of clocks: {@code Duration.ofSeconds(Long.MAX_VALUE)} means
 * "for ever" and must not end a thread in an overflow.
 *
 * <p>Thread rule: stateless.
 */
public final class Durations {

  /** About 68 years: fits an {@code int} of seconds, and twice of it a {@code long} of nanos. */
  public static final Duration LONGEST = Duration.ofSeconds(Integer.MAX_VALUE);

  private Durations() {}

  /** Returns the duration, or {@link #LONGEST} when it is longer. */
  public static Duration clamp(Duration duration) {
    return clamp(duration, LONGEST);
  }

  /** Returns the shorter one. */
  public static Duration clamp(Duration duration, Duration longest) {
    return duration.compareTo(longest) > 0 ? longest : duration;
  }
}
