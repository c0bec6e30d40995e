// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.retry;

/**
 * A cap on how fast retries may start, shared by everything that retries against it.
 *
 * <p>The promise: in any window of length T at most {@code burst + rate x T} retries start. It is
 * kept because a token is taken at the moment a retry starts ({@link Waiter#tryAcquire}), not when
 * the failure happens.
 *
 * <p>Thread rule: any thread; a {@link Waiter} is confined to the event loop of its owner.
 */
public interface RetryBudget {

  /** The rate of the default budget: 10 retries per second. */
  double DEFAULT_RATE = 10;

  /** The burst of the default budget: 100 retries. */
  int DEFAULT_BURST = 100;

  /** The lowest rate: one retry in a day. */
  double MIN_RATE = 1 / 86_400.0;

  /** The lowest rate that configuration and admin API accept. */
  double MIN_CONFIGURED_RATE = 0.001;

  /** The highest rate, in retries per second. */
  double MAX_RATE = 1_000_000;

  /** The largest burst; the smallest is 1. */
  int MAX_BURST = 1_000_000;

  /** Returns the name of this budget, unique within the host. */
  String name();

  /** Returns a snapshot for display. */
  BudgetSnapshot snapshot();

  /**
   * Opens a waiter for one consumer. Waiters are served in turn, one token each, so that a consumer
   * with many waiting retries cannot starve another.
   *
   * @param consumer its name, for display
   */
  default Waiter openWaiter(String consumer) {
    return openWaiter(consumer, () -> {});
  }

  /**
   * Opens a waiter for one consumer, with a callback for when a token may be available before the
   * time that {@link Waiter#tryAcquire} returned.
   *
   * @param consumer its name, for display
   * @param wake called on any thread, also from within a call of another waiter; must be quick and
   *     hand over to the consumer's event loop. Spurious calls are possible; a budget whose wait
   *     times are exact calls it only when its limits change
   */
  Waiter openWaiter(String consumer, Runnable wake);

  /**
   * Returns whether {@link Waiter#reserve} is supported. It is not when permits expire: a token
   * that was reserved at the failure could not be used after the delay.
   */
  default boolean reserves() {
    return true;
  }

  /**
   * The place of one consumer in the queue for tokens.
   *
   * <p>Thread rule: confined to the consumer's event loop. No method blocks.
   */
  interface Waiter extends AutoCloseable {

    /**
     * Takes a token if one is available to this waiter now.
     *
     * @param waiting how many retries of this consumer wait, this one included; for display and
     *     estimates
     * @return 0 when a token was taken and the retry must be started now; otherwise the
     *     nanoseconds, more than 0, after which a token may be available
     */
    long tryAcquire(int waiting);

    /**
     * Takes a token, available or not, and returns the time until it may be used: the behaviour of
     * client-go, kept for {@link Composition#MAX_OF}. The start is not checked again.
     *
     * @return nanoseconds, not negative
     * @throws UnsupportedOperationException when the budget does not {@link RetryBudget#reserves}
     */
    long reserve();

    /** Leaves the queue: no retry of this consumer waits any more. */
    void withdraw();

    /**
     * Estimates when the retry at a position among those of this consumer may start, if nothing
     * else changes.
     *
     * @param position from 1 for the retry that is served first
     * @return nanoseconds from now, not negative
     */
    long estimateNanos(int position);

    /** Closes the waiter. */
    @Override
    void close();
  }
}
