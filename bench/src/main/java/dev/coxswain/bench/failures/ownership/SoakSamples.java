// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.testing.host.Replica;
import dev.coxswain.testing.process.ProcessFigures;
import dev.coxswain.testing.report.Statistics;
import dev.coxswain.testing.report.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What replicas use over time, and whether that grows: the median of the last fifth of the samples
 * is compared with that of the second fifth, which is after the warm-up.
 */
final class SoakSamples {
  private static final int FIFTHS = 5;

  /** The samples of each gauge of each replica, in their order. */
  private final Map<String, Map<String, List<Double>>> samples = new LinkedHashMap<>();

  /** Takes a sample of a replica. */
  void take(Replica replica) {
    ProcessFigures figures = replica.figures();
    long series = replica.metrics().lines().filter(line -> !line.startsWith("#")).count();
    add(replica.name(), "threads", figures.threads()); // before jcmd attaches
    add(replica.name(), "descriptors", figures.descriptors());
    add(replica.name(), "time series", series == 0 ? Double.NaN : series);
    add(replica.name(), "heap MB", figures.heap(1));
  }

  /** Adds a sample; one that could not be taken is none. */
  void add(String replica, String gauge, double value) {
    if (!Double.isNaN(value)) {
      samples
          .computeIfAbsent(gauge, _ -> new LinkedHashMap<>())
          .computeIfAbsent(replica, _ -> new ArrayList<>())
          .add(value);
    }
  }

  /**
   * Returns what has grown, in words.
   *
   * @param percent by how much more than before a gauge may be
   */
  List<String> growth(int percent) {
    List<String> found = new ArrayList<>();
    samples.forEach((gauge, replicas) ->
        replicas.forEach((replica, values) -> {
          double before = early(values);
          double after = late(values);
          if (!(after <= before * (1 + percent / 100.0))) { // also when there are too few
            found.add("%s of %s: %.1f, then %.1f".formatted(gauge, replica, before, after));
          }
        }));
    if (samples.isEmpty()) {
      found.add("no samples");
    }
    return found;
  }

  /** Returns a row for each gauge of each replica. */
  Table table() {
    Table table = new Table("gauge", "replica", "samples", "second fifth", "last fifth", "growth");
    samples.forEach((gauge, replicas) ->
        replicas.forEach((replica, values) ->
            table.row(
                gauge,
                replica,
                Integer.toString(values.size()),
                Table.number(early(values), 1),
                Table.number(late(values), 1),
                Table.number(100 * (late(values) / early(values) - 1), 1) + " %")));
    return table;
  }

  private static double early(List<Double> values) {
    return fifth(values, 1);
  }

  private static double late(List<Double> values) {
    return fifth(values, FIFTHS - 1);
  }

  private static double fifth(List<Double> values, int index) {
    int from = values.size() * index / FIFTHS;
    return Statistics.median(values.subList(from, values.size() * (index + 1) / FIFTHS));
  }
}
