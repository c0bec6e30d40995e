// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.status;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Answers of kube-apiserver 1.36.2. */
class FormatsTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1h2m",
        "0",
        "1.5h",
        "-1h",
        "+1h",
        "1 day",
        "2 days",
        "3 hours",
        "1 min",
        "5 minutes",
        "1 wk",
        "1 week",
        "2 weeks",
        "1 Day",
        "1 d",
        "1d2h",
        "1 day 2 hours",
        "1 dayz",
        "1 secs",
        "1 millis",
        "1 nanos",
        "1 micro",
        "- 1 day",
        "1.5 days",
        "1 day parsec",
        "x 1 day",
        "1 us",
        "1 minx",
        "1 hourly",
        "1m30"
      })
  void durations(String text) {
    assertThat(Formats.valid("duration", text)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "1", "3 hrs", "1 month", "1 hx", "soon", "1 wks", "1 msx", "1 parsec"})
  void noDurations(String text) {
    assertThat(Formats.valid("duration", text)).isFalse();
  }
}
