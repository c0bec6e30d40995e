// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.bench.failures.cluster.Budget;
import dev.coxswain.bench.failures.cluster.Starts;
import dev.coxswain.bench.failures.cluster.Waits;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/**
 * Very many objects fail at once on three replicas: nothing is broken, and only the number of retries of the whole cluster is measured.
 */
final class StormRun {
  static final int OBJECTS = 10_000;
  static final int REPLICAS = 3;

  private StormRun() {}

  /**
   * Runs and prints a Markdown table of one row.
   *
   * @return whether the promise was kept
   */
  static boolean run(Cluster cluster, Duration time, PrintStream out) throws IOException {
    cluster.start(0, 1, 2);
    cluster.awaitReady();
    Waits.pass(time);
    Setup setup = cluster.setup();
    Budget budget = setup.budget();
    Starts starts = cluster.starts();
    double excess = starts.worst(budget).excess();
    out.println(
        "| limiter | rate, burst | retries started | most in 1 s (allowed "
            + allowed(budget, 1)
            + ") | most in 10 s (allowed "
            + allowed(budget, 10)
            + ") | most in 60 s (allowed "
            + allowed(budget, 60)
            + ") | worst window excess |");
    out.println("|---|---|---:|---:|---:|---:|---:|");
    out.printf(
        Locale.ROOT,
        "| %s | %s | %d | %d | %d | %d | %.1f |%n",
        setup.shared() ? "shared" : "per process",
        budget,
        starts.count(),
        starts.mostWithin(Duration.ofSeconds(1)),
        starts.mostWithin(Duration.ofSeconds(10)),
        starts.mostWithin(Duration.ofSeconds(60)),
        excess);
    return excess <= 0;
  }

  private static int allowed(Budget budget, int seconds) {
    return (int) (budget.burst() + budget.rate() * seconds);
  }
}
