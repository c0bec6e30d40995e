// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.internal.options.AdminOptions;
import dev.coxswain.http.internal.ConnectionBounds;
import dev.coxswain.internal.time.Durations;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** "For ever" is written as the longest duration there is; it must not overflow. */
class HugeDurationsTest {

  private static final Duration FOR_EVER = Duration.ofSeconds(Long.MAX_VALUE);

  @Test
  void theLongestTimeouts_areCut() {
    AdminOptions options =
        AdminOptions.DEFAULT.withRequestTimeout(FOR_EVER).withIdleTimeout(FOR_EVER);

    assertThat(options.requestTimeout()).isEqualTo(Durations.MAX);
    assertThat(options.idleTimeout()).isEqualTo(Durations.MAX);
  }

  @Test
  void theLongestBoundsOfConnections_areCut() {
    ConnectionBounds bounds = ConnectionBounds.of(8, FOR_EVER, FOR_EVER);

    assertThat(bounds.firstRequest()).isEqualTo(Durations.MAX);
    assertThat(bounds.idle()).isEqualTo(Durations.MAX);
  }

  @Test
  void theLongestValidityOfReviews_isCut() {
    ReviewLimits limits =
        new ReviewLimits(FOR_EVER, FOR_EVER, FOR_EVER, FOR_EVER, FOR_EVER, 1, 1, 1, 1, FOR_EVER);

    assertThat(limits)
        .isEqualTo(
            new ReviewLimits(
                Durations.MAX,
                Durations.MAX,
                Durations.MAX,
                Durations.MAX,
                Durations.MAX,
                1,
                1,
                1,
                1,
                Durations.MAX));
  }
}
