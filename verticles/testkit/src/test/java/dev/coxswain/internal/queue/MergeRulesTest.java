// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Composition;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** The rules for a request that is in the queue already. */
class MergeRulesTest extends QueueFixture {

  @Test
  void addOfAReadyKey_oneItem_highestPriorityWins() {
    add("a", -100);
    add("b", 0);
    add("a", 50);
    add("a", 10);

    assertThat(queue.size()).isEqualTo(2);
    assertThat(takeAll()).containsExactly("a", "b");
    assertThat(telemetry.merges(Phase.READY)).isEqualTo(2);
    assertThat(telemetry.added()).isEqualTo(2);
  }

  @Test
  void addWhileInFlight_runsOnceMore_atTheTailOfItsPriority() {
    add("a");
    Item<String> running = take();
    add("b");
    add("a");
    add("a");
    add("c");
    assertThat(takeAll()).as("never the same key twice at once").containsExactly("b", "c");
    add("d");

    queue.endings().succeed(running);

    assertThat(takeAll()).containsExactly("d", "a");
    assertThat(telemetry.merges(Phase.IN_FLIGHT)).isEqualTo(2);
  }

  @Test
  void addWhileInFlight_andTheAttemptFails_runsAtOnceWithoutAToken() {
    add("a");
    Item<String> running = take();
    add("a");

    fail(running);

    assertThat(phase("a")).isEqualTo(Phase.READY);
    assertThat(takeKey()).isEqualTo("a");
    assertThat(waiter.requests).isZero();
  }

  @Test
  void addWhileInFlight_higherPriority_isKeptForTheNextRun() {
    add("a", -100);
    Item<String> running = take();
    add("a", 10);
    add("a", 5);
    add("b", 7);
    queue.endings().succeed(running);

    assertThat(takeAll()).containsExactly("a", "b");
  }

  @Test
  void addWithoutDelayWhileDelayed_becomesReadyNow_oneDelivery() {
    addAfter("a", 1000);
    add("a");

    assertThat(phase("a")).isEqualTo(Phase.READY);
    queue.endings().succeed(take());
    pass(5000);
    assertThat(takeAll()).as("no delayed twin").isEmpty();
    assertThat(queue.size()).isZero();
  }

  @Test
  void addAfterTwice_theEarlierTimeWins() {
    addAfter("a", 1000);
    addAfter("a", 200);
    addAfter("a", 500);

    pass(199);
    assertThat(takeAll()).isEmpty();
    pass(1);
    assertThat(takeAll()).containsExactly("a");
  }

  @Test
  void addAt_withAnOlderTimeOfTheTurn_isDueAtItsOwnTime() {
    long turn = time.nanos();
    time.advance(Duration.ofMillis(30));
    queue.addAt("a", turn + 100_000_000, 0, Trigger.EVENT, turn);
    queue.addAt("b", turn, 0, Trigger.EVENT, turn);

    assertThat(takeAll()).containsExactly("b");
    pass(69);
    assertThat(takeAll()).isEmpty();
    pass(1);
    assertThat(takeAll()).containsExactly("a");
  }

  @Test
  void addAfterZeroOrNegative_isNow() {
    addAfter("a", 0);
    addAfter("b", -5);
    assertThat(takeAll()).containsExactly("a", "b");
  }

  @Test
  void aFailedAttempt_keepsTheHigherOfItsOwnPriority_andThatOfWhatCameMeanwhile() {
    queue = queue(Composition.BACKOFF_ONLY, Duration.ZERO, null);
    add("a", 50);
    Item<String> running = take();
    add("a", -100);
    queue.endings().retry(running, time.nanos(), 0, "boom");
    assertThat(item("a").priority).isEqualTo((byte) 50);

    running = take();
    queue.addAfter("a", 1, -100, Trigger.EVENT);
    queue.endings().retry(running, time.nanos(), 0, "boom");
    assertThat(item("a").priority).isEqualTo((byte) 50);

    pass(1000);
    running = take();
    add("a", 70);
    queue.endings().retry(running, time.nanos(), 0, "boom");
    assertThat(item("a").priority).as("a higher one is taken over").isEqualTo((byte) 70);
  }

