// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.retry.RetryBudget;
import java.util.Objects;

/**
 * The gate at which retries take their token. It stores when the next request may succeed, so that
 * a wait for tokens costs nothing.
 *
 * <p>Thread rule: confined to the queue's event loop.
 */
final class TokenGate {
  private final RetryBudget.Waiter waiter;
  private boolean denied;
  private long retryAt;

  TokenGate(RetryBudget.Waiter waiter) {
    this.waiter = Objects.requireNonNull(waiter, "waiter");
  }

  /** Takes a token for one of {@code waiting} retries, which must start now; or returns false. */
  boolean pass(int waiting, long now) {
    if (denied && retryAt - now > 0) {
      return false;
    }
    long wait = waiter.tryAcquire(waiting);
    denied = wait > 0;
    retryAt = now + wait;
    return !denied;
  }

  /** Returns whether a token was denied; the next request is due at {@link #retryAt}. */
  boolean isClosed() {
    return denied;
  }

  long retryAt() {
    return retryAt;
  }

  /** Clears a denial, so that the next request is made at once. */
  void forgetDenial() {
    denied = false;
  }

  /** Leaves the queue for tokens: no retry waits, or none may start now. */
  void leave() {
    waiter.withdraw();
    denied = false;
  }

  long reserve() {
    return waiter.reserve();
  }

  long estimateNanos(int position) {
    return waiter.estimateNanos(position);
  }
}
