// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Trigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Writes of a controller that not every replica runs belong to an attempt of a slot. */
class SlotGuardTest extends SlotComponentFixture {

  private record Attempt(int slot) implements ReconcileContext {
    @Override
    public String controller() {
      return "demo";
    }

    @Override
    public long attemptId() {
      return 1;
    }

    @Override
    public int failures() {
      return 0;
    }

    @Override
    public Trigger trigger() {
      return Trigger.EVENT;
    }

    @Override
    public boolean isCancelled() {
      return false;
    }

    @Override
    public void onCancel(Runnable action) {}
  }

  @Test
  void anAttemptOfAControllerThatEveryReplicaRuns_isNoReasonToWrite() {
    Replica one = replica("one", 100);
    await("all slots", () -> one.controllers.open().equals(all()));
    WriteGuard guard = one.slots.guard();
    List<Duration> left = new ArrayList<>();
    CurrentAttempt.run(new Attempt(3), () -> left.add(guard.timeLeft()));
    CurrentAttempt.run(new Attempt(-1), () -> left.add(guard.timeLeft()));
    left.add(guard.timeLeft());
    assertThat(left.getFirst()).isPositive();
    assertThat(left.subList(1, 3)).containsOnly(Duration.ZERO);
    CurrentAttempt.run(
        new Attempt(-1),
        () -> assertThat(guard.reason()).contains("the write belongs to no attempt"));
  }
}
