// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.bench.run.Arguments;
import dev.coxswain.testing.host.Setup;
import dev.coxswain.testing.network.Network;
import dev.coxswain.testing.process.Waits;
import dev.coxswain.testing.report.Table;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Breaks a cluster of real replicas and checks that the retry cap holds. */
public final class FailureRuns {
  private static final int MAX_REPLICAS = 5;
  private static final int KEYS = 100;
  private static final int STORM_KEYS = 10_000 / 3 + 1;

  private FailureRuns() {}

  public static Map<String, String> options(boolean quick) {
    return Map.of(
        "out", "",
        "app", "",
        "rate", "100",
        "burst", "20",
        "limiter", "shared",
        "lease", "15s",
        "network", "namespaces",
        "storm", "0",
        "scenarios", quick ? "healthy,kill-owner" : Arguments.ALL);
  }

  /** Runs, prints and returns whether the promise was kept. */
  public static boolean run(Arguments arguments, PrintStream out) throws IOException {
    Budget budget =
        new Budget(Double.parseDouble(arguments.text("rate")), arguments.number("burst"));
    Duration storm = Duration.ofSeconds(arguments.numberOrZero("storm"));
    List<Scenario> scenarios = arguments.constants("scenarios", Scenario.class);
    boolean shared = !arguments.text("limiter").equals("local");
    Setup setup = arguments.setup(MAX_REPLICAS, shared, out);
    Network network = Network.of(arguments.text("network"), MAX_REPLICAS);
    try (Cluster cluster =
        storm.isZero()
            ? new Cluster(setup, network, budget, KEYS, true)
            : new Cluster(setup, network, budget, STORM_KEYS, false)) {
      return storm.isZero()
          ? Row.print(
              out, "limiter-failures", new Suite(cluster, Suite.calm(budget)).run(scenarios))
          : storm(cluster, storm, out);
    }
  }

  /** Very many objects fail at once: nothing is broken, and only the retries are measured. */
  private static boolean storm(Cluster cluster, Duration time, PrintStream out) throws IOException {
    cluster.start(0, 1, 2);
    cluster.awaitReady();
    Waits.pass(time);
    Budget budget = cluster.budget();
    List<String> columns = new ArrayList<>(List.of("limiter", "rate, burst", "retries started"));
    List<String> cells = new ArrayList<>(List.of(cluster.limiter(), budget.toString()));
    cells.add(Integer.toString(cluster.starts().count()));
    for (int seconds : new int[] {1, 10, 60}) {
      int allowed = (int) (budget.burst() + budget.rate() * seconds);
      columns.add("most in %d s (allowed %d)".formatted(seconds, allowed));
      cells.add(Integer.toString(cluster.starts().mostWithin(Duration.ofSeconds(seconds))));
    }
    double excess = cluster.starts().worst(budget).excess();
    columns.add("worst window excess");
    cells.add(Table.number(excess, 1));
    return Row.print(out, "storm", List.of(new Row(columns, cells, excess <= 0)));
  }
}
