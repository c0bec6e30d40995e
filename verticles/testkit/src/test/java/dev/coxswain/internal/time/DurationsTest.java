// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.time;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class DurationsTest {

  private static final Duration HUGE = Duration.ofSeconds(Long.MAX_VALUE, 999_999_999);
  private static final Duration TINY = Duration.ofSeconds(Long.MIN_VALUE);

  @Test
  void whatIsTooLong_isCut_andNothingElseIsChanged() {
    assertThat(Durations.toNanos(HUGE)).isEqualTo(Long.MAX_VALUE / 4);
    assertThat(Durations.toNanos(TINY)).isEqualTo(-(Long.MAX_VALUE / 4));
    assertThat(Durations.toMillis(HUGE)).isEqualTo(Long.MAX_VALUE / 4 / 1_000_000);
    assertThat(Durations.toMillis(TINY)).isEqualTo(-(Long.MAX_VALUE / 4 / 1_000_000));
    assertThat(Durations.clamp(HUGE)).isEqualTo(Durations.MAX);
    assertThat(Durations.saturatedNanos(HUGE)).isEqualTo(Long.MAX_VALUE);
    assertThat(Durations.saturatedNanos(TINY)).isEqualTo(Long.MIN_VALUE);
    for (long nanos : new long[] {0, 1, -1, 1_999_999, Durations.MAX_NANOS}) {
      assertThat(Durations.toNanos(Duration.ofNanos(nanos))).isEqualTo(nanos);
      assertThat(Durations.toMillis(Duration.ofNanos(nanos))).isEqualTo(nanos / 1_000_000);
    }
  }

  @Test
  void durationsForPeople_haveNoNanoseconds() {
    assertThat(Durations.rounded(Duration.ofNanos(25_823_835)).toMillis()).isEqualTo(26);
    assertThat(Durations.rounded(HUGE).toString()).doesNotContainPattern("\\.\\d{4}");
    assertThat(Durations.text(Duration.ofNanos(5_400_025_823_835L))).isEqualTo("1h30m25ms");
    assertThat(Durations.text(Duration.ZERO)).isEqualTo("0s");
  }

  @Test
  void theNotationOfKubernetes_isRead_andNothingElse() {
    assertThat(Durations.parse("1h30m")).contains(Duration.ofMinutes(90));
    assertThat(Durations.parse("1.5s250ms")).contains(Duration.ofMillis(1_750));
    assertThat(Durations.parse("0")).contains(Duration.ZERO);
    assertThat(Durations.parse("3us7ns")).contains(Duration.ofNanos(3_007));
    for (String wrong : new String[] {"", "1", "-1s", "1d", "1 s", "s", "1m ", "999999999999h"}) {
      assertThat(Durations.parse(wrong)).as(wrong).isEmpty();
    }
  }
}
