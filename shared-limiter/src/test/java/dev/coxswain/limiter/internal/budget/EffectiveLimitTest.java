// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.RateOverride;
import dev.coxswain.limiter.internal.bucket.EntryId;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class EffectiveLimitTest {
  private static final ClusterShape SHAPE = new ClusterShape(5, 0.2);
  private static final LimiterSpec SPEC = new LimiterSpec("x", 100, 100);
  private static final long HOUR = 3_600_000_000_000L;

  /** An override ends by the clock of the owner, which may be slower by 5 %. */
  @Test
  void overrideOfAReplicaThatReceivesNothingMore_endsNotBeforeItDoesAtTheOwner() {
    RateOverride lower = new RateOverride(1, 10, 50, HOUR);
    EffectiveLimit limit = new EffectiveLimit(SPEC, SHAPE);
    PoolReply reply =
        new PoolReply(
            PoolReply.Status.DONE, 0, 0, 1, 1, 1, 1, 1, 2, 3, 0, new EntryId(1, 2, 3), 1, lower);
    limit.received(reply, 0, 0, Instant.EPOCH);

    limit.update(HOUR + HOUR / 20);
    assertThat(limit.split()).isEqualTo(BudgetSplit.of(SPEC, lower, SHAPE));
    assertThat(limit.held(HOUR + HOUR / 20)).isNotNull();
    assertThat(limit.overrideLeft(HOUR + HOUR / 20)).isZero();

    limit.update(HOUR + HOUR / 18);
    assertThat(limit.split()).isEqualTo(BudgetSplit.of(SPEC, SHAPE));
    assertThat(limit.held(HOUR + HOUR / 18)).isNull();
  }
}
