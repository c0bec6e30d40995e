// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Composition;
import dev.coxswain.view.ItemId;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The queue's rules. */
class QueueCornerCasesTest extends QueueFixture {

  @Test
  void agingStepOfTenYears_higherPriorityStillGoesFirst() {
    queue(Composition.ADMISSION, Duration.ofDays(3_650), null);
    add("low", -100);
    add("normal", 0);
    assertThat(takeKey()).isEqualTo("normal");
  }

  @Test
  void higherPriorityOfAReadyItem_isAChangeOfItsRevision() {
    QueueReader<String> reader =
        new QueueReader<>(
            queue, RequestFormat.of(key -> key, key -> key), time, selector -> Optional.empty());
    add("a", -100);
    long before = reader.revOf(item("a"));
    add("a", 5);
    assertThat(reader.view(item("a")).priority()).isEqualTo(5);
    assertThat(reader.revOf(item("a"))).isNotEqualTo(before);
  }

  @Test
  void oldestReady_isTheOldest_notTheNext() {
    queue(Composition.ADMISSION, Duration.ZERO, null);
    add("initial", -100);
    pass(60_000);
    add("event", 0);
    assertThat(time.nanos() - queue.state().oldestReadySince()).isEqualTo(60_000_000_000L);
  }

  @Test
  void laterAdditionWithHigherPriorityWhileInFlight_raisesThePendingOne() {
    add("a");
    Item<String> item = take();
    queue.addAfter("a", 1_000_000, -100, Trigger.RESYNC);
    queue.addAfter("a", 2_000_000, 10, Trigger.EVENT);
    queue.endings().succeed(item);
    assertThat((int) item("a").priority).as("highest priority wins").isEqualTo(10);
  }

  @Test
  void requeueByAnOperatorWhileInFlight_laterTimeReplaces_alsoWhenTheAttemptFails() {
    add("a");
    Item<String> item = take();
    queue.actions().reschedule(item, Duration.ofHours(1).toNanos());
    fail(item);
    assertThat(item("a").time - time.nanos()).isEqualTo(Duration.ofHours(1).toNanos());
  }

  @Test
  void strictPriorities_lowRetryAtTheHead_doesNotBlockHighRetriesBehindIt() {
    waiter.tokens = 100;
    add("low", -100);
    fail(take());
    add("high", 100);
    fail(take());
    pass(10);
    add("normal", 0);
    assertThat(takeKey())
        .as("a retry of priority 100 before an event of priority 0")
        .isEqualTo("high");
  }

  @Test
  void idOfALongRequest_canBeUsed() {
    ItemId id = new ItemId("", "x".repeat(800));
    assertThat(ItemId.decode(id.encoded())).isEqualTo(Optional.of(id));
  }

  @Test
  void retryThatGotItsToken_countsAsAnAdd_asInClientGo() {
    waiter.tokens = 1;
    add("a");
    fail(take());
    pass(10);
    take();
    assertThat(telemetry.added()).as("workqueue_adds_total").isEqualTo(2);
  }

  @Test
  void wakeUpLag_isOnlyTheAlarms_notTheTimeOfALongAttempt() {
    add("a");
    fail(take());
    add("a"); // an event inside the window of 5 ms
    Item<String> item = take();
    pass(10_000);
    fail(item); // the window has ended long ago: due at once
    pass(0);
    assertThat(telemetry.latestWakeUp()).isZero();
  }
}
