// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import io.vertx.core.Future;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A retry of a busy controller against a storm of another on the same budget. */
class SharedBudgetFairnessTest {
  private static final Request BAD = Request.of("ns", "bad");

  @Test
  void control_withoutTheStorm_itIsRetried() {
    assertThat(attemptsIn10Minutes(0)).isGreaterThan(1);
  }

  @Test
  void retryOfABusyController_isNotStarvedByTheStormOfAnother() {
    assertThat(attemptsIn10Minutes(10_000))
        .as("6000 tokens were given out in these 10 minutes to two consumers in turn")
        .isGreaterThan(1);
  }

  private static int attemptsIn10Minutes(int storming) {
    VirtualTime time = new VirtualTime();
    LocalRetryBudget budget = new LocalRetryBudget("default", 10, 100, time);
    Controller<Request> stormy =
        Controller.named("stormy")
            .reconciles((request, context) -> {
              throw new IllegalStateException("down");
            });
    int[] attempts = new int[1];
    Controller<Request> busy =
        Controller.named("busy")
            .reconcilesAsync((request, context) -> {
              if (request.equals(BAD)) {
                attempts[0]++;
                return Future.failedFuture("down");
              }
              return time.after(Duration.ofSeconds(2)).map(Result.done());
            });
    ControllerTestKit<Request> storm = ControllerTestKit.of(stormy, time, budget);
    for (int i = 0; i < storming; i++) {
      storm.sink().add(Request.of("tenant", "o" + i));
    }
    time.advance(Duration.ofSeconds(60));
    ControllerTestKit<Request> kit = ControllerTestKit.of(busy, time, budget);
    kit.add(BAD);
    for (int i = 0; i < 316; i++) {
      // One worker that is never idle: an event every 1.9 s, 2 s of work for each.
      kit.add(Request.of("ns", "fresh" + i));
      time.advance(Duration.ofMillis(1_900));
    }
    return attempts[0];
  }
}
