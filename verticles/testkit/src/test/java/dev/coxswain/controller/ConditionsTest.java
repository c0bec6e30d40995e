// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.Condition;
import dev.coxswain.view.ConditionType;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class ConditionsTest {

  private final VirtualTime time = new VirtualTime();
  private final Conditions conditions = new Conditions("demo", time);

  @Test
  void aConditionKeepsItsTime_whileItStands_andHasANewOneAfterABreak() {
    Instant first = time.instant();
    conditions.raise(ConditionType.SOURCE_FAILED, "one");
    time.advance(Duration.ofSeconds(5));
    conditions.raise(ConditionType.SOURCE_FAILED, "two");
    assertThat(conditions.all())
        .containsExactly(new Condition(ConditionType.SOURCE_FAILED, first, "two"));
    assertThat(conditions.has(ConditionType.SOURCE_FAILED)).isTrue();

    conditions.set(ConditionType.SOURCE_FAILED, null);
    assertThat(conditions.all()).isEmpty();
    assertThat(conditions.has(ConditionType.SOURCE_FAILED)).isFalse();

    conditions.set(ConditionType.SOURCE_FAILED, "three");
    assertThat(conditions.all())
        .containsExactly(
            new Condition(ConditionType.SOURCE_FAILED, first.plus(Duration.ofSeconds(5)), "three"));
  }

  @Test
  void conditions_areInTheOrderOfTheirTypes() {
    conditions.raise(ConditionType.EVENT_LOOP_BLOCKED, "b");
    conditions.raise(ConditionType.WORKERS_EXHAUSTED, "w");
    assertThat(conditions.all())
        .extracting(Condition::type)
        .containsExactly(ConditionType.WORKERS_EXHAUSTED, ConditionType.EVENT_LOOP_BLOCKED);
  }
}
