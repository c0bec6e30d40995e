// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.membership.Membership;
import dev.coxswain.sharding.internal.slot.SlotDivision;
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
            FOR_EVER,
            some.kubernetes(),
            some.membership(),
            some.sharedLimiter(),
            some.changes(),
            some.webhooks(),
            some.plugins(),
            some.tracing(),
            some.controllers(),
            some.limiters());

    assertThat(configuration.drainLimit()).isEqualTo(LONGEST);
    assertThat(configuration.exhaustedLimit()).isEqualTo(LONGEST);
    assertThat(configuration.carrierWaitLimit()).isEqualTo(LONGEST);
  }

  @Test
  void theLongestReplicaLease_isCut_andHasADeadline() {
    Membership membership =
        new Membership(
            "default",
            "coxswain",
            "127.0.0.1",
            3,
            FOR_EVER,
            Duration.ofSeconds(2),
            64,
            SlotDivision.KEY,
            100);

    assertThat(membership.renewDeadline()).isGreaterThan(LONGEST.dividedBy(2)).isLessThan(LONGEST);
    assertThat(membership.leaseOptions().leaseDuration())
        .isEqualTo(Duration.ofSeconds(Integer.MAX_VALUE));
  }
}
