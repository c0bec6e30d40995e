// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.internal.cause.FailureCause;
import dev.coxswain.internal.cause.FailureCauses;
import dev.coxswain.view.FailurePattern;
import org.jspecify.annotations.Nullable;

/**
 * The failures of an item, to be restored after it was dropped and added again. Those that a terminal
 * failure ended count as a row again: the new item is not terminal, and would show none of them.
 *
 * <p>Thread rule: immutable.
 *
 * @param row how many attempts have failed in a row
 * @param error the last error, shortened; null for none
 * @param cause what the last error has in common with others; null when it is not known
 * @param atMillis when it failed last, in milliseconds since 1970
 */
public record FailureMemory(
    int row, @Nullable String error, @Nullable FailurePattern cause, long atMillis) {

  /** Returns the failures of an item as they are now. */
  public static FailureMemory of(Item<?> item) {
    Item.Detail detail = item.detail;
    if (detail == null) {
      return new FailureMemory(0, null, null, 0);
    }
    FailureCause cause = detail.cause();
    return new FailureMemory(
        item.failuresShown(),
        detail.lastError,
        cause == null ? null : cause.pattern(),
        detail.lastErrorMillis);
  }

  void restoreError(Item<?> item, FailureCauses causes) {
    Item.Detail detail = item.detail;
    if (row > 0 && detail != null && detail.lastError == null) {
      detail.lastError = error;
      detail.cause(cause == null ? null : causes.of(cause));
      detail.lastErrorMillis = atMillis;
    }
  }
}