  @Test
  void higherPriorityOfALaterAddition_holds_whateverTimeWins() {
    queue = queue(Composition.BACKOFF_ONLY, Duration.ZERO, null);
    add("a", -100);
    Item<String> running = take();
    queue.addAfter("a", 1_000_000_000_000L, 50, Trigger.EVENT);
    queue.endings().retry(running, time.nanos(), 0, "boom");
    assertThat(item("a").priority).as("its retry is earlier").isEqualTo((byte) 50);

    add("b", -100);
    running = take();
    queue.addAfter("b", 1_000_000_000_000L, 50, Trigger.EVENT);
    queue.endings().succeedAfter(running, 1);
    assertThat(item("b").priority).as("its own time is earlier").isEqualTo((byte) 50);

    add("c", -100);
    running = take();
    queue.addAfter("c", 1_000_000_000_000L, 50, Trigger.EVENT);
    add("c", -100);
    queue.endings().succeed(running);
    assertThat(item("c").priority).as("an event is earlier").isEqualTo((byte) 50);
  }

  @Test
  void anAttempt_isEndedOnce_andNothingChangesByASecondEnd() {
    add("gone");
    Item<String> gone = take();
    queue.endings().succeed(gone);
    add("later");
    Item<String> later = take();
    queue.endings().retry(later, time.nanos(), 0, "boom");
    add("never begun");
    Item<String> waits = item("never begun");
    for (Item<String> item : List.of(gone, later, waits)) {
      for (Consumer<Item<String>> end :
          List.<Consumer<Item<String>>>of(
              queue.endings()::succeed,
              one -> queue.endings().succeedAfter(one, 1),
              one -> queue.endings().retry(one, time.nanos(), 0, "again"),
              queue::markOverdue)) {
        assertThatThrownBy(() -> end.accept(item))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("not in flight");
      }
    }
    assertThat(later.failures()).isEqualTo(1);
    assertThat(waits.failures()).isZero();
    assertThat(queue.size()).isEqualTo(2);
    assertThat(queue.size(Phase.IN_FLIGHT)).isZero();
    assertThat(QueueCounters.of(queue).overdue()).isZero();
  }

  @Test
  void addAfterWhileReady_staysReady() {
    add("a");
    addAfter("a", 1000);
    assertThat(takeAll()).containsExactly("a");
  }

  @Test
  void addAfterWhileInFlight_runsOnceMoreAtThatTime() {
    add("a");
    Item<String> running = take();
    addAfter("a", 700);
    addAfter("a", 300);
    queue.endings().succeed(running);

    pass(299);
    assertThat(takeAll()).isEmpty();
    pass(1);
    assertThat(takeAll()).containsExactly("a");
  }

  @Test
  void addAfterWhileInFlight_earlierThanRequeueAfter_wins_andLaterLoses() {
    add("a");
    Item<String> running = take();
    addAfter("a", 100);
    queue.endings().succeedAfter(running, Duration.ofMillis(300).toNanos());
    pass(100);
    running = take();
    addAfter("a", 500);
    queue.endings().succeedAfter(running, Duration.ofMillis(300).toNanos());
    pass(299);
    assertThat(takeAll()).isEmpty();
    pass(1);
    assertThat(takeAll()).containsExactly("a");
    pass(1000);
    assertThat(takeAll()).isEmpty();
  }

  @Test
  void explicitReschedule_replacesTheTime_alsoByALaterOne() {
    addAfter("a", 100);
    queue.actions().reschedule(item("a"), Duration.ofMillis(900).toNanos());
    pass(899);
    assertThat(takeAll()).isEmpty();
    pass(1);
    assertThat(takeAll()).containsExactly("a");
  }

