// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Request;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueuedItem;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A source can have the failures of a request forgotten. */
class ForgetBySourceTest {

  private static final Request KEY = Request.of("ns", "a");

  private final VirtualTime time = new VirtualTime();
  private final ControllerTestKit<Request> kit =
      ControllerTestKit.of(
          Controller.named("demo")
              .reconciles((request, context) -> {
                throw new IllegalStateException("always");
              }),
          time);

  private QueuedItem item() {
    return kit.await(kit.handle().list(ItemFilter.ALL, null, 1)).items().getFirst();
  }

  @Test
  void theFailuresAreZero_theTimeIsTheSame_andTheNextBackoffIsTheFirst() {
    kit.add(KEY);
    while (kit.telemetry().started() < 10) {
      time.advanceToNext();
    }
    QueuedItem before = item();
    assertThat(before.failures()).isEqualTo(10);

    kit.sink().forget(KEY);
    time.settle();

    QueuedItem after = item();
    assertThat(after.failures()).isZero();
    assertThat(after.phase()).isEqualTo(Phase.DELAYED);
    assertThat(after.nextAttemptAt()).isEqualTo(before.nextAttemptAt());
    while (kit.telemetry().started() < 11) {
      time.advanceToNext();
    }
    assertThat(item().failures()).isEqualTo(1);
    time.advance(Duration.ofMillis(5));
    assertThat(kit.telemetry().started()).isEqualTo(12);
  }

  @Test
  void aRequestThatIsNotTracked_orIsNone_isNoFault() {
    kit.sink().forget(KEY);
    time.settle();
    assertThat(kit.counters().total()).isZero();
    kit.add(KEY);
    assertThat(item().failures()).isEqualTo(1);
  }
}
