// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
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
}
