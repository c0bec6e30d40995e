// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.limiter;

import static org.assertj.core.api.Assertions.assertThatCode;

import dev.coxswain.bench.run.Plan;
import org.junit.jupiter.api.Test;

/** The processes of a cluster and their parent exchange lines by standard output. */
class LimiterClusterTest {

  @Test
  void aMemberInAProcessOfItsOwn_printsNoLogToItsStandardOutput() {
    assertThatCode(() -> LimiterCluster.start("coxswain", Plan.SMOKE.limiterJvm(), 1).close())
        .doesNotThrowAnyException();
  }
}
