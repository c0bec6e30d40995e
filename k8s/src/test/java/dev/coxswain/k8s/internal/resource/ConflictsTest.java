// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.resource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.k8s.client.ApiStatusException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ConflictsTest {

  private final List<Long> pauses = new ArrayList<>();
  private final AtomicInteger tries = new AtomicInteger();

  private String run(int conflicts, int code) {
    return Conflicts.retry(
        () -> {
          if (tries.incrementAndGet() <= conflicts) {
            throw new ApiStatusException(code, "Conflict", "changed", null, null);
          }
          return "done";
        },
        new SplittableRandom(5),
        pauses::add);
  }

  @Test
  void conflicts_areTriedAgain_afterPausesThatGrow() {
    assertThat(run(4, 409)).isEqualTo("done");

    assertThat(pauses).hasSize(4);
    for (int i = 0; i < 4; i++) {
      long longest = Conflicts.FIRST_PAUSE_NANOS << i;
      assertThat(pauses.get(i)).isBetween(longest / 2, longest);
    }
  }

  @Test
  void lastConflict_isThrown() {
    assertThatThrownBy(() -> run(5, 409)).isInstanceOf(ApiStatusException.class);

    assertThat(tries).hasValue(Conflicts.ATTEMPTS);
  }

  @Test
  void otherFailures_areThrownAtOnce() {
    assertThatThrownBy(() -> run(1, 500)).isInstanceOf(ApiStatusException.class);

    assertThat(tries).hasValue(1);
    assertThat(pauses).isEmpty();
  }
}
