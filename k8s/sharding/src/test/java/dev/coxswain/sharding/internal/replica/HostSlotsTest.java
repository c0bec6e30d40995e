// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.SlotDivision;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HostSlotsTest {

  private Duration left = Duration.ZERO;
  private Runnable afterLooking = () -> {};
  private final HostSlots slots = new HostSlots(16, SlotDivision.KEY, _ -> timeLeft());

  private Duration timeLeft() {
    Duration seen = left;
    Runnable next = afterLooking;
    afterLooking = () -> {};
    next.run();
    return seen;
  }

  /** Attempts are started again by a pass, and the pass after the renewal may be the last for seconds. */
  @Test
  void aStartThatIsRefused_whileTheLeaseIsRenewed_isMade() {
    afterLooking =
        () -> {
          left = Duration.ofSeconds(10);
          assertThat(slots.resumes()).as("nothing has been refused yet").isFalse();
        };
    assertThat(slots.mayStart()).isTrue();
  }

  @Test
  void aStartThatWasRefused_isMadeAgain_onceAfterTheRenewal() {
    assertThat(slots.mayStart()).isFalse();
    assertThat(slots.resumes()).isFalse();
    left = Duration.ofSeconds(10);
    assertThat(slots.resumes()).isTrue();
    assertThat(slots.resumes()).isFalse();
  }
}
