// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.testkit.VirtualTime;
import io.kubernetes.client.openapi.models.V1Condition;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class StatusConditionsTest {

  private final VirtualTime time = new VirtualTime();
  private List<V1Condition> conditions = List.of();

  private static V1Condition condition(String type, String status, String reason) {
    return new V1Condition().type(type).status(status).reason(reason).observedGeneration(3L);
  }

  private V1Condition set(V1Condition wanted) {
    conditions = StatusConditions.with(conditions, wanted, time);
    return StatusConditions.find(conditions, wanted.getType()).orElseThrow();
  }

  private OffsetDateTime now() {
    return time.instant().truncatedTo(ChronoUnit.SECONDS).atOffset(ZoneOffset.UTC);
  }

  @Test
  void timeOfTheLastTransition_changesOnlyWithTheStatus() {
    OffsetDateTime first = now();
    assertThat(set(condition("Ready", "False", "Starting")).getLastTransitionTime())
        .isEqualTo(first);
    time.advance(Duration.ofMinutes(1));
    V1Condition later = set(condition("Ready", "False", "Waiting").message("for a node"));
    assertThat(later.getLastTransitionTime()).isEqualTo(first);
    assertThat(later.getReason()).isEqualTo("Waiting");
    assertThat(later.getMessage()).isEqualTo("for a node");
    V1Condition given =
        set(condition("Ready", "False", "Waiting").lastTransitionTime(first.plusYears(1)));
    assertThat(given.getLastTransitionTime()).as("its own time is none either").isEqualTo(first);
    assertThat(set(condition("Ready", "True", "Up")).getLastTransitionTime()).isEqualTo(now());
    V1Condition own =
        set(condition("Ready", "Unknown", "Lost").lastTransitionTime(first.plusYears(1)));
    assertThat(own.getLastTransitionTime()).isEqualTo(first.plusYears(1));
  }

  @Test
  void conditions_keepTheirOrder_andOthersAreNotTouched() {
    set(condition("Ready", "False", "Starting"));
    set(condition("Progressing", "True", "Starting"));
    V1Condition progressing = conditions.getLast();
    set(condition("Ready", "True", "Up"));
    assertThat(conditions).extracting(V1Condition::getType).containsExactly("Ready", "Progressing");
    assertThat(conditions.getLast()).isSameAs(progressing);
    assertThat(StatusConditions.without(conditions, "Ready")).containsExactly(progressing);
  }

  @Test
  void equalCondition_leadsToAnEqualList() {
    set(condition("Ready", "True", "Up"));
    List<V1Condition> before = conditions;
    time.advance(Duration.ofHours(1));
    set(condition("Ready", "True", "Up"));
    assertThat(conditions).isEqualTo(before);
  }

  @Test
  void givenListsAndConditions_areNotChanged() {
    V1Condition wanted = condition("Ready", "True", "Up");
    List<V1Condition> with = StatusConditions.with(null, wanted, time);
    assertThat(wanted.getLastTransitionTime()).isNull();
    StatusConditions.with(with, condition("Ready", "False", "Down"), time);
    assertThat(with).singleElement().extracting(V1Condition::getStatus).isEqualTo("True");
  }

  @Test
  void condition_isFoundByItsType_andHoldsWhenItIsTrue() {
    set(condition("Ready", "True", "Up"));
    set(condition("Failed", "Unknown", "Lost"));
    assertThat(StatusConditions.isTrue(conditions, "Ready")).isTrue();
    assertThat(StatusConditions.isTrue(conditions, "Failed")).isFalse();
    assertThat(StatusConditions.isTrue(conditions, "None")).isFalse();
    assertThat(StatusConditions.isTrue(null, "Ready")).isFalse();
    assertThat(Objects.requireNonNull(conditions.getFirst().getObservedGeneration())).isEqualTo(3);
  }

  @Test
  void incompleteCondition_isRefused() {
    for (V1Condition bad :
        List.of(
            condition("", "True", "Up"),
            condition("Ready", "true", "Up"),
            condition("Ready", "True", ""))) {
      assertThatThrownBy(() -> StatusConditions.with(conditions, bad, time))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("needs a type, a reason and the status");
    }
  }
}
