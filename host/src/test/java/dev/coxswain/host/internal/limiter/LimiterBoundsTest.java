// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.limiter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.spi.LimiterOverrides;
import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.member.LimiterMember;
import dev.coxswain.sharding.internal.membership.MembershipOptions;
import org.junit.jupiter.api.Test;

/** Bounds of modules that do not depend on each other agree. */
class LimiterBoundsTest {

  @Test
  void asManyFloorsAsReplicasOfAPool() {
    assertThat(ClusterShape.MAX_REPLICAS).isEqualTo(MembershipOptions.MAX_POOL);
  }

  @Test
  void longestOverride_isThatOfTheApi() {
    assertThat(LimiterOverrides.MAX_TTL).isEqualTo(LimiterMember.MAX_OVERRIDE);
  }
}
