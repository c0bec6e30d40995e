// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.internal.time.Durations;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.MemberOptions;
import dev.coxswain.limiter.internal.ReplicaView;
import io.vertx.core.Vertx;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** "For ever" is written as the longest duration there is; it must not overflow. */
class HugeDurationsTest {

  private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

  @Test
  void memberOptions_cutTheLongestDurations_andBudgetsCanBeMadeWithThem() {
    MemberOptions options =
        MemberOptions.of("one")
            .withViewAge(FOR_EVER)
            .withStartTimeout(FOR_EVER)
            .withStopTimeout(FOR_EVER);

    assertThat(options.viewAge()).isEqualTo(Durations.MAX);
    assertThat(options.startTimeout()).isEqualTo(Durations.MAX);
    assertThat(options.stopTimeout()).isEqualTo(Durations.MAX);
    Vertx vertx = Vertx.vertx();
    try {
      LimiterMember member =
          LimiterMember.create(vertx, options, ReplicaView.fixed(null, 1), it -> {});
      assertThat(member.budget(new LimiterSpec("vendor", 10, 20)).name()).isEqualTo("vendor");
      member.stop().await();
    } finally {
      vertx.close().await();
    }
  }

  @Test
  void durationThatIsNotPositive_isRefused() {
    assertThatThrownBy(
            () -> MemberOptions.of("one").withViewAge(Duration.ofSeconds(Long.MIN_VALUE)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("sharedLimiter.viewAge: expected a positive duration");
  }
}
