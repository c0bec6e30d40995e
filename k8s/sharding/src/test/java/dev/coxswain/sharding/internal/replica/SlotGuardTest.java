// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.testkit.TestAttempt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Writes of a controller that not every replica runs belong to an attempt of a slot. */
class SlotGuardTest extends SlotComponentFixture {

  @Test
  void anAttemptOfAControllerThatEveryReplicaRuns_isNoReasonToWrite() {
    Replica one = replica("one", 100);
    await("all slots", () -> one.controllers.open().equals(all()));
    WriteGuard guard = one.slots.share().guard();
    List<Duration> left = new ArrayList<>();
    CurrentAttempt.run(TestAttempt.of("demo").withSlot(3), () -> left.add(guard.timeLeft()));
    CurrentAttempt.run(TestAttempt.of("demo").withSlot(-1), () -> left.add(guard.timeLeft()));
    left.add(guard.timeLeft());
    assertThat(left.getFirst()).isPositive();
    assertThat(left.subList(1, 3)).containsOnly(Duration.ZERO);
    CurrentAttempt.run(
        TestAttempt.of("demo").withSlot(-1),
        () -> assertThat(guard.reason()).contains("the write belongs to no attempt"));
  }
}
