// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.ReplicaPhase;
import dev.coxswain.sharding.internal.slot.ReplicaSlots;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SlotDriverTest {
  /** The clock may be anywhere, also right before its overflow. */
  private static final long NOW = Long.MAX_VALUE - 5;

  @Test
  void aReplicaThatOwnsItsSlots_isNotWokenForNothing() {
    assertThat(longest(ReplicaPhase.HOLDING, true, true, Duration.ofSeconds(10)))
        .isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void theEndOfTheRightToAct_isNotMissed() {
    assertThat(longest(ReplicaPhase.HOLDING, true, true, Duration.ofMillis(1_234)))
        .isEqualTo(Duration.ofMillis(1_234));
    assertThat(longest(ReplicaPhase.HOLDING, true, true, Duration.ofMillis(-7)))
        .isEqualTo(Duration.ofNanos(1));
  }

  @ParameterizedTest
  @EnumSource(ReplicaPhase.class)
  void aReplicaThatDoesNotOwnItsSlots_orHasAProblem_looksTwiceASecond(ReplicaPhase phase) {
    Duration often = Duration.ofMillis(500);
    assertThat(longest(phase, true, false, Duration.ofSeconds(10))).isEqualTo(often);
    assertThat(longest(phase, false, true, Duration.ofSeconds(10))).isEqualTo(often);
    if (phase != ReplicaPhase.HOLDING) {
      assertThat(longest(phase, true, true, Duration.ofSeconds(10))).isEqualTo(often);
    }
  }

  private static Duration longest(
      ReplicaPhase phase, boolean confirmed, boolean undisturbed, Duration left) {
    ReplicaSlots state =
        new ReplicaSlots(
            "a_1",
            phase,
            0,
            new ReplicaSlots.Followed("uid", confirmed, Optional.empty()),
            Map.of(),
            "",
            false);
    return Duration.ofNanos(SlotDriver.longest(state, undisturbed, NOW + left.toNanos(), NOW));
  }
}
