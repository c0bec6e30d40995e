// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import static dev.coxswain.testing.report.Table.number;

import dev.coxswain.bench.run.Arguments;
import dev.coxswain.retry.WindowChecker;
import dev.coxswain.testing.process.Waits;
import dev.coxswain.testing.report.Recordings;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Runs scenarios one after another on the same replicas, under load all the time, and judges each
 * by what was started from shortly before it to well after it.
 */
final class Suite {
  /** The unfairness is described at {@link Starts#unfairness}. */
  private static final List<String> COLUMNS =
      List.of(
          "rate, burst",
          "limiter",
          "what happens",
          "worst window excess",
          "longest pause s",
          "longest below half s",
          "rate used",
          "unfair before",
          "unfair after",
          "well again s",
          "retries per replica",
          "warnings",
          "errors",
          "note");

  /** The failures of the storm, which the host logs from time to time. */
  private static final String EXPECTED = "StormFailure";

  private final Cluster cluster;
  private final Duration calm;
  private final Recordings logs = new Recordings();
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
        run(scenario);
      } else {
        cluster.tell("skipped " + Arguments.key(scenario) + ": " + impossible);
      }
    }
    // A window may begin in one scenario and end in another.
    add("all of the above, as one run", from, System.nanoTime(), 0, 0, "", List.of());
    return List.copyOf(rows);
  }

  private void run(Scenario scenario) throws IOException {
    cluster.tell("== " + Arguments.key(scenario) + ": " + scenario.what());
    List<String> notes = new ArrayList<>();
    if (!cluster.awaitHealthy()) {
      notes.add("not well before");
    }
    complaints();
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
    add(
        scenario.what(),
        from,
        to,
        cluster.starts().between(from, begun).unfairness(before),
        cluster.starts().between(recovered, to).unfairness(after),
        well ? number((recovered - done) / 1e9, 1) : "never",
        notes);
  }

  private void add(
      String what,
      long from,
      long to,
      double unfairBefore,
      double unfairAfter,
      String recovered,
      List<String> notes)
      throws IOException {
    Budget budget = cluster.budget();
    Starts starts = cluster.starts().between(from, to);
    Map<String, Map<String, Integer>> complaints = complaints();
    keep(what, complaints);
    WindowChecker.Window worst = starts.worst(cluster.limits());
    if (!worst.kept()) {
      cluster.tell(
          "CAP BROKEN: %d retries from %d to %d: %s"
              .formatted(
                  worst.starts(),
                  worst.fromNanos(),
                  worst.toNanos(),
                  starts.between(worst.fromNanos(), worst.toNanos() + 1).perReplica()));
    }
    double used = starts.count() / (budget.rate() * (to - from) / 1e9);
    List<String> cells =
        List.of(
            budget.toString(),
            cluster.limiter(),
            what,
            number(worst.excess(), 1),
            number(starts.longestPause(from, to).toNanos() / 1e9, 2),
            number(starts.longestLull(budget, from, to).toNanos() / 1e9, 1),
            number(100 * used, 0) + " %",
            number(100 * unfairBefore, 1) + " %",
            number(100 * unfairAfter, 1) + " %",
            recovered,
            starts.perReplica().entrySet().stream()
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", ")),
            count(complaints, "warn"),
            count(complaints, "error"),
            String.join("; ", notes));
    rows.add(new Row(COLUMNS, cells, worst.excess() <= 0 && notes.isEmpty()));
    cluster.tell(rows.getLast().toString());
  }

  private static String count(Map<String, Map<String, Integer>> complaints, String level) {
    return Integer.toString(
        complaints.getOrDefault(level, Map.of()).values().stream()
            .mapToInt(Integer::intValue)
            .sum());
  }

  private void keep(String what, Map<String, Map<String, Integer>> complaints) throws IOException {
    StringBuilder text = new StringBuilder("== " + what + "\n");
    complaints.forEach((level, lines) ->
        lines.forEach((line, n) -> text.append("%d x %s %s\n".formatted(n, level, line))));
    Path file = cluster.setup().folder().resolve("complaints.txt");
    Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  /**
   * Returns the warnings and errors in the logs of the replicas since the last call, by level and
   * text, with how often each was made; lines that are no JSON count as errors.
   */
  private Map<String, Map<String, Integer>> complaints() throws IOException {
    Map<String, Map<String, Integer>> found = new TreeMap<>();
    for (Path log : cluster.logs()) {
      for (String line : logs.next(log)) {
        if (line.contains(EXPECTED)) {
          continue;
        }
        String level = "error";
        String text = "not a line of the log: " + line;
        try {
          JsonObject entry = new JsonObject(line);
          level = entry.getString("level", "");
          text =
              entry.getString("logger", "")
                  + ": "
                  + entry.getString("msg", "")
                  + (entry.containsKey("error") ? " (" + entry.getValue("error") + ")" : "");
        } catch (DecodeException _) {
          // a line of the JVM
        }
        if (level.equals("warn") || level.equals("error")) {
          found.computeIfAbsent(level, _ -> new TreeMap<>()).merge(text, 1, Integer::sum);
        }
      }
    }
    return found;
  }
}
