// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WarmUpTest {
  private final List<Integer> made = new ArrayList<>();

  /** Makes the calls of a warm-up, of which the first ones are refused. */
  private void warmUp(int refused, boolean possible) {
    WarmUp.run(
        i -> {
          made.add(i);
          return made.size() <= refused
              ? CompletableFuture.failedFuture(new IllegalStateException("a minority"))
              : CompletableFuture.completedFuture(i);
        },
        () -> possible,
        0);
  }

  @Test
  void callsThatAreRefusedRightAfterTheJoin_areTriedAgain_untilAllAreDone() {
    warmUp(20, true);
    assertThat(made.subList(0, 20)).containsOnly(0);
    assertThat(made.subList(20, made.size()))
        .containsExactlyElementsOf(IntStream.range(0, WarmUp.CALLS).boxed().toList());
  }

  @Test
  void withTooFewMembers_nothingIsTriedAgain() {
    warmUp(1, false);
    assertThat(made).hasSize(1);
  }

  @Test
  void refusalsWithoutEnd_areGivenUpAfterAWhile() {
    warmUp(Integer.MAX_VALUE, true);
    assertThat(made).hasSize(WarmUp.MOST_REFUSALS + 1);
  }
}
