// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.verticle;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.spi.Clock;
import io.vertx.core.Context;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An alarm fires on its event loop, not before its deadline, for its last setting only. */
@ExtendWith(VertxExtension.class)
class VertxAlarmTest {
  private static final long MILLI = 1_000_000;

  private final Clock clock = Clock.system();

  @Test
  void anAlarm_firesOnItsLoop_andNotBeforeItsDeadline(Vertx vertx) throws Exception {
    Context loop = vertx.getOrCreateContext();
    Random random = new Random(1);
    for (int i = 0; i < 200; i++) {
      long delay = random.nextLong(-MILLI, 2 * MILLI);
      Promise<Boolean> fired = Promise.promise();
      loop.runOnContext(v -> {
        long deadline = clock.nanos() + delay;
        new VertxAlarm(
                loop,
                clock,
                () -> {
                  if (loop.equals(Vertx.currentContext())) {
                    fired.complete(clock.nanos() - deadline >= 0);
                  }
                })
            .set(deadline);
      });
      assertThat(fired.future().await(60, TimeUnit.SECONDS)).as("after %s ns", delay).isTrue();
    }
  }

  @Test
  void aLaterSettingReplacesAnEarlierOne_evenOneThatIsOnItsWayToTheLoop(Vertx vertx)
      throws Exception {
    Context loop = vertx.getOrCreateContext();
    Promise<Long> fired = Promise.promise();
    loop.runOnContext(v -> {
      long deadline = clock.nanos() + 20 * MILLI;
      VertxAlarm alarm =
          new VertxAlarm(loop, clock, () -> fired.complete(clock.nanos() - deadline));
      alarm.set(clock.nanos());
      spin(2 * MILLI); // the timer passes it to this loop, which is busy
      alarm.set(deadline);
    });

    assertThat(fired.future().await(60, TimeUnit.SECONDS)).isNotNegative();
  }

  @Test
  void aClearedAlarm_doesNotFire(Vertx vertx) throws Exception {
    Context loop = vertx.getOrCreateContext();
    Promise<String> order = Promise.promise();
    loop.runOnContext(v -> {
      VertxAlarm cleared = new VertxAlarm(loop, clock, () -> order.tryComplete("cleared"));
      VertxAlarm later = new VertxAlarm(loop, clock, () -> order.tryComplete("later"));
      cleared.set(clock.nanos());
      cleared.clear();
      later.set(clock.nanos() + 5 * MILLI);
    });

    assertThat(order.future().await(60, TimeUnit.SECONDS)).isEqualTo("later");
  }

  private void spin(long nanos) {
    long until = clock.nanos() + nanos;
    while (clock.nanos() - until < 0) {
      Thread.onSpinWait();
    }
  }
}
