// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.spi;

import io.vertx.core.Future;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Lets an operator set the rate and the burst of the limiters that the replicas share, for a while.
 *
 * <p>Thread rule: called on the admin API's event loop, where the futures complete; no method
 * blocks. A future fails with an {@link IllegalArgumentException} whose message names the key of
 * the configuration that forbids it, with {@link NoQuorumException}, or otherwise when nobody can
 * tell whether the change was made.
 */
public interface LimiterOverrides {

  /** No override holds for longer. */
  Duration MAX_TTL = Duration.ofHours(24);

  /**
   * Sets what holds on all replicas until it ends by itself, in place of what was set before.
   *
   * @param rate retries per second, or null for what is configured
   * @param burst the burst, or null for what is configured
   * @param ttl for how long, more than nothing and at most {@link #MAX_TTL}
   */
  Future<Void> set(String limiter, @Nullable Double rate, @Nullable Integer burst, Duration ttl);

  /** Has the configuration hold again, whether something was set or not. */
  Future<Void> clear(String limiter);

  /**
   * Nothing was changed: the replicas that can be reached from here are no majority.
   *
   * <p>Thread rule: immutable.
   */
  final class NoQuorumException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * Creates one.
     *
     * @param why in words for an operator
     */
    public NoQuorumException(String why) {
      super(why);
    }
  }
}
