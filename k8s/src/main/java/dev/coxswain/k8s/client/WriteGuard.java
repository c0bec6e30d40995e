// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import java.time.Duration;

/**
 * Says whether this process may still change things at the API server: while it leads, while it
 * owns what it works on. {@link ApiTransport#write} asks before every request that changes
 * something, and ends a request that is still under way when the time is up.
 *
 * <p>Thread rule: any thread; must not block.
 */
@FunctionalInterface
public interface WriteGuard {

  /** So long that it does not matter. */
  Duration UNLIMITED = Duration.ofNanos(Long.MAX_VALUE);

  /** Lets everything pass. */
  WriteGuard OPEN = () -> UNLIMITED;

  /**
   * Returns how long requests may go on from now, by a monotonic clock; zero or less when nothing
   * may be sent any more.
   */
  Duration timeLeft();

  /** Returns why nothing may be sent; the end of a sentence for people. */
  default String reason() {
    return "this replica may not write now";
  }

  /** Returns a guard that lets pass what both let pass. */
  default WriteGuard and(WriteGuard other) {
    WriteGuard first = this;
    return new WriteGuard() {
      @Override
      public Duration timeLeft() {
        Duration one = first.timeLeft();
        Duration two = other.timeLeft();
        return one.compareTo(two) < 0 ? one : two;
      }

      @Override
      public String reason() {
        return first.timeLeft().compareTo(Duration.ZERO) > 0 ? other.reason() : first.reason();
      }
    };
  }
}
