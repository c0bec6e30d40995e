// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.run;

import java.util.List;

/** The middle of what was measured: a noisy machine spoils means, not medians. */
public final class Medians {
  private Medians() {}

  /** Returns the median, or NaN of nothing. */
  public static double of(List<Double> values) {
    if (values.isEmpty()) {
      return Double.NaN;
    }
    double[] sorted = values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
