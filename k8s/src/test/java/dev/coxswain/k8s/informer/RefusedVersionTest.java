// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.informer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.testkit.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RefusedVersionTest {

  private final VirtualTime time = new VirtualTime();
  private final ReconnectBackoff.RefusedVersion refused = new ReconnectBackoff.RefusedVersion(time);

  private static ApiStatusException status(int code) {
    return new ApiStatusException(code, "", "refused", null, null);
  }

  @Test
  void twoRefusals_areEnough_andOnlyOfOneVersion() {
    assertThat(refused.isForGood("10", status(500))).isFalse();
    assertThat(refused.isForGood("11", status(500))).isFalse();
    assertThat(refused.isForGood("11", status(400))).isTrue();
    assertThat(refused.isForGood("11", status(400))).as("counted anew").isFalse();
  }

  @Test
  void anOverloadedServer_isGivenHalfAMinute() {
    for (int second = 0; second < 30; second++) {
      assertThat(refused.isForGood("10", status(second % 2 == 0 ? 429 : 503))).isFalse();
      time.advance(Duration.ofSeconds(1));
    }
    assertThat(refused.isForGood("10", status(429))).isTrue();
  }

  @Test
  void anOutage_andAListThatFails_areNoRefusals() {
    for (int i = 0; i < 10; i++) {
      assertThat(refused.isForGood("10", status(ApiStatusException.NO_ANSWER))).isFalse();
      assertThat(refused.isForGood("", status(500))).isFalse();
      time.advance(Duration.ofMinutes(1));
    }
  }
}
