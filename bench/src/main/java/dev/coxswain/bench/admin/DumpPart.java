// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import dev.coxswain.testing.process.HttpCalls;
import dev.coxswain.testing.report.Statistics;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Dumps of each replica's items, in turns.
 *
 * @param items how many each replica has
 */
record DumpPart(List<HttpCalls> replicas, int items) implements Part {
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

  void warmUp() throws IOException {
    for (HttpCalls replica : replicas) {
      dump(replica);
    }
  }

  /** Returns how many items a second there were. */
  private double dump(HttpCalls replica) throws IOException {
    long begin = System.nanoTime();
    long lines = 0;
    byte[] buffer = new byte[1 << 16];
    try (InputStream body =
        replica.open(Items.PARKED + "/items?scope=local", "application/x-ndjson")) {
      for (int read = body.read(buffer); read >= 0; read = body.read(buffer)) {
        for (int i = 0; i < read; i++) {
          lines += buffer[i] == '\n' ? 1 : 0;
        }
      }
    }
    if (lines != items + 2) {
      throw new IOException("a dump of " + items + " items had " + lines + " lines");
    }
    return items * 1e9 / (System.nanoTime() - begin);
  }
}
