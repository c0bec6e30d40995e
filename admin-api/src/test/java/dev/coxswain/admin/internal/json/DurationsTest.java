// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
  void eachTimeThatAReplicaWrites_isReadExactly() {
    long least = Instant.parse("0000-01-01T00:00:00Z").getEpochSecond();
    long most = Instant.parse("9999-12-31T23:59:59Z").getEpochSecond();
    int[] fractions = {0, 100_000_000, 120_000_000, 123_000_000, 123_456_000, 123_456_789, 1};
    Random random = new Random(1);
    for (int i = 0; i < 20_000; i++) {
      Instant time =
          Instant.ofEpochSecond(
              random.nextLong(least, most + 1), fractions[random.nextInt(fractions.length)]);
      assertThat(Durations.parseTime(time.toString())).contains(time);
    }
    assertThat(Durations.parseTime("2026-11-28T10:00:00.1Z"))
        .isEqualTo(Durations.parseTime("2026-11-28T12:00:00.1+02:00"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2026-02-30T00:00:00Z",
        "2025-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z",
        "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-01T24:00:00Z",
        "2026-01-01T29:00:00Z",
        "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z",
        "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00.1234567890Z",
        "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00"
      })
  void whatIsNoTime_isEmpty(String text) {
    assertThat(Durations.parseTime(text)).isEmpty();
  }
}
