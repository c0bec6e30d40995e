// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.spi;

import io.vertx.core.Future;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Overrides the rate and the burst of shared limiters for a while.
 *
 * <p>Thread rule: called on the admin API's event loop, where the futures complete; no method
 * blocks. A future fails with an {@link IllegalArgumentException} whose message names the key of
 * the configuration that forbids it, with {@link NoQuorumException}, or with another exception when
 * it is unknown whether the change was made.
 */
public interface LimiterOverrides {

  /** The longest time of an override. */
  Duration MAX_TTL = Duration.ofHours(24);

  /**
   * Sets an override on all replicas until it expires; it replaces the one before.
   *
   * @param rate retries per second, or null for the configured rate
   * @param burst the burst, or null for the configured burst
   * @param ttl the time of the override, positive and at most {@link #MAX_TTL}
   */
  Future<Void> set(String limiter, @Nullable Double rate, @Nullable Integer burst, Duration ttl);

  /**
   * Returns whether an override would be beyond the configured rate or burst; false for a limiter
   * that is not configured.
   *
   * @param rate retries per second, or null for the configured rate
   * @param burst the burst, or null for the configured burst
   */
  boolean raises(String limiter, @Nullable Double rate, @Nullable Integer burst);

  /** Removes the override, if there is one. */
  Future<Void> clear(String limiter);

  /**
   * Nothing was changed: the replicas that can be reached from this one are no majority.
   *
   * <p>Thread rule: immutable.
   */
  final class NoQuorumException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Creates the exception.
     *
     * @param why the reason, for an operator
     */
    public NoQuorumException(String why) {
      super(why);
    }
  }
}
