// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.failures.network.IsolatedRun;
import dev.coxswain.bench.failures.network.Loopback;
import dev.coxswain.bench.failures.network.Namespaces;
import dev.coxswain.bench.failures.network.Network;
import dev.coxswain.bench.run.Arguments;
import dev.coxswain.bench.run.Commands;
import dev.coxswain.bench.run.Machine;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Breaks a cluster of real replicas that share or hand over work, and checks that no work is done
 * twice, lost or late.
 */
public final class OwnershipRuns {
  /** The name of this benchmark on the command line. */
  public static final String NAME = "ownership-failures";

  private OwnershipRuns() {}

  /** Returns the options and their defaults. */
  public static Map<String, String> options(boolean quick) {
    Map<String, String> values = new HashMap<>(Map.of("out", "", "app", "", "inside", "false"));
    values.putAll(Map.of("ownership", "sharded", "replicas", "3", "network", "loopback"));
    values.putAll(Map.of("changes", "100", "work", "20", "seed", "1"));
    values.put("caches", "filtered");
    values.put("lease", quick ? "6s" : "15s");
    values.put("objects", quick ? "300" : "2000");
    values.put("only", quick ? "kill,freeze,rolling-restart" : "all");
    return values;
  }

  /**
   * Runs and prints.
   *
   * @param main the class that starts this again in namespaces
   * @param given the options as they were given
   * @return whether every promise was kept
   */
  public static boolean run(Arguments arguments, List<String> given, String main, PrintStream out)
      throws IOException {
    List<OwnershipScenario> scenarios = OwnershipScenario.of(arguments.text("only"));
    boolean namespaces = arguments.text("network").equals("namespaces");
    if (namespaces && !arguments.has("inside")) {
      IsolatedRun.require();
      List<String> again = new ArrayList<>(List.of(NAME));
      again.addAll(given);
      again.add("--inside");
      return Commands.await(IsolatedRun.start(main, again, true, null)) == 0;
    }
    int max = OwnershipPlan.MAX_REPLICAS;
    Network network = namespaces ? Namespaces.create(max) : Loopback.create(max);
    List<OwnershipRow> rows = run(plan(arguments), network, scenarios, progress(out));
    OwnershipRow.table(rows)
        .print(
            out,
            "Ownership %s, %s caches, %s replicas, Lease %s, %s objects, %s changes/s, load %s"
                .formatted(
                    arguments.text("ownership"),
                    arguments.text("caches"),
                    arguments.text("replicas"),
                    arguments.text("lease"),
                    arguments.text("objects"),
                    arguments.text("changes"),
                    Machine.load()));
    return rows.stream().allMatch(OwnershipRow::good);
  }

  /** Runs scenarios on a cluster of their own. */
  static List<OwnershipRow> run(
      OwnershipPlan plan,
      Network network,
      List<OwnershipScenario> scenarios,
      Consumer<String> progress)
      throws IOException {
    OwnershipCluster cluster = new OwnershipCluster(plan, network, progress);
    Runtime.getRuntime().addShutdownHook(new Thread(cluster::destroy));
    try (cluster;
        OwnershipSuite suite = OwnershipSuite.start(cluster)) {
      return suite.run(scenarios);
    }
  }

  static Consumer<String> progress(PrintStream out) {
    long from = System.nanoTime();
    return what -> out.printf(Locale.ROOT, "%8.2f %s%n", (System.nanoTime() - from) / 1e9, what);
  }

  private static OwnershipPlan plan(Arguments arguments) throws IOException {
    return new OwnershipPlan(
        Path.of(arguments.text("app")).toAbsolutePath(),
        Files.createDirectories(Path.of(arguments.text("out")).toAbsolutePath()),
        arguments.text("ownership"),
        arguments.text("caches"),
        arguments.number("replicas"),
        Duration.parse("PT" + arguments.text("lease")),
        arguments.number("objects"),
        arguments.number("changes"),
        Duration.ofMillis(arguments.number("work")),
        Duration.ofMillis(-1),
        16,
        arguments.number("seed"),
        Duration.ZERO);
  }
}
