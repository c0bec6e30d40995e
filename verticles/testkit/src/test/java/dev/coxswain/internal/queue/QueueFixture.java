// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Backoff;
import dev.coxswain.retry.Composition;
import dev.coxswain.testkit.RecordingTelemetry;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A queue of texts in virtual time, with shorthands for the tests of its rules. */
class QueueFixture {
  final VirtualTime time = new VirtualTime();
  final ScriptedWaiter waiter = new ScriptedWaiter();
  final RecordingTelemetry telemetry = new RecordingTelemetry();
  WorkQueue<String> queue = queue(Composition.ADMISSION, Duration.ZERO, null);

  WorkQueue<String> queue(
      Composition composition, Duration agingStep, @Nullable Function<String, ?> flowOf) {
    queue =
        new WorkQueue<>(
            new QueueOptions<>(Backoff.standard(), composition, agingStep, flowOf),
            time,
            waiter,
            telemetry);
    return queue;
  }

  void add(String key) {
    queue.add(key, 0, Trigger.EVENT);
  }

  void add(String key, int priority) {
    queue.add(key, priority, Trigger.EVENT);
  }

  void addAfter(String key, long millis) {
    queue.addAfter(key, millis * 1_000_000, 0, Trigger.EVENT);
  }

  void pass(long millis) {
    time.advance(Duration.ofMillis(millis));
    queue.moveDue(Integer.MAX_VALUE);
  }

  Item<String> take() {
    return Objects.requireNonNull(queue.next(time.nanos()), "nothing may start now");
  }

  String takeKey() {
    return take().key();
  }

  /** Takes out everything that may start now. */
  List<String> takeAll() {
    List<String> keys = new ArrayList<>();
    Item<String> item;
    while ((item = queue.next(time.nanos())) != null) {
      keys.add(item.key());
    }
    return keys;
  }

  Item<String> item(String key) {
    return Objects.requireNonNull(queue.find(key), () -> key + " is not tracked");
  }

  Phase phase(String key) {
    return item(key).phase();
  }

  void fail(Item<String> item) {
    queue.endings().retry(item, time.nanos(), 0, "boom");
  }
}
