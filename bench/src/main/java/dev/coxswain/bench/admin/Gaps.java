// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * The times at which each processor was taken away; the latest {@link #MOST} times of each.
 * Times are those of {@link System#nanoTime}, which all processes of a machine share on Linux.
 *
 * <p>Thread rule: any thread.
 */
final class Gaps {
  static final int MOST = 100_000;

  private record Gap(long from, long to) {}

  private final List<Deque<Gap>> processors = new ArrayList<>();

  Gaps(int processors) {
    for (int i = 0; i < processors; i++) {
      this.processors.add(new ArrayDeque<>());
    }
  }

  synchronized void add(int processor, long from, long to) {
    Deque<Gap> gaps = processors.get(processor);
    if (gaps.size() == MOST) {
      gaps.removeFirst();
    }
    gaps.addLast(new Gap(from, to));
  }

  /** Returns how much of a time was taken away from the processor that lost most of it. */
  synchronized long most(long from, long to) {
    long most = 0;
    for (Deque<Gap> gaps : processors) {
      long sum = 0;
      for (Gap gap : gaps) {
        sum += Math.max(0, Math.min(to, gap.to()) - Math.max(from, gap.from()));
      }
      most = Math.max(most, sum);
    }
    return most;
  }
}
