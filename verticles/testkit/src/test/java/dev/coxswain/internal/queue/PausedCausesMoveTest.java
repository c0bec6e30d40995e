// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.view.ControllerStatus.Pause;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** A held item moves with its own time, also in the turns in which an ended pause lets its items go. */
class PausedCausesMoveTest extends QueueFixture {

  @Test
  void itemOfAPauseThatHasEnded_andThatIsNotReleasedYet_movesWithItsOwnTime() {
    FailurePattern cause = new FailurePattern(List.of("Quota"), "no quota", "");
    add("a");
    Item<String> item = take();
    queue.endings().retry(item, time.nanos(), 0, false, "no quota", queue.causes().of(cause));
    queue.pausedCauses().set(Map.of(cause, new Pause("INC-1", "me", time.instant(), null)));
    pass(Duration.ofHours(1).toMillis());
    assertThat(queue.pausedCauses().isHeld(item)).isTrue();
    queue.pausedCauses().set(Map.of()); // and no turn of the walk yet
    List<MovedItem> moved = new ArrayList<>();
    queue.moves(RequestFormat.of(Function.identity(), Function.identity())).export(item, moved);
    assertThat(moved).extracting(MovedItem::due).containsExactly(Duration.ZERO);
    queue.pausedCauses().releaseSome();
    pass(0);
    assertThat(item.phase()).as("due, and it takes a token").isEqualTo(Phase.WAITING_TOKEN);
  }
}
