// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.retry.RetryBudget;
import java.util.Objects;

/**
 * Where retries take their token. Remembers when asking may succeed, so that a full line costs
 * nothing.
 *
 * <p>Thread rule: confined to the queue's event loop.
 */
final class TokenGate {
  private final RetryBudget.Lane lane;
  private boolean denied;
  private long askAt;

  TokenGate(RetryBudget.Lane lane) {
    this.lane = Objects.requireNonNull(lane, "lane");
  }

  /** Takes a token for one of {@code waiting} retries, which must start now; or returns false. */
  boolean pass(int waiting, long now) {
    if (denied && askAt - now > 0) {
      return false;
    }
    long wait = lane.tryAcquire(waiting);
    denied = wait > 0;
    askAt = now + wait;
    return !denied;
  }

  /** Returns whether a token was refused and is to be asked for again at {@link #askAt}. */
  boolean isClosed() {
    return denied;
  }

  long askAt() {
    return askAt;
  }

  /** Forgets a refusal. */
  void askAgain() {
    denied = false;
  }

  /** Leaves the line: nothing waits, or what waits may not use a token now. */
  void leave() {
    lane.withdraw();
    denied = false;
  }

  long reserve() {
    return lane.reserve();
  }

  long estimateNanos(int position) {
    return lane.estimateNanos(position);
  }
}
