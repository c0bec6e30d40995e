// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.report;

import java.util.Collection;
import java.util.function.ToDoubleFunction;

/** Medians and percentiles: a noisy machine spoils means, not medians. */
public final class Statistics {
  private Statistics() {}

  /** Returns the middle, or the mean of the two in the middle, or NaN of nothing. */
  public static double median(Collection<Double> values) {
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length == 0
        ? Double.NaN
        : sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** Returns the median of one figure of each report. */
  public static <R> double median(Collection<R> reports, ToDoubleFunction<R> figure) {
    return median(reports.stream().map(report -> figure.applyAsDouble(report)).toList());
  }

  /** Returns the value that this share of the ascending values does not exceed; NaN of nothing. */
  public static double percentile(long[] ascending, double share) {
    int rank = (int) Math.ceil(share * ascending.length) - 1;
    return ascending.length == 0 ? Double.NaN : ascending[Math.max(0, rank)];
  }
}
