// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin.part;

import dev.coxswain.bench.report.Statistics;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Dumps of each replica's items, in turns.
 *
 * @param items how many each replica has
 */
public record DumpPart(List<AdminCalls> replicas, int items) implements Part {

  @Override
  public String name() {
    return DUMPS;
  }

  @Override
  public Map<Figure, Double> until(long end) throws IOException {
    List<Double> rates = new ArrayList<>();
    for (int i = 0; i == 0 || System.nanoTime() < end; i++) {
      rates.add(dump(replicas.get(i % replicas.size())));
    }
    return Map.of(
        Figure.DUMPS, (double) rates.size(),
        Figure.DUMP_RATE, Statistics.median(rates),
        Figure.DUMP_SLOWEST, Collections.min(rates));
  }

  /** Returns how many items a second there were. */
  public double dump(AdminCalls replica) throws IOException {
    long begin = System.nanoTime();
    long lines = replica.countLines(Items.PARKED + "/items?scope=local");
    if (lines != items + 2) {
      throw new IOException("a dump of " + items + " items had " + lines + " lines");
    }
    return items * 1e9 / (System.nanoTime() - begin);
  }
}
