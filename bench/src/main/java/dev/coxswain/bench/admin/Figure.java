// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import dev.coxswain.testing.report.Statistics;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * A figure of a part, and its summary over the rounds: the median, with the worst
 * round beside it, or the sum.
 */
enum Figure {
  /** The share of all cores that the machine took, in percent, in the half without calls. */
  STOLEN_WITHOUT("stolen without", "%.1f %%", Over.HIGHEST_IS_WORST),
  STOLEN_WITH("stolen with", "%.1f %%", Over.HIGHEST_IS_WORST),
  /** Reconciled requests a second, over all replicas. */
  RATE_WITHOUT("attempts/s without", "%.0f", Over.LOWEST_IS_WORST),
  RATE_WITH("attempts/s with", "%.0f", Over.LOWEST_IS_WORST),
  /** How much that has changed, in percent. */
  CHANGE("change", "%+.1f %%", Over.FURTHEST_FROM_ZERO_IS_WORST),
  /** The longest own work of an event loop, in milliseconds. */
  WORK_WITHOUT("longest work without", "%.1f ms", Over.HIGHEST_IS_WORST),
  WORK_WITH("longest work with", "%.1f ms", Over.HIGHEST_IS_WORST),
  LOOKS_WITHOUT("looks without", "%.0f", Over.SUMMED),
  LOOKS_WITH("looks with", "%.0f", Over.SUMMED),
  /** How many of the looks found more than five milliseconds of own work. */
  OVER_WITHOUT("over 5 ms without", "%.0f", Over.SUMMED),
  OVER_WITH("over 5 ms with", "%.0f", Over.SUMMED),
  /** How many seemed to, of a loop that waited for I/O. */
  MACHINE_WITHOUT("by the machine without", "%.0f", Over.SUMMED),
  MACHINE_WITH("by the machine with", "%.0f", Over.SUMMED),
  /** The latest look by the clock, in milliseconds. */
  LATE_WITHOUT("late without", "%.1f ms", Over.HIGHEST_IS_WORST),
  LATE_WITH("late with", "%.1f ms", Over.HIGHEST_IS_WORST),

  CALLS("calls", "%.0f", Over.SUMMED),
  P50("p50", "%.1f ms", Over.HIGHEST_IS_WORST),
  P99("p99", "%.1f ms", Over.HIGHEST_IS_WORST),
  LONGEST("longest", "%.1f ms", Over.HIGHEST_IS_WORST),

  MATCHED("items to flush", "%.0f", Over.LOWEST_IS_WORST),
  /** How long it took from the order to stop to the answer that it has ended. */
  STOP("stopped after", "%.0f ms", Over.HIGHEST_IS_WORST),
  FLUSHED("flushed until then", "%.0f", Over.LOWEST_IS_WORST),
  /** How many items went after the answer. */
  FLUSHED_AFTER("after that", "%.0f", Over.SUMMED),
  /** The number of flushes that had ended before they were stopped. */
  ENDED_BEFORE("over too soon", "%.0f", Over.SUMMED);

  private enum Over {
    SUMMED,
    HIGHEST_IS_WORST,
    LOWEST_IS_WORST,
    FURTHEST_FROM_ZERO_IS_WORST
  }

  private final String label;
  private final String format;
  private final Over over;

  Figure(String label, String format, Over over) {
    this.label = label;
    this.format = format;
    this.over = over;
  }

  String label() {
    return label;
  }

  String text(double value) {
    return String.format(Locale.ROOT, format, value);
  }

  /** Returns what counts of all rounds: the median or the sum. */
  double of(List<Double> rounds) {
    return over == Over.SUMMED
        ? rounds.stream().mapToDouble(Double::doubleValue).sum()
        : Statistics.median(rounds);
  }

  /** Returns the value of the worst round. */
  double worst(List<Double> rounds) {
    Comparator<Double> badness =
        switch (over) {
          case SUMMED, HIGHEST_IS_WORST -> Comparator.naturalOrder();
          case LOWEST_IS_WORST -> Comparator.reverseOrder();
          case FURTHEST_FROM_ZERO_IS_WORST -> Comparator.comparingDouble(value -> Math.abs(value));
        };
    return rounds.stream().max(badness).orElseThrow();
  }

  /** Shows the median with the worst round in brackets, or the sum. */
  String cell(List<Double> rounds) {
    String counts = text(of(rounds));
    return over == Over.SUMMED || rounds.size() == 1
        ? counts
        : counts + " (" + text(worst(rounds)) + ")";
  }
}
