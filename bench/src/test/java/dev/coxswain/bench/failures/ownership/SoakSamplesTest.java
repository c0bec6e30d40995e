// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

class SoakSamplesTest {
  private static final int SAMPLES = 50;
  private static final int PERCENT = 5;

  private final SoakSamples samples = new SoakSamples();

  @Test
  void aLeak_isFound_andNamesItsGaugeAndReplica() {
    fill("heap MB", i -> 100 + 0.2 * i); // 6 % from one fifth to the other
    fill("threads", _ -> 40);
    assertThat(samples.growth(PERCENT)).containsExactly("heap MB of r0: 102.9, then 108.9");
  }

  @Test
  void aWarmUpAndSingleSpikes_areNoLeak() {
    fill("heap MB", i -> i < SAMPLES / 5 ? i : i % 7 == 0 ? 300 : 100);
    assertThat(samples.growth(PERCENT)).isEmpty();
  }

  @Test
  void tooFewSamples_areAFinding_notASuccess() {
    assertThat(samples.growth(PERCENT)).containsExactly("no samples");
    samples.add("r0", "threads", 40);
    assertThat(samples.growth(PERCENT)).hasSize(1);
  }

  @Test
  void whatCannotBeRead_isNoSample() {
    fill("threads", i -> i % 2 == 0 ? 40 : Double.NaN);
    assertThat(samples.growth(PERCENT)).isEmpty();
  }

  private void fill(String gauge, IntToDoubleFunction value) {
    for (int i = 0; i < SAMPLES; i++) {
      samples.add("r0", gauge, value.applyAsDouble(i));
    }
  }
}
