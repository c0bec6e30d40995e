// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import dev.coxswain.host.internal.probes.Check;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The liveness probe: all event loops run, and, if a limit is configured, no controller has been
 * without a free worker for longer.
 *
 * <p>Thread rule: any thread.
 */
final class Liveness {

  private final List<Check.Probe> loops;
  private final Supplier<Map<String, Duration>> exhausted;
  private final Duration limit;

  /**
   * Creates the probe.
   *
   * @param loops a probe of the event loops of each group
   * @param exhausted since how long the workers of controllers are exhausted
   * @param limit the longest time allowed for that; zero for no limit
   */
  Liveness(List<Check.Probe> loops, Supplier<Map<String, Duration>> exhausted, Duration limit) {
    this.loops = loops;
    this.exhausted = exhausted;
    this.limit = limit;
  }

  List<Check> alive() {
    List<Check> checks = new ArrayList<>();
    loops.forEach(group -> checks.addAll(group.get()));
    exhausted
        .get()
        .forEach((controller, age) ->
            checks.add(
                new Check(
                    "controller/" + controller,
                    "its workers have been exhausted for " + age.toSeconds() + " s",
                    limit.isPositive() && age.compareTo(limit) > 0)));
    return checks;
  }
}
