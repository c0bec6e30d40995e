// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.spi.LimiterOverrides;
import dev.coxswain.k8s.membership.MembershipOptions;
import dev.coxswain.limiter.ClusterShape;
import dev.coxswain.limiter.member.LimiterMember;
import org.junit.jupiter.api.Test;

/** Bounds of modules that do not depend on each other agree. */
class LimiterBoundsTest {

  @Test
  void asManyFloorsAsLeases() {
    assertThat(ClusterShape.MAX_REPLICAS).isEqualTo(MembershipOptions.MAX_COUNT);
  }

  @Test
  void longestOverride_isThatOfTheApi() {
    assertThat(LimiterOverrides.MAX_TTL).isEqualTo(LimiterMember.MAX_OVERRIDE);
  }
}
