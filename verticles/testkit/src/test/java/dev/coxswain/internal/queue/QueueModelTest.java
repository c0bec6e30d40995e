// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Backoff;
import dev.coxswain.retry.Composition;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Random operations on the queue and on {@link NaiveQueue} side by side: whatever the one does the
 * other does. More than a million operations in each run of the suite, with a new seed each time;
 * give a seed again with {@code -Dcoxswain.seed}.
 */
class QueueModelTest {
  private static final int OPERATIONS = 210_000;
  private static final int KEYS = 24;
  private static final int[] PRIORITIES = {0, 0, 0, -100, 10, 100};
  private static final Backoff BACKOFF =
      Backoff.exponential(Duration.ofNanos(40), Duration.ofNanos(5_000));

  private final VirtualTime time = new VirtualTime(0);
  private final ScriptedWaiter waiter = new ScriptedWaiter();
  private final Map<String, Item<String>> held = new HashMap<>();

  @ParameterizedTest
  @CsvSource({"ADMISSION,0", "ADMISSION,7", "BACKOFF_ONLY,0", "BACKOFF_ONLY,7", "MAX_OF,3"})
  void anyOperations_queueAndNaiveModelAgree(Composition composition, long agingStep) {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    NaiveQueue model = new NaiveQueue(BACKOFF, composition, agingStep);
    WorkQueue<String> queue =
        new WorkQueue<>(
            new QueueOptions<>(BACKOFF, composition, Duration.ofNanos(agingStep), null),
            time,
            waiter,
            ControllerTelemetry.NONE);
    String story = "seed " + seed + ", " + composition + ", aging step " + agingStep;
    System.out.println("QueueModelTest: " + OPERATIONS + " operations, " + story);
    for (int i = 0; i < OPERATIONS; i++) {
      String step = story + ", operation " + i + ": " + operate(queue, model, random);
      if (i % 50 == 0 || i > OPERATIONS - 100) {
        compare(queue, model, step);
      } else {
        assertThat(queue.size()).as(step).isEqualTo(model.entries().size());
      }
      // Time always moves a little, so that a denied token may be requested again.
      time.advance(Duration.ofNanos(1 + (random.nextInt(10) == 0 ? random.nextInt(400) : 0)));
    }
    assertThat(held.keySet()).as(story).containsExactlyInAnyOrderElementsOf(model.inFlight());
  }

  private String operate(WorkQueue<String> queue, NaiveQueue model, Random random) {
    long now = time.nanos();
    String key = "k" + random.nextInt(KEYS);
    int priority = PRIORITIES[random.nextInt(PRIORITIES.length)];
    Trigger trigger = random.nextBoolean() ? Trigger.EVENT : Trigger.RESYNC;
    switch (random.nextInt(24)) {
      case 0, 1, 2, 3 -> {
        queue.add(key, priority, trigger);
        model.add(key, priority, trigger, now);
        return "add " + key;
      }
      case 4, 5, 6 -> {
        long delay = random.nextInt(600) - 50L;
        queue.addAfter(key, delay, priority, trigger);
        model.addAfter(key, delay, priority, trigger, now);
        return "addAfter " + key + " " + delay;
      }
      case 7, 8, 9, 10, 11, 12 -> {
        queue.moveDue(Integer.MAX_VALUE);
        model.moveDue(now);
        return next(queue, model, now);
      }
      case 13, 14, 15, 16 -> {
        return end(queue, model, random, now);
      }
      case 17 -> {
        Item<String> item = queue.find(key);
        if (item != null) {
          queue.actions().promote(item);
        }
        model.promote(key, now);
        return "promote " + key;
      }
      case 18 -> {
        Item<String> item = queue.find(key);
        if (item != null) {
          queue.actions().forget(item, false);
        }
        model.forget(key);
        return "forget " + key;
      }
      case 19 -> {
        long delay = random.nextInt(900) - 100L;
        Item<String> item = queue.find(key);
        if (item != null) {
          queue.actions().reschedule(item, delay);
        }
        model.reschedule(key, delay, now);
        return "reschedule " + key + " " + delay;
      }
      case 20 -> {
        Item<String> item = queue.find(key);
        if (item != null && queue.actions().drop(item)) {
          model.drop(key);
        }
        return "drop " + key;
      }
      case 21, 22 -> {
        int tokens = random.nextInt(3);
        waiter.tokens = tokens;
        model.tokens = tokens;
        return "tokens " + tokens;
      }
      default -> {
        boolean paused = random.nextInt(4) == 0;
        queue.setPaused(paused);
        model.paused = paused;
        return "paused " + paused;
      }
    }
  }

