// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench;

import dev.coxswain.bench.apiserver.ApiServerRounds;
import dev.coxswain.bench.apiserver.ApiServerRounds.Heap;
import dev.coxswain.bench.apiserver.ApiServerRounds.Starts;
import dev.coxswain.bench.apiserver.ApiServerRounds.Writes;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Measures the embedded API server against its budgets. */
final class ApiServerTables {
  private static final double MIB = 1 << 20;
  private static final double KIB = 1 << 10;
  private static final int STARTS = 15;

  private final Plan plan;
  private final PrintStream out;
  private final ApiServerRounds rounds;

  ApiServerTables(Plan plan, PrintStream out) {
    this.plan = plan;
    this.out = out;
    this.rounds = new ApiServerRounds(Plan.JVM, plan.forks() > 0);
  }

  void apiserver() throws IOException {
    heap();
    writes();
    starts();
  }

  private void heap() throws IOException {
    Heap heap = rounds.heap(plan.objects());
    Table table = new Table("subject", "objects", "empty MiB", "full MiB", "KiB each", "budget");
    table.row(
        "heap",
        "%,d".formatted(plan.objects()),
        Table.number(heap.empty() / MIB, 1),
        Table.number(heap.full() / MIB, 1),
        Table.number((heap.full() - heap.empty()) / KIB / plan.objects(), 2),
        "< 1,024 MiB");
    table.print(
        out,
        "apiserver: heap after full collections with %,d ConfigMaps of 2 KiB, filled with %s"
            .formatted(plan.objects(), ApiServerRounds.LARGEST_HEAP));
  }

  private void writes() throws IOException {
    Map<String, List<Writes>> all = new LinkedHashMap<>();
    for (int round = 0; round < plan.rounds(); round++) {
      for (boolean kept : new boolean[] {false, true}) {
        rounds
            .writes(plan.writes(), kept)
            .forEach((phase, writes) ->
                all.computeIfAbsent(kept ? phase + "Kept" : phase, k -> new ArrayList<>())
                    .add(writes));
      }
    }
    Table table =
        new Table(
            "subject",
            "writes/s",
            "budget",
            "events/s",
            "p50 ms",
            "p99 ms",
            "server cpu us each",
            "load cpu us each");
    all.forEach((subject, found) ->
        table.row(
            subject,
            Table.number(median(found, Writes::perSecond), 0),
            "5,000",
            Table.number(median(found, Writes::perSecond) * ApiServerRounds.WATCHERS, 0),
            Table.number(median(found, Writes::p50Millis), 2),
            Table.number(median(found, Writes::p99Millis), 2),
            Table.number(median(found, Writes::serverMicros), 0),
            Table.number(median(found, Writes::loadMicros), 0)));
    table.print(
        out,
        "apiserver: %,d writes of each kind over %d connections with %d watchers, %d rounds"
            .formatted(
                plan.writes(),
                ApiServerRounds.CONNECTIONS,
                ApiServerRounds.WATCHERS,
                plan.rounds()));
  }

  private void starts() throws IOException {
    Map<String, Starts> all = new LinkedHashMap<>();
    all.put("start", rounds.starts(STARTS, -1));
    all.put("startEmptyDirectory", rounds.starts(STARTS, 0));
    all.put("startFullDirectory", rounds.starts(STARTS, plan.objects() / 10));
    Table table = new Table("subject", "objects", "first ms", "later ms", "budget");
    all.forEach((subject, found) ->
        table.row(
            subject,
            "%,d".formatted(found.resumed()),
            Table.number(found.first(), 0),
            Table.number(Medians.of(found.later()), 0),
            "< 300 ms"));
    table.print(
        out,
        "apiserver: start in a JVM that is up, the first and the median of %d later ones"
            .formatted(STARTS));
  }

  private static double median(List<Writes> all, ToDoubleFunction<Writes> figure) {
    return Medians.of(all.stream().mapToDouble(figure).boxed().toList());
  }
}
