// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.client;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * Permission of this process to write to the API server: while it leads, or owns the objects it
 * works on. {@link ApiTransport#write} checks it before every write, and cancels a request in
 * flight when the time is up.
 *
 * <p>Thread rule: any thread; must not block.
 */
@FunctionalInterface
public interface WriteGuard {

  /** No limit. */
  Duration UNLIMITED = Duration.ofNanos(Long.MAX_VALUE);

  /**
   * The least time that must be left to send a write; one that begins later would probably be cut
   * off, with an unknown result.
   */
  Duration LEAST = Duration.ofMillis(500);

  /** Permits all writes. */
  WriteGuard OPEN = () -> UNLIMITED;

  /**
   * Returns how long requests may take from now, by a monotonic clock; zero or less when no write
   * is permitted.
   */
  Duration timeLeft();

  /** Returns why no write is permitted; the end of a sentence, for display. */
  default String reason() {
    return "this replica may not write now";
  }

  /** Called when a write was refused; must not throw. */
  default void refused() {}

  /**
   * Called before a permitted write is sent. The result is called once when the write has ended,
   * with whether the server has answered: without an answer the write may take effect later.
   * Neither may throw.
   */
  default Consumer<Boolean> sending() {
    return _ -> {};
  }

  /** Returns the guard of writes that belong to no attempt, such as those of threads of their own. */
  default WriteGuard unbound() {
    return this;
  }

  /** Returns a guard that permits what both permit. */
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
        return first.timeLeft().compareTo(LEAST) >= 0 ? other.reason() : first.reason();
      }

      @Override
      public void refused() {
        first.refused();
        other.refused();
      }

      @Override
      public Consumer<Boolean> sending() {
        return first.sending().andThen(other.sending());
      }

      @Override
      public WriteGuard unbound() {
        return first.unbound().and(other.unbound());
      }
    };
  }
}
