// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import dev.coxswain.bench.failures.Row;
import dev.coxswain.bench.run.Arguments;
import dev.coxswain.testing.network.Network;
import dev.coxswain.testing.process.Machine;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/**
 * Breaks a cluster of real replicas that share or hand over work, and checks that no work is done
 * twice, lost or late.
 */
public final class OwnershipRuns {
  private OwnershipRuns() {}

  public static Map<String, String> options(boolean quick) {
    return OwnershipPlan.options(
        quick
            ? Map.of("lease", "6s", "objects", "300", "only", "kill,freeze,rolling-restart")
            : Map.of("only", Arguments.ALL));
  }

  /** Runs, prints and returns whether every promise was kept. */
  public static boolean run(Arguments arguments, PrintStream out) throws IOException {
    List<Row> rows = rows(arguments, out);
    return Row.print(
        out,
        "Ownership %s, %s caches, slots by %s, %s replicas, Lease %s, %s objects, %s changes/s, load %s"
            .formatted(
                arguments.text("ownership"),
                arguments.text("caches"),
                arguments.text("slots-by"),
                arguments.text("replicas"),
                arguments.text("lease"),
                arguments.text("objects"),
                arguments.text("changes"),
                Machine.load()),
        rows);
  }

  /** Runs and returns a row for each scenario. */
  static List<Row> rows(Arguments arguments, PrintStream out) throws IOException {
    List<OwnershipScenario> scenarios = arguments.constants("only", OwnershipScenario.class);
    OwnershipPlan plan = OwnershipPlan.of(arguments, out);
    Network network = Network.of(arguments.text("network"), OwnershipPlan.MAX_REPLICAS);
    try (OwnershipCluster cluster = new OwnershipCluster(plan, network)) {
      cluster.fill();
      return new OwnershipSuite(cluster).run(scenarios);
    }
  }
}