  private String next(WorkQueue<String> queue, NaiveQueue model, long now) {
    Item<String> item = queue.next(time.nanos());
    String expected = model.next(now);
    String step = "next gave " + (item == null ? null : item.key()) + ", model " + expected;
    assertThat(item == null ? null : item.key()).as(step).isEqualTo(expected);
    if (item != null) {
      assertThat(held.put(item.key(), item)).as("the same key twice at once").isNull();
    }
    return step;
  }

  private String end(WorkQueue<String> queue, NaiveQueue model, Random random, long now) {
    List<String> keys = held.keySet().stream().sorted().toList();
    if (keys.isEmpty()) {
      return "nothing in flight";
    }
    String key = keys.get(random.nextInt(keys.size()));
    Item<String> item = Objects.requireNonNull(held.remove(key));
    switch (random.nextInt(6)) {
      case 0, 1 -> {
        queue.endings().succeed(item);
        model.succeed(key, null, now);
      }
      case 2 -> {
        long delay = random.nextInt(500) - 50L;
        queue.endings().succeedAfter(item, delay);
        model.succeed(key, delay, now);
      }
      case 3 -> {
        long atLeast = random.nextInt(300);
        FailurePattern pattern =
            new FailurePattern(List.of(), "slow down", String.valueOf(random.nextInt(3)));
        queue.endings().retry(item, now, atLeast, false, "slow down", queue.causes().of(pattern));
        model.fail(key, atLeast, now);
      }
      default -> {
        queue.endings().retry(item, now, 0, null);
        model.fail(key, 0, now);
      }
    }
    return "end " + key;
  }

  private static void compare(WorkQueue<String> queue, NaiveQueue model, String step) {
    int dirty = 0;
    int failing = 0;
    for (NaiveQueue.Entry entry : model.entries()) {
      Item<String> item = queue.find(entry.key);
      assertThat(item).as("%s: %s", step, entry.key).isNotNull();
      assertThat(describe(item)).as(step).isEqualTo(describe(entry));
      dirty += entry.dirty ? 1 : 0;
      failing += entry.failures > 0 ? 1 : 0;
    }
    for (Phase phase : Phase.values()) {
      long expected = model.entries().stream().filter(e -> e.phase == phase).count();
      assertThat((long) queue.size(phase)).as("%s: %s", step, phase).isEqualTo(expected);
    }
    assertThat(queue.state().dirty).as(step).isEqualTo(dirty);
    assertThat(queue.state().failing).as(step).isEqualTo(failing);
    Map<String, Integer> byCause = new TreeMap<>();
    for (NaiveQueue.Entry entry : model.entries()) {
      Item.Detail detail = Objects.requireNonNull(queue.find(entry.key)).detail;
      if (detail != null && detail.cause() != null) {
        assertThat(entry.failures).as("%s: %s has a cause", step, entry.key).isPositive();
        byCause.merge(detail.cause().id(), 1, Integer::sum);
      }
    }
    Map<String, Integer> counted = new TreeMap<>();
    queue.causes().snapshots(_ -> true).stream()
        .filter(cause -> cause.items() != 0)
        .forEach(cause -> counted.put(cause.id(), cause.items()));
    assertThat(counted).as(step).isEqualTo(byCause);
  }

  private static String describe(@Nullable Item<String> item) {
    if (item == null) {
      return "nothing";
    }
    return item.key()
        + " "
        + item.phase()
        + " priority "
        + item.priority
        + " time "
        + item.time
        + " failures "
        + item.failures()
        + " pays "
        + item.is(Item.RETRY)
        + " dirty "
        + item.is(Item.DIRTY)
        + " "
        + item.trigger();
  }

  private static String describe(NaiveQueue.Entry entry) {
    return entry.key
        + " "
        + entry.phase
        + " priority "
        + entry.priority
        + " time "
        + entry.time
        + " failures "
        + entry.failures
        + " pays "
        + entry.paysToken
        + " dirty "
        + entry.dirty
        + " "
        + entry.trigger;
  }
}
