// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.k8s.fixture.Mischief;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Steps that fail, and what is shown of it. */
class ElectorFailureTest extends ElectorFixture {

  /** Only answers of the server were; what a plug-in of the client threw was seen in the log. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "INTERRUPT_FLAG")
  void anyFailureOfAStep_isTheProblem_untilAStepSucceeds(Mischief mischief) {
    a.step();
    store.mischief = mischief;

    assertThat(failsStep(a)).isTrue();
    assertThat(failsStep(a)).isTrue();
    String problem = a.problem();

    assertThat(problem).isNotEmpty();
    store.mischief = null;
    a.step();
    assertThat(a.problem()).isEmpty();
    assertThat(problems).containsExactly(problem, "");
  }

  /** Leadership that could not be renewed ends in the step, not a pause later. */
  @Test
  void stepThatFailsPastTheDeadline_endsLeadership_whateverItThrows() {
    a.step();
    store.mischief = Mischief.IO_ERROR;
    store.beforeFailure = () -> pass(10_000);

    assertThat(failsStep(a)).isTrue();

    assertThat(calls).containsExactly("a starts", "a stops");
  }

  private static boolean failsStep(Elector elector) {
    try {
      elector.step();
      return false;
    } catch (Throwable e) {
      return true; // the thread of the election reports it and goes on
    } finally {
      Thread.interrupted();
    }
  }

  /** One is a race that was lost, and no problem; without an end the Lease cannot be renewed. */
  @Test
  void conflictsWithoutEnd_areAProblem_andOneIsNot() {
    a.step();
    store.beforeUpdate = () -> store.put(store.stored());
    a.step();
    assertThat(a.problem()).isEmpty();

    for (int i = 0; i < 20; i++) {
      a.step();
    }

    assertThat(a.problem()).contains("another version");
    store.beforeUpdate = () -> {};
    a.step();
    assertThat(a.problem()).isEmpty();
  }
}
