// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.bench.failures.cluster.Budget;
import dev.coxswain.bench.failures.cluster.Starts;
import dev.coxswain.bench.failures.cluster.Waits;
import dev.coxswain.retry.WindowChecker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * Runs scenarios one after another on the same replicas, under load all the time, and judges each
 * by what was started from shortly before it to well after it.
 *
 * <p>Thread rule: one thread; calls block.
 */
final class Suite {
  private final Cluster cluster;
  private final Duration calm;
  private final LogWatch logs = new LogWatch();
  private final List<Row> rows = new ArrayList<>();

  /**
   * Creates a suite.
   *
   * @param calm for how long fairness is measured before and after each scenario
   */
  Suite(Cluster cluster, Duration calm) {
    this.cluster = cluster;
    this.calm = calm;
  }

  /** Returns for how long fairness must be measured for an unlucky permit not to matter. */
  static Duration calm(Budget budget) {
    return Duration.ofSeconds(budget.rate() < 50 ? 30 : 12);
  }

  /** Starts three replicas, runs the scenarios and returns a row for each, and one for all time. */
  List<Row> run(List<Scenario> scenarios) throws IOException {
    cluster.start(0, 1, 2);
    cluster.awaitReady();
    long from = System.nanoTime();
    for (Scenario scenario : scenarios) {
      String impossible = scenario.impossible(cluster.network());
      if (impossible.isEmpty()) {
        add(run(scenario));
      } else {
        cluster.tell("skipped " + scenario.key() + ": " + impossible);
      }
    }
    add(wholeRun(from));
    return List.copyOf(rows);
  }

  private void add(Row row) throws IOException {
    rows.add(row);
    cluster.tell(row.markdown());
    Files.writeString(
        cluster.setup().folder().resolve("rows.md"),
        row.markdown() + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  private Row run(Scenario scenario) throws IOException {
    cluster.tell("== " + scenario.key() + ": " + scenario.what());
    List<String> notes = new ArrayList<>();
    if (!cluster.awaitHealthy()) {
      notes.add("not well before");
    }
    logs.next(cluster.logs());
    long from = System.nanoTime();
    List<String> before = cluster.names();
    Waits.pass(calm);
    if (cluster.setup().shared() && !cluster.knowsOwner()) {
      notes.add("owner unknown");
    }
    long begun = System.nanoTime();
    scenario.run(cluster);
    long done = System.nanoTime();
    boolean well = cluster.awaitHealthy();
    long recovered = System.nanoTime();
    if (!well) {
      notes.add("not well after");
    }
    List<String> after = cluster.names();
    Waits.pass(calm);
    long to = System.nanoTime();
    cluster.crashed().forEach(name -> notes.add(name + " ended by itself"));
    return row(
        scenario.what(),
        from,
        to,
        cluster.starts().between(from, begun).unfairness(before),
        cluster.starts().between(recovered, to).unfairness(after),
        well ? seconds(recovered - done) : "never",
        notes);
  }

  /** A window may begin in one scenario and end in another. */
  private Row wholeRun(long from) throws IOException {
    return row(
        "all of the above, as one run", from, System.nanoTime(), 0, 0, "", new ArrayList<>());
  }

  private Row row(
      String what,
      long from,
      long to,
      double unfairBefore,
      double unfairAfter,
      String recovered,
      List<String> notes)
      throws IOException {
    Setup setup = cluster.setup();
    Starts starts = cluster.starts().between(from, to);
    LogWatch.Complaints complaints = logs.next(cluster.logs());
    keep(what, complaints);
    WindowChecker.Window worst = starts.worst(cluster.limits().all());
    if (!worst.kept()) {
      cluster.tell(
          "CAP BROKEN: %d retries from %d to %d: %s"
              .formatted(
                  worst.starts(),
                  worst.fromNanos(),
                  worst.toNanos(),
                  starts.between(worst.fromNanos(), worst.toNanos() + 1).perReplica()));
    }
    return new Row(
        setup.budget().toString(),
        setup.shared() ? "shared" : "per process",
        what,
        worst.excess(),
        starts.longestPause(from, to).toNanos() / 1e9,
        starts.longestLull(setup.budget(), from, to).toNanos() / 1e9,
        starts.count() / (setup.budget().rate() * (to - from) / 1e9),
        unfairBefore,
        unfairAfter,
        recovered,
        starts.perReplica().entrySet().stream()
            .map(entry -> entry.getKey() + " " + entry.getValue())
            .collect(Collectors.joining(", ")),
        complaints.warningCount(),
        complaints.errorCount(),
        String.join("; ", notes));
  }

  private void keep(String what, LogWatch.Complaints complaints) throws IOException {
    StringBuilder text = new StringBuilder("== " + what + "\n");
    complaints
        .errors()
        .forEach((line, n) -> text.append(n).append(" x error ").append(line).append('\n'));
    complaints
        .warnings()
        .forEach((line, n) -> text.append(n).append(" x warn ").append(line).append('\n'));
    Path file = cluster.setup().folder().resolve("complaints.txt");
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static String seconds(long nanos) {
    return String.format(Locale.ROOT, "%.1f", nanos / 1e9);
  }
}
