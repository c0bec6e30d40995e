// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.failures;

import dev.coxswain.failures.network.Loopback;
import dev.coxswain.failures.network.Namespaces;
import dev.coxswain.failures.network.Network;
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

/**
 * Runs the suite for one rate and burst: see {@code bench/limiter-failures}, which puts it into
 * namespaces of its own.
 *
 * <p>Arguments, each {@code --name=value}: {@code launcher}, {@code out}, {@code rate}, {@code
 * burst}, {@code limiter} (shared or local), {@code network} (namespaces or loopback), {@code
 * scenarios} (names, or all), {@code storm} (seconds; instead of scenarios).
 */
public final class Main {
  private static final int KEYS = 100;

  private Main() {}

  /** Runs; the exit code is 0 when the promise was kept, 1 when not, 2 for wrong use. */
  public static void main(String[] arguments) throws IOException {
    Map<String, String> values = parse(arguments);
    Budget budget =
        new Budget(
            Double.parseDouble(values.getOrDefault("rate", "100")),
            Integer.parseInt(values.getOrDefault("burst", "20")));
    Path folder = Files.createDirectories(Path.of(required(values, "out")).toAbsolutePath());
    boolean shared = !values.getOrDefault("limiter", "shared").equals("local");
    int storm = Integer.parseInt(values.getOrDefault("storm", "0"));
    Setup setup =
        new Setup(
            Path.of(required(values, "launcher")).toAbsolutePath(),
            folder,
            budget,
            shared,
            storm == 0 ? KEYS : StormRun.OBJECTS / StormRun.REPLICAS + 1,
            storm == 0,
            "15s",
            "2s");
    String names = values.getOrDefault("scenarios", "all");
    List<Scenario> scenarios =
        names.equals("all")
            ? List.of(Scenario.values())
            : Arrays.stream(names.split(",")).map(Scenario::of).toList();
    Network network =
        values.getOrDefault("network", "namespaces").equals("loopback")
            ? Loopback.create(Setup.MAX_REPLICAS)
            : Namespaces.create(Setup.MAX_REPLICAS);
    PrintStream out = System.out;
    long from = System.nanoTime();
    Cluster cluster =
        Cluster.create(
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
    out.printf(Locale.ROOT, "took %d s%n", Duration.ofNanos(System.nanoTime() - from).toSeconds());
    System.exit(good ? 0 : 1);
  }

  private static Map<String, String> parse(String[] arguments) {
    Map<String, String> values = new HashMap<>();
    for (String argument : new ArrayList<>(Arrays.asList(arguments))) {
      int equals = argument.indexOf('=');
      if (!argument.startsWith("--") || equals < 0) {
        throw new IllegalArgumentException("expected --name=value, found \"" + argument + "\"");
      }
      values.put(argument.substring(2, equals), argument.substring(equals + 1));
    }
    return values;
  }

  private static String required(Map<String, String> values, String name) {
    String value = values.get(name);
    if (value == null) {
      throw new IllegalArgumentException("--" + name + "=... is missing");
    }
    return value;
  }
}
