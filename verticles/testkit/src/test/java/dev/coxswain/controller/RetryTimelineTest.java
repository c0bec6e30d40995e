// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Request;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** The published timelines of one request that always fails, in virtual time. */
class RetryTimelineTest {

  @Test
  void defaultLimits_alwaysFailing_retriesAfter5msDoublingTo1000s() {
    List<Double> gaps = gapsInMillis(24, options -> options);

    List<Double> expected = new ArrayList<>();
    for (double delay = 5; expected.size() < 24; delay = Math.min(delay * 2, 1_000_000)) {
      expected.add(delay);
    }
    assertThat(gaps).isEqualTo(expected);
    assertThat(gaps).startsWith(5.0, 10.0, 20.0, 40.0).endsWith(1_000_000.0);
  }

  @Test
  void cooldownOf1s_alwaysFailing_reproducesTheEarlyControllerRuntimeTimeline() {
    List<Double> gaps =
        gapsInMillis(24, options -> options.withFailureCooldown(Duration.ofSeconds(1)));

    assertThat(gaps.subList(0, 8)).containsOnly(1000.0);
    assertThat(gaps.subList(8, 18))
        .containsExactly(
            1280.0, 2560.0, 5120.0, 10240.0, 20480.0, 40960.0, 81920.0, 163840.0, 327680.0,
            655360.0);
    assertThat(gaps.subList(18, 24)).containsOnly(1_000_000.0);
  }

  private static List<Double> gapsInMillis(int count, UnaryOperator<ControllerOptions> options) {
    VirtualTime time = new VirtualTime();
    List<Long> starts = new ArrayList<>();
    Controller<Request> controller =
        Controller.named("demo")
            .options(options)
            .reconciles((request, context) -> {
              starts.add(time.nanos());
              throw new IllegalStateException("always");
            });
    ControllerTestKit<Request> kit = ControllerTestKit.of(controller, time);
    kit.add(Request.of("ns", "a"));
    while (starts.size() <= count) {
      assertThat(time.advanceToNext()).isTrue();
    }
    List<Double> gaps = new ArrayList<>();
    for (int i = 1; i < starts.size(); i++) {
      gaps.add((starts.get(i) - starts.get(i - 1)) / 1e6);
    }
    return gaps;
  }
}
