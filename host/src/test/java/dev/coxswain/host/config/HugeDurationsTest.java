// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The file allows a year at most; a host that is built in code may be unlimited. */
class HugeDurationsTest {

  private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);
  private static final Duration LONGEST = dev.coxswain.internal.time.Durations.MAX;

  @Test
  void theLongestDrainLimit_isCut_soThatTimesCanBeAdded() throws Exception {
    CoxswainConfiguration some = ConfigurationLoader.load(null, Map.of(), List.of());
    CoxswainConfiguration configuration =
        new CoxswainConfiguration(
            some.replicaName(),
            FOR_EVER,
            some.logging(),
            some.admin(),
            some.metrics(),
            some.health(),
            FOR_EVER,
            some.kubernetes(),
            some.leaderElection(),
            some.sharedLimiter(),
            some.changes(),
            some.controllers(),
            some.limiters());

    assertThat(configuration.drainLimit()).isEqualTo(LONGEST);
    assertThat(configuration.exhaustedLimit()).isEqualTo(LONGEST);
  }

  @Test
  void theLongestReplicaLease_isCut_andHasADeadline() {
    SharedLimiter shared =
        new SharedLimiter(
            true,
            "default",
            "replica",
            "127.0.0.1",
            0,
            List.of("127.0.0.1:5701"),
            "",
            "coxswain",
            null,
            null,
            3,
            0.2,
            FOR_EVER,
            FOR_EVER);

    assertThat(shared.renewDeadline()).isEqualTo(LONGEST.multipliedBy(2).dividedBy(3));
    assertThat(shared.memberOptions("one", FOR_EVER).viewAge()).isEqualTo(LONGEST);
  }
}
