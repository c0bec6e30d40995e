// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.start;

import dev.coxswain.bench.run.Arguments;
import dev.coxswain.testing.host.DevCluster;
import dev.coxswain.testing.process.Commands;
import dev.coxswain.testing.process.ProcessFigures;
import dev.coxswain.testing.report.Statistics;
import dev.coxswain.testing.report.Table;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Starts {@code coxswain dev} in turns from two installed copies, one with a start cache, and
 * measures when it is ready and what the first requests cost. Needs Linux and curl.
 *
 * <p>Thread rule: one thread; calls block.
 */
public final class StartRounds {
  private static final String CONTROLLERS = "/api/v1/controllers";
  private static final String PREVIEW =
      "{\"action\": \"flush\", \"dryRun\": true, \"selector\": {\"failing\": true},"
          + " \"reason\": \"bench\"}";

  private final Path out;
  private final int replicas;

  /** By figure, its values without and with a start cache. */
  private final Map<String, Map<String, List<Double>>> figures = new LinkedHashMap<>();

  private StartRounds(Path out, int replicas) {
    this.out = out;
    this.replicas = replicas;
  }

  public static Map<String, String> options(boolean quick) {
    return Map.of("out", "", "rounds", quick ? "1" : "7", "replicas", "1");
  }

  /** Measures, prints and returns true. */
  public static boolean run(Arguments arguments, PrintStream printed) throws IOException {
    Path out = Path.of(arguments.text("out"));
    StartRounds all = new StartRounds(out, arguments.number("replicas"));
    try {
      for (String copy : List.of("without", "with")) {
        Commands.run("cp", "-a", out.resolve("app").toString(), out.resolve(copy).toString());
      }
      Commands.output(
          DevCluster.launcher(out.resolve("with"), "warm-up").redirectErrorStream(true));
      for (int round = 0; round < arguments.number("rounds"); round++) {
        all.one(round % 2 == 0 ? "without" : "with");
        all.one(round % 2 == 0 ? "with" : "without");
      }
    } finally {
      Commands.run("rm", "-rf", out.resolve("without").toString(), out.resolve("with").toString());
    }
    all.print(
        printed,
        "start: milliseconds, %d rounds, %d replicas"
            .formatted(arguments.number("rounds"), all.replicas));
    return true;
  }

  private void one(String copy) throws IOException {
    ProcessBuilder dev =
        DevCluster.launcher(
            out.resolve(copy), "dev", "--json", "--ports", "auto", "--replicas", "" + replicas);
    long begin = System.nanoTime();
    try (DevCluster cluster = DevCluster.start(dev, out.resolve("log-" + copy))) {
      add("ready", copy, (System.nanoTime() - begin) / 1e6);
      add("ready, processor", copy, processorMillis(cluster));
      String items = CONTROLLERS + "/error-backoff/items?limit=100";
      request("first list of controllers", copy, cluster, CONTROLLERS);
      request("first page of items", copy, cluster, items);
      String operations = CONTROLLERS + "/error-backoff/operations";
      request("first preview of a flush", copy, cluster, operations, "-d", PREVIEW);
      add(
          "memory of a replica (MiB)",
          copy,
          new ProcessFigures(cluster.replicas().getLast().pid()).resident());
    }
  }

  /** Makes one request with curl, which needs no warm-up, and notes what it cost all processes. */
  private void request(String name, String copy, DevCluster cluster, String path, String... flags)
      throws IOException {
    double before = processorMillis(cluster);
    List<String> command = new ArrayList<>(List.of("curl", "-sf", "-o", "/dev/null", "-w"));
    command.addAll(List.of("%{time_total}", "-H", "Authorization: Bearer " + cluster.token()));
    command.addAll(List.of("-H", "Content-Type: application/json"));
    command.addAll(List.of(flags));
    command.add(cluster.replicas().getFirst().admin().resolve(path).toString());
    String seconds = Commands.run(command.toArray(String[]::new));
    add(name, copy, Double.parseDouble(seconds) * 1_000);
    add(name + ", processor", copy, processorMillis(cluster) - before);
  }

  private void add(String figure, String copy, double value) {
    figures
        .computeIfAbsent(figure, _ -> new LinkedHashMap<>())
        .computeIfAbsent(copy, _ -> new ArrayList<>())
        .add(value);
  }

  private static double processorMillis(DevCluster cluster) {
    ProcessHandle dev = cluster.process().toHandle();
    return Stream.concat(Stream.of(dev), dev.descendants())
        .map(one -> one.info().totalCpuDuration().orElse(Duration.ZERO))
        .mapToLong(Duration::toMillis)
        .sum();
  }

  private void print(PrintStream printed, String title) {
    Table table = new Table("median", "without", "with", "ratio of pairs");
    figures.forEach((figure, values) -> {
      List<Double> without = values.getOrDefault("without", List.of());
      List<Double> with = values.getOrDefault("with", List.of());
      List<Double> ratios = new ArrayList<>();
      for (int i = 0; i < Math.min(without.size(), with.size()); i++) {
        if (without.get(i) > 0) {
          ratios.add(with.get(i) / without.get(i));
        }
      }
      table.row(
          figure,
          Table.number(Statistics.median(without), 0),
          Table.number(Statistics.median(with), 0),
          Table.number(Statistics.median(ratios), 2));
    });
    table.print(printed, title);
  }
}
