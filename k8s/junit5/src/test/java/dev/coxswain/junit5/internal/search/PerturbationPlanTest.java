// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.search;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.junit5.explore.Perturbation;
import dev.coxswain.junit5.explore.Perturbation.Kind;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The part of a plan that an exploration with a limit runs. */
class PerturbationPlanTest {

  private static List<Perturbation> all() {
    List<Perturbation> all = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      for (int at = 1; at <= 20; at++) {
        all.add(new Perturbation(kind, at, 0));
      }
    }
    return all;
  }

  /** A failure is reported with its seed, which must lead to it again. */
  @Test
  void aSeed_givesTheSamePart_andAnotherSeedAnotherOne() {
    List<Perturbation> all = all();
    List<Perturbation> first = PerturbationPlan.sample(all, 40, 7);

    assertThat(first).hasSize(40).doesNotHaveDuplicates();
    assertThat(PerturbationPlan.sample(all, 40, 7)).isEqualTo(first);
    assertThat(PerturbationPlan.sample(all, 40, 8)).isNotEqualTo(first);
  }

  @Test
  void eachKind_hasItsTurn_andTheOrderIsThatOfThePlan() {
    List<Perturbation> all = all();
    List<Perturbation> part = PerturbationPlan.sample(all, Kind.values().length, 7);

    assertThat(part).extracting(Perturbation::kind).containsExactly(Kind.values());
    assertThat(PerturbationPlan.sample(all, all.size(), 7)).isEqualTo(all);
  }
}
