// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.loop;

import org.jspecify.annotations.Nullable;

/** Attempts in the order in which they started; any of them can be removed in constant time. */
final class AttemptList<K> {
  private @Nullable Attempt<K> oldest;
  private @Nullable Attempt<K> youngest;
  private int size;

  /** The sum of the start times, from which the sum of all running times is computed. */
  private long startSum;

  int size() {
    return size;
  }

  long startSum() {
    return startSum;
  }

  @Nullable Attempt<K> oldest() {
    return oldest;
  }

  void add(Attempt<K> attempt) {
    Attempt<K> before = youngest;
    attempt.older = before;
    attempt.younger = null;
    if (before == null) {
      oldest = attempt;
    } else {
      before.younger = attempt;
    }
    youngest = attempt;
    size++;
    startSum += attempt.startedAt;
  }

  void remove(Attempt<K> attempt) {
    Attempt<K> before = attempt.older;
    Attempt<K> after = attempt.younger;
    if (before == null) {
      oldest = after;
    } else {
      before.younger = after;
    }
    if (after == null) {
      youngest = before;
    } else {
      after.older = before;
    }
    attempt.older = null;
    attempt.younger = null;
    size--;
    startSum -= attempt.startedAt;
  }
}
