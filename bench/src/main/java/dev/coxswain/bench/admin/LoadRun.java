// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import dev.coxswain.bench.admin.part.AdminCalls;
import dev.coxswain.bench.admin.part.DumpPart;
import dev.coxswain.bench.admin.part.Figure;
import dev.coxswain.bench.admin.part.FlushPart;
import dev.coxswain.bench.admin.part.Items;
import dev.coxswain.bench.admin.part.Options;
import dev.coxswain.bench.admin.part.Orders;
import dev.coxswain.bench.admin.part.Part;
import dev.coxswain.bench.admin.part.ReadPart;
import dev.coxswain.bench.run.DevCluster;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The whole measurement: with the queues full, each kind of call beside the busy controller, all
 * kinds in turns. {@link Repeats} chooses the attempt at a part that counts in a round, {@link Figure} summarizes the rounds, and {@link Verdict} compares the summary with the budgets.
 *
 * <p>Thread rule: one thread; calls block.
 */
final class LoadRun {
  private final Options options;
  private final PrintStream out;
  private final List<AdminCalls> replicas;
  private final List<Path> probes;
  private final Witness witness;
  private final Report report;
  private final Items items;
  private final List<ReadPart> reads;
  private final DumpPart dumps;

  LoadRun(
      Options options,
      DevCluster cluster,
      List<AdminCalls> replicas,
      Witness witness,
      PrintStream out) {
    this.options = options;
    this.witness = witness;
    this.out = out;
    this.report = new Report(out);
    this.replicas = replicas;
    this.probes =
        cluster.replicas().stream()
            .map(one -> options.out().resolve("probe-" + one.pid()))
            .toList();
    this.items = new Items(options, replicas.getFirst());
    this.reads = ReadPart.all(replicas);
    this.dumps = new DumpPart(replicas, options.itemsOfReplica());
  }

  void run() throws IOException {
    startCache();
    out.println(witness.remark());
    out.printf(Locale.ROOT, "%d items over %d replicas%n%n", items.await(), options.replicas());
    warmUp();
    List<PartSummary> parts = rounds();
    report.summary(parts, options.rounds());
    report.held(parts);
    report.verdicts(parts);
  }

  /** Prints the number of replicas that use a start cache, from their own records. */
  private void startCache() throws IOException {
    int users = 0;
    for (Path probe : probes) {
      users += Probes.usesStartCache(probe) ? 1 : 0;
    }
    out.printf(Locale.ROOT, "start cache: used by %d of %d replicas%n", users, probes.size());
    if (options.startCache() && users < probes.size()) {
      throw new IOException(
          "a replica does without the start cache that was made for it; see "
              + options.out().resolve("log"));
    }
  }

  /** Measures all parts once, then all of them again, so that no part has the quiet hour alone. */
  private List<PartSummary> rounds() throws IOException {
    List<Part> parts = new ArrayList<>(reads);
    parts.add(dumps);
    parts.add(new FlushPart(replicas.getFirst(), items, options.seconds()));
    List<PartSummary> summaries = new ArrayList<>();
    parts.forEach(part -> summaries.add(new PartSummary(part.name(), new ArrayList<>())));
    report.begin(options);
    for (int round = 1; round <= options.rounds(); round++) {
      for (int i = 0; i < parts.size(); i++) {
        Part part = parts.get(i);
        Repeats.Round<Attempt> attempts =
            Repeats.measure(
                () -> Attempt.measure(part, probes, witness.gaps(), options.seconds()),
                attempt -> attempt.leftAlone(options.mostSteal()));
        report.attempts(round, part.name(), attempts);
        summaries.get(i).rounds().add(attempts);
      }
    }
    return summaries;
  }

  /**
   * Makes each kind of call for a while, so that the parts measure compiled code; the time of the very first call is printed, too.
   */
  private void warmUp() throws IOException {
    for (ReadPart read : reads) {
      long begin = System.nanoTime();
      replicas.getLast().get(read.path());
      first("call for the " + read.name(), begin);
    }
    AdminCalls replica = replicas.getFirst();
    long begin = System.nanoTime();
    Orders.preview(replica, Orders.flush());
    first("preview of a flush", begin);
    begin = System.nanoTime();
    JsonObject forget = forget(replica);
    first("preview of a forget and its begin", begin);
    Orders.stop(replica, forget);
    for (ReadPart read : reads) {
      read.until(System.nanoTime() + options.warmUp() * 1_000_000_000L);
    }
    for (AdminCalls one : replicas) {
      dumps.dump(one);
      Orders.stop(one, forget(one));
    }
    out.println();
  }

  private void first(String what, long begin) {
    double millis = (System.nanoTime() - begin) / 1e6;
    out.printf(Locale.ROOT, "the very first %s: %.0f ms%n", what, millis);
  }

  private static JsonObject forget(AdminCalls replica) throws IOException {
    JsonObject order = Orders.forget();
    return Orders.begin(replica, order, Orders.preview(replica, order));
  }
}
