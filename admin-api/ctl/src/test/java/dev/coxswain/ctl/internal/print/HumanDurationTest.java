// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.print;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.testing.TestLength;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

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
    assertThat(HumanDuration.relative("2026-11-20T10:00:12Z", now)).isEqualTo("in 12s");
    assertThat(HumanDuration.relative("2026-11-20T09:59:48Z", now)).isEqualTo("12s ago");
    assertThat(HumanDuration.since("2026-11-20T09:00:00Z", now)).isEqualTo("60m");
    assertThat(HumanDuration.since("yesterday", now)).isEqualTo("<unknown>");
  }

  /** The server computes the ages of tables, and commands those of other texts. */
  @ParameterizedTest
  @MethodSource("seeds")
  void theServer_showsLengthsAndTimesAlike(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Instant now = Instant.parse("2026-11-20T10:00:00Z");
    for (int i = 0; i < 1000; i++) {
      long millis = random.nextLong(1L << random.nextInt(1, 42));
      Instant time = now.plusMillis(random.nextBoolean() ? millis : -millis);
      assertThat(dev.coxswain.admin.internal.table.HumanDuration.since(time, now))
          .as("%s", time)
          .isEqualTo(HumanDuration.since(time.toString(), now));
      assertThat(dev.coxswain.admin.internal.table.HumanDuration.relative(time, now))
          .as("%s", time)
          .isEqualTo(HumanDuration.relative(time.toString(), now));
      assertThat(dev.coxswain.admin.internal.table.HumanDuration.time(time))
          .isEqualTo(HumanDuration.time(time.toString()));
    }
  }

  static Stream<Long> seeds() {
    return TestLength.seeds(4, 100);
  }
}
