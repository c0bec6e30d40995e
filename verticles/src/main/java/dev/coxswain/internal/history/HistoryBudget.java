// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.history;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The number of entries that all controllers of a process may keep beyond those that each of them has
 * for sure. A controller may take more as long as it has at most four times what is left, so that one
 * with many objects leaves some to the others (dynamic thresholds, A. Choudhury and E. Hahne, 1998).
 *
 * <p>Thread rule: any thread.
 */
public final class HistoryBudget {
  private static final int SHARE = 4;

  private final AtomicInteger left;

  /** Creates a budget of this many entries. */
  public HistoryBudget(int entries) {
    this.left = new AtomicInteger(entries);
  }

  /**
   * Takes some entries, all or none.
   *
   * @param owned how many the caller has
   */
  boolean take(int entries, int owned) {
    while (true) {
      int before = left.get();
      if (entries > before || (long) owned + entries > (long) SHARE * (before - entries)) {
        return false;
      }
      if (left.compareAndSet(before, before - entries)) {
        return true;
      }
    }
  }

  void give(int entries) {
    left.addAndGet(entries);
  }

  /** Returns how many entries are left. */
  public int left() {
    return left.get();
  }
}
