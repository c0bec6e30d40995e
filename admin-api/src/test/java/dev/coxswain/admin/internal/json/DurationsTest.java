// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import static java.time.format.DateTimeFormatter.ISO_OFFSET_DATE_TIME;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationsTest {

  @ParameterizedTest
  @CsvSource({
    "0s, PT0S, 0s",
    "500ms, PT0.5S, 500ms",
    "90s, PT1M30S, 1m30s",
    "10m, PT10M, 10m",
    "1h30m, PT1H30M, 1h30m",
    "720h, PT720H, 720h"
  })
  void aDuration_isReadAndWrittenAsKubernetesDoes(String text, Duration value, String written) {
    assertThat(Durations.parse(text)).contains(value);
    assertThat(Durations.format(value)).isEqualTo(written);
  }

  @Test
  void whatIsNoDuration_isEmpty() {
    for (String text : new String[] {"", "s", "5", "-5s", "5s3h", "1.5s", "1d", "99999999999h"}) {
      assertThat(Durations.parse(text)).as(text).isEmpty();
    }
  }

  @Test
  void texts_areInTheOrderOfTheTimes_whateverTheirForm() {
    long seed = 20261122;
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 2_000; i++) {
      Instant one = time(random);
      Instant other = time(random);
      int expected = Integer.signum(one.compareTo(other));
      String about = "seed " + seed + ": " + one + " and " + other;
      assertThat(Integer.signum(Durations.compareTimes(one.toString(), other.toString())))
          .as(about)
          .isEqualTo(expected);
      String elsewhere = other.atOffset(ZoneOffset.ofHours(2)).format(ISO_OFFSET_DATE_TIME);
      assertThat(Integer.signum(Durations.compareTimes(one.toString(), elsewhere)))
          .as(about)
          .isEqualTo(expected);
    }
  }

  /** Close to others, so that the fractions decide; they are written with 0, 3, 6 or 9 digits. */
  private static Instant time(SplittableRandom random) {
    long unit = (long) Math.pow(10, 3 * random.nextInt(1, 4));
    return Instant.parse("2026-12-31T23:59:58Z")
        .plusNanos(random.nextLong(3_000_000_000L) / unit * unit);
  }

  @Test
  void aTextThatIsNoTime_comesLast() {
    for (String text : new String[] {"", "Z", "2026-11-20T10:00:00.Z", "+10000-01-01T00:00:00Z"}) {
      assertThat(Durations.compareTimes("9999-12-31T23:59:59Z", text)).as(text).isNegative();
      assertThat(Durations.compareTimes(text, "9999-12-31T23:59:59Z")).as(text).isPositive();
    }
  }
}
