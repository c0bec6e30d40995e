// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testing.host;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * How the replicas of a run are made.
 *
 * <p>Thread rule: immutable.
 *
 * @param app an installed copy
 * @param folder where everything of the run is written
 * @param most how many replicas there can be; all of their addresses are known beforehand
 * @param lease how long a Lease lasts
 * @param shared whether all replicas share their limiters
 * @param progress what is done is reported here
 */
public record Setup(
    Path app, Path folder, int most, Duration lease, boolean shared, Consumer<String> progress) {
  private static final Duration DEFAULT_LEASE = Duration.ofSeconds(15);

  /** As the fast profile of the design for Leases shorter than the default. */
  Duration renewPeriod() {
    return Duration.ofMillis(lease.compareTo(DEFAULT_LEASE) < 0 ? 800 : 2_000);
  }
}
