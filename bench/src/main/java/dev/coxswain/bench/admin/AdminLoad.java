// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import dev.coxswain.bench.admin.controllers.BusyController;
import dev.coxswain.bench.admin.controllers.FailingControllers;
import dev.coxswain.bench.admin.controllers.ParkedController;
import dev.coxswain.bench.run.Arguments;
import dev.coxswain.testing.host.Definitions;
import dev.coxswain.testing.host.DevCluster;
import dev.coxswain.testing.process.HttpCalls;
import dev.coxswain.testing.process.Waits;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Load on the admin API of real replicas: with the queues full, each kind of call beside the busy
 * controller, all kinds in turns. {@link Repeats} chooses the attempt at a part that counts in a
 * round, {@link Figure} summarizes the rounds, {@link Verdict} compares the summary with the budgets.
 *
 * <p>Thread rule: one thread; calls block.
 */
public final class AdminLoad {
  private static final Duration FAILURE_LIMIT = Duration.ofMinutes(10);

  private final Arguments options;
  private final PrintStream out;
  private final List<Path> probes;
  private final HttpCalls api;
  private final Items items;
  private final List<ReadPart> reads;
  private final List<Part> parts;

  private AdminLoad(Arguments options, DevCluster cluster, PrintStream out) {
    this.options = options;
    this.out = out;
    List<HttpCalls> calls =
        cluster.replicas().stream()
            .map(one -> new HttpCalls(one.admin()).withToken(cluster.token()))
            .toList();
    int seconds = options.number("seconds");
    probes =
        cluster.replicas().stream()
            .map(one -> Path.of(options.text("out")).resolve("probe-" + one.pid()))
            .toList();
    items = new Items(calls, itemsOfReplica(options), seconds);
    reads = new ArrayList<>(ReadPart.all(calls));
    if (failing(options)) {
      reads.addAll(ReadPart.ofFailures(calls));
    }
    api = calls.getFirst();
    parts = new ArrayList<>(reads);
    parts.add(new FlushPart(items, seconds));
  }

  public static Map<String, String> options(boolean quick) {
    return Map.ofEntries(
        Map.entry("out", ""),
        Map.entry("app", ""),
        Map.entry("replicas", "3"),
        Map.entry("items", quick ? "30000" : "1000000"),
        Map.entry("failing", "0"),
        Map.entry("causes", "10000"),
        Map.entry("heap", "768m"),
        Map.entry("compilers", "4"),
        Map.entry("busy", quick ? "500" : "2000"),
        Map.entry("seconds", quick ? "3" : "5"),
        Map.entry("warm-up", quick ? "3" : "20"),
        Map.entry("rounds", quick ? "1" : "12"),
        Map.entry("most-steal", "2"));
  }

  private static int itemsOfReplica(Arguments options) {
    return options.number("items") / options.number("replicas");
  }

  private static int failingOfReplica(Arguments options) {
    return options.numberOrZero("failing") / options.number("replicas");
  }

  /** Returns whether there are items that fail besides those that wait. */
  static boolean failing(Arguments options) {
    return options.numberOrZero("failing") > 0;
  }

  /** Starts the replicas, measures, prints, ends them and returns true. */
  public static boolean run(Arguments options, PrintStream out) throws IOException {
    Path folder = Path.of(options.text("out"));
    Path config = Files.writeString(folder.resolve("config.yaml"), configuration(options, folder));
    ProcessBuilder dev =
        DevCluster.launcher(
            Path.of(options.text("app")),
            "dev",
            "--json",
            "--ports=auto",
            "--config=" + config,
            "--replicas=" + options.number("replicas"));
    dev.environment()
        .put(
            "COXSWAIN_JAVA_OPTS",
            "-Xmx"
                + options.text("heap")
                + " -XX:TieredStopAtLevel="
                + options.number("compilers"));
    dev.environment()
        .put(
            "COXSWAIN_CLASSPATH",
            failing(options)
                ? Definitions.classPath(
                    folder, ParkedController.class, BusyController.class, FailingControllers.class)
                : Definitions.classPath(folder, ParkedController.class, BusyController.class));
    try (DevCluster cluster = DevCluster.start(dev, folder.resolve("log"))) {
      // The replicas end with this process.
      Runtime.getRuntime().addShutdownHook(new Thread(cluster::destroy));
      new AdminLoad(options, cluster, out).run();
    }
    return true;
  }

  private static String configuration(Arguments options, Path folder) {
    StringBuilder failing = new StringBuilder();
    for (int i = 0; failing(options) && i < FailingControllers.COUNT; i++) {
      failing.append(
          "  %s: {ownership: everywhere, concurrency: 16, config: {keys: %d, causes: %d}}%n"
              .formatted(
                  FailingControllers.name(i),
                  failingOfReplica(options) / FailingControllers.COUNT,
                  options.number("causes") / FailingControllers.COUNT));
    }
    return """
    apiVersion: config.coxswain.dev/v1alpha1
    kind: CoxswainConfiguration
    logging: {format: json, level: warn}
    controllers:
      parked:
        ownership: everywhere
        config: {keys: %d}
      busy:
        ownership: everywhere
        concurrency: 16
        config: {keys: %d, folder: "%s"}
    """
            .formatted(itemsOfReplica(options), options.number("busy"), folder.toAbsolutePath())
        + failing;
  }

  private void run() throws IOException {
    out.printf(
        Locale.ROOT, "%d items over %d replicas%n%n", items.await(), options.number("replicas"));
    if (failing(options)) {
      awaitFailures();
    }
    // So that the parts measure compiled code.
    for (ReadPart read : reads) {
      read.until(System.nanoTime() + options.number("warm-up") * 1_000_000_000L);
    }
    items.warmUp();
    Report report = new Report(out);
    List<PartSummary> summaries = rounds(report);
    report.summary(summaries, options.number("rounds"));
    report.held(summaries);
    report.verdicts(summaries);
  }

  private void awaitFailures() throws IOException {
    long wanted =
        (long) failingOfReplica(options)
            / FailingControllers.COUNT
            * FailingControllers.COUNT
            * options.number("replicas");
    JsonObject[] causes = {new JsonObject()};
    if (!Waits.until(
        FAILURE_LIMIT,
        () ->
            Items.answers(() -> {
              causes[0] = api.get("/api/v1/causes?limit=1");
              return causes[0].getLong("failing", 0L) >= wanted;
            }))) {
      throw new IOException(causes[0].encode() + ": not " + wanted + " after " + FAILURE_LIMIT);
    }
    out.printf(
        Locale.ROOT,
        "%d of them fail, of %d causes%n%n",
        causes[0].getLong("failing"),
        causes[0].getLong("total"));
  }

  /** Measures all parts once, then all of them again, so that no part has the quiet hour alone. */
  private List<PartSummary> rounds(Report report) throws IOException {
    List<PartSummary> summaries = new ArrayList<>();
    parts.forEach(part -> summaries.add(new PartSummary(part.name(), new ArrayList<>())));
    int seconds = options.number("seconds");
    int mostSteal = options.number("most-steal");
    report.begin(options.number("rounds"), seconds, mostSteal);
    for (int round = 1; round <= options.number("rounds"); round++) {
      for (int i = 0; i < parts.size(); i++) {
        Part part = parts.get(i);
        Repeats.Round<Attempt> attempts =
            Repeats.measure(
                () -> Attempt.measure(part, probes, seconds),
                attempt -> attempt.leftAlone(mostSteal));
        report.attempts(round, part.name(), attempts);
        summaries.get(i).rounds().add(attempts);
      }
    }
    return summaries;
  }
}
