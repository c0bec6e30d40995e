// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.event;

import dev.coxswain.admin.internal.resource.Series;
import java.time.Duration;

/**
 * How often the admin API does what it does by itself.
 *
 * @param sample how often the statistics look at the controllers
 * @param coalesce how long changes are collected before streams hear of them
 * @param heartbeat how often a stream hears something even when nothing has changed
 * @param recheck how often it is asked whether a stream may go on
 */
public record Intervals(Duration sample, Duration coalesce, Duration heartbeat, Duration recheck) {

  public static final Intervals DEFAULT =
      new Intervals(
          Series.STEP, Duration.ofMillis(250), Duration.ofSeconds(15), Duration.ofSeconds(60));

  /** Returns this pace with a heartbeat that keeps a connection with this idle time-out open. */
  public Intervals within(Duration idleTimeout) {
    Duration most = idleTimeout.dividedBy(2);
    return heartbeat.compareTo(most) <= 0 ? this : new Intervals(sample, coalesce, most, recheck);
  }
}
