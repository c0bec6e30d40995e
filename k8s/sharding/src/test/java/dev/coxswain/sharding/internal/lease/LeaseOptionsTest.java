// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeaseOptionsTest {

  @Test
  void lease_isAsLongAsALeaseCanSay() {
    LeaseOptions options =
        new LeaseOptions(
            Duration.ofSeconds(Long.MAX_VALUE), Duration.ofDays(10_000), Duration.ofDays(1_000));

    assertThat(options.leaseDuration()).isEqualTo(Duration.ofSeconds(Integer.MAX_VALUE));
  }
}
