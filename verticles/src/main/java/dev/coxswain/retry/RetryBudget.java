// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.retry;

/**
 * A cap on how fast retries may start, shared by everything that retries against it.
 *
 * <p>The promise: in any window of length T at most {@code burst + rate x T} retries start. It is
 * kept because a token is taken at the moment a retry starts ({@link Lane#tryAcquire}), not when
 * the failure happens.
 *
 * <p>Thread rule: any thread; a {@link Lane} is confined to the event loop of its owner.
 */
public interface RetryBudget {

  /** The rate of the default budget: 10 retries per second. */
  double DEFAULT_RATE = 10;

  /** The burst of the default budget: 100 retries. */
  int DEFAULT_BURST = 100;

  /** Returns the name of this budget, unique within the host. */
  String name();

  /** Returns what can be shown of this budget now. */
  BudgetSnapshot snapshot();

  /**
   * Opens a place in the line for one consumer. Lanes that wait are served in turn, one token each,
   * so that a consumer with many waiting retries cannot starve another.
   *
   * @param consumer who it is, for display
   */
  default Lane openLane(String consumer) {
    return openLane(consumer, () -> {});
  }

  /**
   * Opens a place in the line for one consumer that wants to be told when asking anew is worth it
   * before the time that {@link Lane#tryAcquire} gave.
   *
   * @param consumer who it is, for display
   * @param wake called on any thread, also from within a call of another lane; must be quick and
   *     hand over to the consumer's event loop. It may be called once too often, and a budget that
   *     always knows the time beforehand never calls it
   */
  Lane openLane(String consumer, Runnable wake);

  /**
   * Returns whether {@link Lane#reserve} is to be had. A budget whose permits expire has none: what
   * is reserved at the failure could not be used when the delay is over.
   */
  default boolean reserves() {
    return true;
  }

  /**
   * One consumer's place in the line.
   *
   * <p>Thread rule: confined to the consumer's event loop. No method blocks.
   */
  interface Lane extends AutoCloseable {

    /**
     * Takes a token if this lane may have one now.
     *
     * @param waiting how many retries of this lane wait, the one that is asked for included; for
     *     display and estimates
     * @return 0 when a token was taken and the retry must be started now; otherwise the
     *     nanoseconds, more than 0, after which asking again may succeed
     */
    long tryAcquire(int waiting);

    /**
     * Takes a token without asking whether there is one, and returns how long to wait before using
     * it: the way of client-go, kept for {@link Composition#MAX_OF}. The start is not checked
     * again.
     *
     * @return nanoseconds, not negative
     * @throws UnsupportedOperationException when the budget does not {@link RetryBudget#reserves}
     */
    long reserve();

    /** Tells that nothing of this lane waits any more, so that it leaves the line. */
    void withdraw();

    /**
     * Estimates when the retry at a position of this lane may start, if nothing else changes.
     *
     * @param position from 1 for the retry that is served first
     * @return nanoseconds from now, not negative
     */
    long estimateNanos(int position);

    /** Leaves the line for good. */
    @Override
    void close();
  }
}
