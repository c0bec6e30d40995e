// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.bench.failures.cluster.Budget;
import dev.coxswain.retry.WindowChecker.Limit;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The promised limits over time: of the configured budget, or of an override.
 *
 * <p>Thread rule: one thread.
 */
final class Limits {
  /**
   * How long after the answer to a change the larger of the old and the new limits may still hold:
   * permits that were promised ahead, and replicas that have not looked at the pool since, see
   * docs/evidence/limiter-failures.md.
   */
  private static final long SETTLES_NANOS = Duration.ofMillis(2_500).toNanos();

  /** Makes a change and returns when it has been answered. */
  interface Change {
    void make() throws IOException;
  }

  private final List<Limit> limits = new ArrayList<>();
  private Budget inForce;

  Limits(Budget configured) {
    inForce = configured;
    limits.add(new Limit(System.nanoTime(), configured.rate(), configured.burst()));
  }

  /** Makes a change; until it has settled the larger of the old and the new limits hold. */
  void change(Budget next, Change change) throws IOException {
    limits.add(
        new Limit(
            System.nanoTime(),
            Math.max(inForce.rate(), next.rate()),
            Math.max(inForce.burst(), next.burst())));
    change.make();
    limits.add(new Limit(System.nanoTime() + SETTLES_NANOS, next.rate(), next.burst()));
    inForce = next;
  }

  /** Returns them in the order of time. */
  List<Limit> all() {
    return List.copyOf(limits);
  }
}
