// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.probes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.sharding.internal.slot.ReplicaPhase;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.Condition;
import dev.coxswain.view.ConditionType;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReplicaConditionsTest {

  private final Vertx vertx = Vertx.vertx();
  private final VirtualTime time = new VirtualTime();
  private final Map<ConditionType, String> atControllers = new EnumMap<>(ConditionType.class);
  private boolean used = true;
  private boolean answering = true;
  private long answers = 1;
  private int probes;
  private long euAnswers = 1;
  private boolean euAnswering = true;
  private ReplicaPhase phase = ReplicaPhase.HOLDING;

  private final ReplicaConditions conditions =
      new ReplicaConditions(
          vertx,
          "r0",
          new ReplicaConditions.Server(
              "https://10.0.0.1",
              () -> used,
              () -> answers,
              () -> {
                probes++;
                answers += answering ? 1 : 0;
              }),
          Map.of(
              "eu",
              new ReplicaConditions.Server(
                  "https://10.0.0.2",
                  () -> true,
                  () -> euAnswers,
                  () -> euAnswers += euAnswering ? 1 : 0)),
          () -> phase,
          (type, message) -> {
            if (message == null) {
              atControllers.remove(type);
            } else {
              atControllers.put(type, message);
            }
          },
          time);

  @AfterEach
  void close() {
    conditions.stop();
    vertx.close();
  }

  private void seconds(int count) {
    for (int i = 0; i < count; i++) {
      time.advance(Duration.ofSeconds(1));
      conditions.look();
    }
  }

  @Test
  void serverThatAnswersNothing_isACondition_untilItAnswers() {
    conditions.look();
    answering = false;
    seconds(7);
    assertThat(conditions.all()).isEmpty();
    seconds(2);
    assertThat(atControllers.get(ConditionType.API_SERVER_UNREACHABLE))
        .isEqualTo(
            "The API server at https://10.0.0.1 has not answered replica r0 since"
                + " 2026-01-01T00:00:00Z: changes do not arrive, and attempts that need it fail.");
    assertThat(conditions.all())
        .extracting(Condition::type)
        .containsExactly(ConditionType.API_SERVER_UNREACHABLE);
    seconds(5);
    answers++;
    seconds(1);
    assertThat(conditions.all()).isEmpty();
    assertThat(atControllers).isEmpty();
  }

  @Test
  void otherClusterThatAnswersNothing_isAConditionOfTheReplica_butOfNoController() {
    conditions.look();
    euAnswering = false;
    seconds(9);
    assertThat(conditions.all())
        .singleElement()
        .satisfies(condition -> {
          assertThat(condition.type()).isEqualTo(ConditionType.CLUSTER_UNREACHABLE);
          assertThat(condition.message())
              .isEqualTo(
                  "The API server of cluster eu at https://10.0.0.2 has not answered replica r0 since"
                      + " 2026-01-01T00:00:00Z: changes do not arrive. Attempts that need it fail;"
                      + " the others go on.");
        });
    assertThat(atControllers).isEmpty();
    euAnswering = true;
    seconds(2);
    assertThat(conditions.all()).isEmpty();
  }

  /** An idle replica sends nothing by itself for longer than the limit. */
  @Test
  void serverThatIsNotUsedForAWhile_isProbed_andNoCondition() {
    conditions.look();
    seconds(60);
    assertThat(conditions.all()).isEmpty();
    assertThat(probes).isBetween(10, 20);
  }

  @Test
  void processThatWasSuspended_hasNoCondition() {
    conditions.look();
    time.advance(Duration.ofHours(8));
    conditions.look();
    assertThat(conditions.all()).isEmpty();
    seconds(20);
    assertThat(conditions.all()).isEmpty();
  }

  @Test
  void serverThatNothingNeeds_isNoCondition_andGetsNoRequest() {
    used = false;
    answering = false;
    seconds(60);
    assertThat(conditions.all()).isEmpty();
    assertThat(probes).isZero();
  }

  @Test
  void replicaWithALateOrLostLease_isACondition() {
    phase = ReplicaPhase.SUSPENDED;
    conditions.look();
    assertThat(atControllers.get(ConditionType.REPLICA_SUSPENDED))
        .startsWith("Replica r0 has not renewed its Lease in time and starts nothing");
    phase = ReplicaPhase.LOST;
    conditions.look();
    assertThat(atControllers.get(ConditionType.REPLICA_SUSPENDED))
        .startsWith("Replica r0 has lost its Lease");
    phase = ReplicaPhase.JOINING;
    conditions.look();
    assertThat(atControllers).isEmpty();
  }
}
