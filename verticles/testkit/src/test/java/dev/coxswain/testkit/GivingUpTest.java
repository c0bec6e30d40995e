// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Controller;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.TerminalException;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The sample of "Retries in virtual time" in docs/guides/testing.md, and that of the test kit. */
class GivingUpTest {

  @Test
  void controllerThatGivesUpAfterThreeRetries_isTerminal_untilTheNextEvent() {
    Controller<Request> controller =
        Controller.named("picky")
            .reconciles((request, context) -> {
              if (context.failures() < 3) {
                throw new IOException("not yet");
              }
              throw new TerminalException("still not, after three retries");
            });
    var kit = ControllerTestKit.of(controller);

    kit.add(Request.of("shop", "cart"));
    kit.time().advance(Duration.ofDays(1));

    assertThat(kit.telemetry().started()).isEqualTo(4);
    assertThat(kit.handle().snapshot().terminal()).isEqualTo(1);
  }

  @Test
  void backoffOfAThousandSeconds_hasEighteenStarts() {
    var kit =
        ControllerTestKit.of(
            Controller.named("failing")
                .reconciles((request, context) -> {
                  throw new IOException("not yet");
                }));
    kit.add(Request.of("shop", "cart"));
    kit.time().advance(Duration.ofSeconds(1000));
    assertThat(kit.telemetry().started()).isEqualTo(18);
  }
}
