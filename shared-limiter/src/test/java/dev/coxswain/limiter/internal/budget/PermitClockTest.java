// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.limiter.internal.BudgetSplit;
import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.bucket.EntryId;
import dev.coxswain.limiter.internal.bucket.PoolReply;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * A permit is usable only while it is valid by the clock of the pool's owner, although the clock of
 * the replica is up to 5 % faster or slower. Permits granted seconds ahead were used up to 5 % of
 * that too early or too late, and the cap was exceeded.
 */
class PermitClockTest {

  private static final long MS = 1_000_000;

  @Test
  void aPermit_isUsedOnlyWhileItIsValidAtTheOwner_withClocksUpToFivePercentApart() {
    long base = Long.getLong("coxswain.seed", 20_261_127L);
    int usable = 0;
    int checked = 0;
    for (int round = 0; round < 2_000; round++) {
      long seed = base + round;
      Random random = new Random(seed);
      double rate = new double[] {0.2, 3, 10, 100}[random.nextInt(4)];
      BudgetSplit split =
          BudgetSplit.of(
              new LimiterSpec("sim", rate, 20 + random.nextInt(80)), new ClusterShape(5, 0.2));
      // The speed of the local clock by that of the owner.
      double speed =
          random.nextBoolean()
              ? (random.nextBoolean() ? 1.05 : 1 / 1.05)
              : 0.953 + random.nextDouble() * 0.096;
      long delay = (long) (random.nextDouble() * split.horizon());
      long begin = random.nextLong(1_000_000_000);
      long there = random.nextLong(10 * MS); // by the owner's clock
      long back = random.nextLong(10 * MS);
      long sent = local(begin, speed);
      long handled = begin + there;
      long received = local(handled + back, speed);
      HeldTokens held = new HeldTokens();
      held.add(reply(split, delay, handled), sent, received);
      long valid = handled + delay;
      long end = valid + split.permitNanos() - split.slackNanos();
      for (long at = handled + back; at < end + split.permitNanos(); at += 500_000) {
        long now = local(at, speed);
        held.update(null, split, false, true, now);
        if (held.usable(now) > 0) {
          usable++;
          assertThat(at).as("seed %d", seed).isBetween(valid, end);
        }
      }
      checked++;
    }
    assertThat(usable).as("permits can be used").isGreaterThan(checked);
  }

  /** Otherwise the horizon is too far, and permits would be granted in vain. */
  @Test
  void aPermitAtTheHorizon_isUsableForMoreThanHalfOfItsValidity() {
    for (double rate : new double[] {0.01, 1, 10, 1_000}) {
      BudgetSplit split =
          BudgetSplit.of(new LimiterSpec("sim", rate, 2_000), new ClusterShape(10, 0.2));
      HeldTokens held = new HeldTokens();
      held.add(reply(split, split.horizon(), 0), 0, 0);
      assertThat(held.permits()).isEqualTo(1);
      long usable = 0;
      long step = split.permitNanos() / 100;
      for (long now = 0; now < split.horizon() + 2 * split.permitNanos(); now += step) {
        held.update(null, split, false, true, now);
        usable += held.usable(now) > 0 ? step : 0;
      }
      assertThat(usable).as("rate %s", rate).isGreaterThan(split.permitNanos() / 2);
    }
  }

  private static long local(long owner, double speed) {
    return (long) (owner * speed);
  }

  private static PoolReply reply(BudgetSplit split, long delay, long ownerNanos) {
    return new PoolReply(
        PoolReply.Status.DONE,
        1,
        delay,
        split.poolInterval(),
        split.horizon(),
        split.permitNanos(),
        split.slackNanos(),
        1,
        1,
        ownerNanos,
        0,
        new EntryId(1, 1, 0),
        0,
        null);
  }
}
