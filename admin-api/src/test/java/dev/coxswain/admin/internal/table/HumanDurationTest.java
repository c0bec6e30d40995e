// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The borders at which kubectl changes units. */
class HumanDurationTest {

  @ParameterizedTest
  @CsvSource({
    "PT0S, 0s",
    "PT0.999S, 0s",
    "PT119S, 119s",
    "PT120S, 2m",
    "PT121S, 2m1s",
    "PT9M59S, 9m59s",
    "PT10M, 10m",
    "PT10M59S, 10m",
    "PT179M, 179m",
    "PT180M, 3h",
    "PT3H1M, 3h1m",
    "PT7H59M, 7h59m",
    "PT8H, 8h",
    "PT47H59M, 47h",
    "P2D, 2d",
    "P2DT1H, 2d1h",
    "P7DT23H, 7d23h",
    "P8D, 8d",
    "P8DT23H, 8d",
    "P729D, 729d",
    "P730D, 2y",
    "P731D, 2y1d",
    "P2919D, 7y364d",
    "P2920D, 8y",
    "P36500D, 100y",
    "PT-1S, 0s",
    "PT-5S, <invalid>",
  })
  void aLength_isShownAsKubectlDoes(Duration length, String shown) {
    assertThat(HumanDuration.shown(length)).isEqualTo(shown);
  }

  @Test
  void aTime_isRelativeToNow() {
    Instant now = Instant.parse("2026-11-20T10:00:00Z");
    assertThat(HumanDuration.relative(now.plusSeconds(12), now)).isEqualTo("in 12s");
    assertThat(HumanDuration.relative(now.minusSeconds(12), now)).isEqualTo("12s ago");
    assertThat(HumanDuration.since(now.minusSeconds(3600), now)).isEqualTo("60m");
    assertThat(HumanDuration.since(null, now)).isNull();
    assertThat(HumanDuration.relative(null, now)).isNull();
    assertThat(HumanDuration.seconds(65.2)).isEqualTo("65s");
    assertThat(HumanDuration.time(now)).isEqualTo("2026-11-20T10:00:00.000Z");
  }
}