  @Test
  void rescheduleOfAReadyItem_takesItOutOfTheLine() {
    add("a");
    add("b");
    queue.actions().reschedule(item("a"), Duration.ofMillis(10).toNanos());
    assertThat(takeAll()).containsExactly("b");
    pass(10);
    assertThat(takeAll()).containsExactly("a");
  }

  @Test
  void rescheduleToNow_movesToTheTail() {
    add("a");
    add("b");
    queue.actions().reschedule(item("a"), 0);
    assertThat(takeAll()).containsExactly("b", "a");
  }

  @Test
  void equalReadyTimes_firstInFirstOut() {
    for (String key : new String[] {"c", "a", "d", "b"}) {
      addAfter(key, 50);
    }
    pass(50);
    assertThat(takeAll()).containsExactly("c", "a", "d", "b");
  }

  @Test
  void dueTimesFarApart_areServedInTheirOrder() {
    addAfter("late", 3_000_000_000L);
    addAfter("soon", 1);
    queue.addAfter("never", Long.MAX_VALUE, 0, Trigger.EVENT);
    pass(1);
    assertThat(takeAll()).containsExactly("soon");
    pass(3_000_000_000L);
    assertThat(takeAll()).containsExactly("late");
    assertThat(phase("never")).isEqualTo(Phase.DELAYED);
  }

  @Test
  void addWhileWaitingForAToken_becomesReady_becauseEventsAreNeverLimited() {
    add("a");
    fail(take());
    pass(5);
    assertThat(phase("a")).isEqualTo(Phase.WAITING_TOKEN);
    assertThat(takeAll()).as("no token").isEmpty();

    add("a");

    assertThat(takeAll()).containsExactly("a");
    assertThat(waiter.withdrawn).as("nothing waits any more").isPositive();
  }

  @Test
  void priorities_higherFirst_fifoInside() {
    add("low", -100);
    add("n1", 0);
    add("high", 100);
    add("n2", 0);
    assertThat(takeAll()).containsExactly("high", "n1", "n2", "low");
  }

  @Test
  void prioritiesBeyondTheRange_areCut() {
    add("max", Integer.MAX_VALUE);
    add("min", Integer.MIN_VALUE);
    add("top", 127);
    assertThat(takeAll()).containsExactly("max", "top", "min");
  }

  @Test
  void aging_lowPriorityOvertakesAfterItsWait_andNeverBefore() {
    queue(Composition.ADMISSION, Duration.ofMillis(10), null);
    add("low", -100); // 1000 ms behind priority 0
    pass(999);
    add("early", 0);
    assertThat(takeKey()).isEqualTo("early");
    pass(2);
    add("late", 0);
    assertThat(takeKey()).isEqualTo("low");
    assertThat(takeKey()).isEqualTo("late");
  }

  @Test
  void aging_underAConstantStreamOfOrdinaryEvents_lowPriorityStillRuns() {
    queue(Composition.ADMISSION, Duration.ofMillis(10), null);
    add("low", -100);
    int served = 0;
    while (queue.find("low") != null && phase("low") == Phase.READY) {
      assertThat(served++).as("bounded by the aging").isLessThan(1_010);
      add("n" + served);
      queue.endings().succeed(take());
      pass(1);
    }
    assertThat(served).isGreaterThan(990);
  }

  @Test
  void failuresThatCameToAnOrphanedAttempt_areCountedNoLonger_whenItIsTheLast() {
    add("a");
    Item<String> running = take();
    queue.actions().dropSome(0, _ -> true); // its slot has gone, and comes back with failures
    FailurePattern cause = new FailurePattern(List.of("a.B"), "no", "");
    queue
        .moves(RequestFormat.of(Function.identity(), Function.identity()))
        .restore(new MovedItem("", "a", 3, true, Duration.ZERO, 0, "no", cause), _ -> true);
    assertThat(queue.causes().of(cause).items()).isEqualTo(1);
    queue.actions().dropDirty(running); // as a flush does
    queue.endings().succeed(running);
    assertThat(queue.find("a")).isNull();
    assertThat(queue.state().failing).isZero();
    assertThat(queue.causes().of(cause).items()).isZero();
  }
}
