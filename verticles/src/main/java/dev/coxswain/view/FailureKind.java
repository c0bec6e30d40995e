// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import org.jspecify.annotations.Nullable;

/**
 * A group of failures of one controller with the same exception class and top frame. The stack
 * trace is kept once for all of them, so that a million failing items share a few texts.
 *
 * <p>Thread rule: confined to the queue's event loop.
 */
public final class FailureKind {
  private @Nullable String stack;

  /**
   * Creates a kind.
   *
   * @param stack the stack trace of the first failure, without messages
   */
  public FailureKind(String stack) {
    this.stack = stack;
  }

  /** Returns the stack trace, or null when it is no longer kept. */
  public @Nullable String stack() {
    return stack;
  }

  /** Drops the stack trace, because the number of kept ones is bounded. */
  public void evict() {
    stack = null;
  }
}
