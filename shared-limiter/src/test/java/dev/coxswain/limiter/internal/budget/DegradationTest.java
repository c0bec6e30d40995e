// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.limiter.internal.budget.Degradation.Report;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.event.Level;

class DegradationTest {

  private static final long SECOND = 1_000_000_000;

  private final Degradation degradation = new Degradation("default");
  private final List<Level> levels = new ArrayList<>();
  private long now = Long.MAX_VALUE - 5;

  private void pass(int seconds, @Nullable String why) {
    for (int i = 0; i < 2 * seconds; i++) {
      now += SECOND / 2;
      Report report = degradation.now(why, now);
      if (report != null) {
        levels.add(report.level());
      }
    }
  }

  @Test
  void stateThatARollOutExplains_isNoWarning_andOneThatLastsIs_once() {
    pass(20, "no majority");
    pass(5, null);
    assertThat(levels).containsExactly(Level.INFO, Level.INFO);

    levels.clear();
    pass(120, "no majority");
    assertThat(levels).containsExactly(Level.INFO, Level.WARN);
  }
}
