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

  /** It said that the slot is not owned, and for writes of the replica itself nothing. */
  @Test
  void shortlyBeforeItsTimeEnds_theReasonIsTheLease() {
    Replica one = replica("one", 100);
    await("all slots", () -> one.controllers.open().equals(all()));
    WriteGuard guard = one.slots.share().guard();
    CurrentAttempt.run(
        TestAttempt.of("demo").withSlot(3).withTimeLeft(WriteGuard.LEAST.minusMillis(1)),
        () -> assertThat(guard.reason()).contains("Lease", "less than 500 ms"));
    CurrentAttempt.run(
        TestAttempt.of("demo").withSlot(3).withTimeLeft(Duration.ZERO),
        () -> assertThat(guard.reason()).contains("does not own slot 3"));
    assertThat(guard.unbound().reason()).contains("Lease");
  }
}
