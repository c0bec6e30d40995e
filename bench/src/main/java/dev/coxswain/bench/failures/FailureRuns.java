// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.bench.failures.cluster.Budget;
import dev.coxswain.bench.failures.network.IsolatedRun;
import dev.coxswain.bench.failures.network.Loopback;
import dev.coxswain.bench.failures.network.Namespaces;
import dev.coxswain.bench.failures.network.Network;
import dev.coxswain.bench.run.Arguments;
import dev.coxswain.bench.run.Commands;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Breaks a cluster of real replicas and checks that the retry cap holds: one run for a rate and a
 * burst, or all of them.
 */
public final class FailureRuns {
  /** The name of this benchmark on the command line. */
  public static final String NAME = "limiter-failures";

  private static final int KEYS = 100;

  private final Arguments arguments;
  private final List<String> given;
  private final String main;
  private final PrintStream out;

  private FailureRuns(Arguments arguments, List<String> given, String main, PrintStream out) {
    this.arguments = arguments;
    this.given = given;
    this.main = main;
    this.out = out;
  }

  /** Returns the options and their defaults. */
  public static Map<String, String> options(boolean quick) {
    Map<String, String> values = new HashMap<>(Map.of("out", "", "app", "", "full", "false"));
    values.putAll(Map.of("rate", "100", "burst", "20", "limiter", "shared"));
    values.putAll(Map.of("network", "namespaces", "storm", "0", "inside", "false"));
    values.put("scenarios", quick ? "healthy,kill-owner" : "all");
    return values;
  }

  /**
   * Runs and prints.
   *
   * @param main the class that starts this again in another process
   * @param given the options as they were given
   * @return whether the promise was kept
   */
  public static boolean run(Arguments arguments, List<String> given, String main, PrintStream out)
      throws IOException {
    FailureRuns runs = new FailureRuns(arguments, given, main, out);
    boolean namespaces = !arguments.text("network").equals("loopback");
    if (arguments.has("inside") || (!namespaces && !arguments.has("full"))) {
      return runs.one();
    }
    if (namespaces) {
      IsolatedRun.require();
    }
    return arguments.has("full") ? runs.all() : Commands.await(runs.start(List.of(), null)) == 0;
  }

  /** Runs every rate and burst, two bursts at a time, and prints all rows. */
  private boolean all() throws IOException {
    Path folder = Path.of(arguments.text("out"));
    boolean good = true;
    long from = System.nanoTime();
    List<Path> rows = new ArrayList<>();
    for (String rate : List.of("100", "10")) {
      List<Process> pair = new ArrayList<>();
      for (String burst : List.of("20", "100")) {
        Path own = Files.createDirectories(folder.resolve(rate + "-" + burst));
        rows.add(own.resolve("rows.md"));
        List<String> options = List.of("--rate=" + rate, "--burst=" + burst, "--out=" + own);
        pair.add(start(options, own.resolve("out.txt").toFile()));
      }
      for (Process one : pair) {
        good &= Commands.await(one) == 0;
      }
    }
    for (Path some : rows) {
      out.print(Files.readString(some));
    }
    took(from);
    return good;
  }

  /** Starts one run in a process; options that are given later win. */
  private Process start(List<String> more, @Nullable File output) throws IOException {
    List<String> options = new ArrayList<>(List.of(NAME));
    options.addAll(given);
    options.removeIf(option -> option.startsWith("--full"));
    options.addAll(more);
    options.add("--inside");
    return IsolatedRun.start(main, options, !arguments.text("network").equals("loopback"), output);
  }

  private void took(long from) {
    out.printf(Locale.ROOT, "took %d s%n", Duration.ofNanos(System.nanoTime() - from).toSeconds());
  }

  private boolean one() throws IOException {
    Budget budget =
        new Budget(Double.parseDouble(arguments.text("rate")), arguments.number("burst"));
    int storm = Integer.parseInt(arguments.text("storm"));
    Setup setup =
        new Setup(
            Path.of(arguments.text("app")).toAbsolutePath(),
            Files.createDirectories(Path.of(arguments.text("out")).toAbsolutePath()),
            budget,
            !arguments.text("limiter").equals("local"),
            storm == 0 ? KEYS : StormRun.OBJECTS / StormRun.REPLICAS + 1,
            storm == 0,
            "15s",
            "2s");
    String names = arguments.text("scenarios");
    List<Scenario> scenarios =
        names.equals("all")
            ? List.of(Scenario.values())
            : Arrays.stream(names.split(",")).map(Scenario::of).toList();
    Network network =
        arguments.text("network").equals("loopback")
            ? Loopback.create(Setup.MAX_REPLICAS)
            : Namespaces.create(Setup.MAX_REPLICAS);
    long from = System.nanoTime();
    Cluster cluster =
        new Cluster(
            setup,
            network,
            what -> out.printf(Locale.ROOT, "%8.2f %s%n", (System.nanoTime() - from) / 1e9, what));
    Runtime.getRuntime().addShutdownHook(new Thread(cluster::destroy));
    boolean good;
    try (cluster) {
      if (storm > 0) {
        good = StormRun.run(cluster, Duration.ofSeconds(storm), out);
      } else {
        List<Row> rows = new Suite(cluster, Suite.calm(budget)).run(scenarios);
        out.println(Row.head());
        rows.forEach(row -> out.println(row.markdown()));
        good = rows.stream().allMatch(Row::good);
      }
    }
    took(from);
    return good;
  }
}
