// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BackoffTest {

  @Test
  void standard_doublesFrom5msTo1000s() {
    Backoff backoff = Backoff.standard();
    assertThat(backoff.delayNanos(1)).isEqualTo(5_000_000);
    assertThat(backoff.delayNanos(2)).isEqualTo(10_000_000);
    assertThat(backoff.delayNanos(18)).isEqualTo(655_360_000_000L);
    assertThat(backoff.delayNanos(19)).isEqualTo(1_000_000_000_000L);
  }

  @Test
  void standard_failure64And10000AndTheLargest_give1000s() {
    for (int failures : new int[] {20, 40, 41, 63, 64, 65, 128, 10_000, Integer.MAX_VALUE}) {
      assertThat(Backoff.standard().delayNanos(failures))
          .as("failure %s", failures)
          .isEqualTo(Duration.ofSeconds(1000).toNanos());
    }
  }

  @Test
  void exponential_isExactForEveryBaseAndFailure() {
    for (long base : new long[] {1, 3, 5_000_000, 999_999_937, Long.MAX_VALUE / 3}) {
      for (long max : new long[] {Long.MAX_VALUE, base}) {
        Backoff backoff = Backoff.exponential(Duration.ofNanos(base), Duration.ofNanos(max));
        for (int failures = 1; failures < 200; failures++) {
          BigInteger exact = BigInteger.valueOf(base).shiftLeft(failures - 1);
          BigInteger expected = exact.min(BigInteger.valueOf(max));
          assertThat(BigInteger.valueOf(backoff.delayNanos(failures)))
              .as("base %s, max %s, failure %s", base, max, failures)
              .isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void jitter_lengthensByAtMostItsShare() {
    Backoff backoff = Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(1), 0.5);
    for (int i = 0; i < 10_000; i++) {
      assertThat(backoff.delayNanos(1)).isBetween(100_000_000L, 150_000_000L);
      assertThat(backoff.delayNanos(99)).isBetween(1_000_000_000L, 1_500_000_000L);
    }
  }

  @Test
  void fastSlow_isFastForSoManyFailuresAndThenSlow() {
    Backoff backoff = Backoff.fastSlow(Duration.ofMillis(5), Duration.ofSeconds(10), 3);
    assertThat(backoff.delayNanos(3)).isEqualTo(5_000_000);
    assertThat(backoff.delayNanos(4)).isEqualTo(10_000_000_000L);
  }

  @Test
  void badValues_areRefusedWithTheReason() {
    assertThatThrownBy(() -> Backoff.exponential(Duration.ZERO, Duration.ofSeconds(1)))
        .hasMessageContaining("base delay must be positive");
    assertThatThrownBy(() -> Backoff.exponential(Duration.ofSeconds(2), Duration.ofSeconds(1)))
        .hasMessageContaining("must not be less than the base");
    assertThatThrownBy(
            () -> Backoff.exponential(Duration.ofMillis(1), Duration.ofSeconds(1), Double.NaN))
        .hasMessageContaining("jitter");
  }

  @Test
  void hugeDurations_withJitter_giveNeitherANegativeNorARefusedDelay() {
    Duration huge = Duration.ofSeconds(Long.MAX_VALUE);
    for (Backoff backoff :
        List.of(
            Backoff.exponential(Duration.ofMillis(5), huge, 1),
            Backoff.exponential(huge, huge, 1),
            Backoff.exponential(Duration.ofNanos(Long.MAX_VALUE - 1), huge, 0.5),
            Backoff.fastSlow(huge, huge, 1))) {
      for (int failures : new int[] {1, 2, 40, 62, 63, 64, 1000, Integer.MAX_VALUE}) {
        for (int i = 0; i < 50; i++) {
          assertThat(backoff.delayNanos(failures)).as("%s, %d", backoff, failures).isPositive();
        }
      }
    }
  }

  @Test
  void otherParts_replaceThoseOfAnExponentialBackoff_andTheRestStays() {
    Backoff author = Backoff.exponential(Duration.ofSeconds(2), Duration.ofSeconds(60));
    assertThat(delays(author.with(null, Duration.ofSeconds(5), null)))
        .containsExactly(2.0, 4.0, 5.0, 5.0);
    assertThat(delays(author.with(Duration.ofSeconds(1), null, 0.0)))
        .containsExactly(1.0, 2.0, 4.0, 8.0);
    assertThat(delays(author.with(Duration.ofSeconds(90), null, null)))
        .as("the given base counts")
        .containsExactly(90.0, 90.0, 90.0, 90.0);
    assertThat(delays(author.with(null, Duration.ofSeconds(1), null)))
        .as("the given maximum counts")
        .containsExactly(1.0, 1.0, 1.0, 1.0);
    assertThat(delays(Backoff.fastSlow(Duration.ZERO, Duration.ZERO, 1).with(null, null, null)))
        .as("of another kind nothing can stay")
        .containsExactly(0.005, 0.01, 0.02, 0.04);
  }

  private static double[] delays(Backoff backoff) {
    return IntStream.rangeClosed(1, 4).mapToDouble(n -> backoff.delayNanos(n) / 1e9).toArray();
  }
}
