// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import dev.coxswain.admin.internal.resource.Series;
import java.time.Duration;

/**
 * The intervals of the periodic work of the admin API.
 *
 * @param sample the interval of the samples of the statistics
 * @param coalesce how long changes are collected before they are sent
 * @param heartbeat the interval of comments that keep a stream open
 * @param recheck the interval of checks that the caller still has the right to a stream
 */
public record Intervals(Duration sample, Duration coalesce, Duration heartbeat, Duration recheck) {

  public static final Intervals DEFAULT =
      new Intervals(
          Series.STEP, Duration.ofMillis(250), Duration.ofSeconds(15), Duration.ofSeconds(60));

  /** Returns a copy with a heartbeat that keeps a connection with an idle timeout open. */
  public Intervals within(Duration idleTimeout) {
    Duration most = idleTimeout.dividedBy(2);
    return heartbeat.compareTo(most) <= 0 ? this : new Intervals(sample, coalesce, most, recheck);
  }
}
