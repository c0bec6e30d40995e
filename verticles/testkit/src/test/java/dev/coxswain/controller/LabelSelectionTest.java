// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.controller.BulkRequest.Action;
import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.internal.engine.SilentSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemPage;
import dev.coxswain.view.QueuedItem;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Items are chosen by the labels of the objects that a source holds. */
class LabelSelectionTest {

  private final VirtualTime time = new VirtualTime();
  private final Holder holder = new Holder();
  private final Holder other = new Holder();
  private final ControllerTestKit<Request> kit =
      ControllerTestKit.of(
          Controller.named("view")
              .watches(new SilentSource())
              .watches(holder)
              .watches(other)
              .reconciles((request, context) -> Result.done()),
          time);

  /** Holds a label of some objects; a selector is the label, and "" is none. */
  private static final class Holder extends SilentSource {
    final Map<Request, String> labels = new HashMap<>();
    int looked;

    @Override
    public Optional<Predicate<Request>> selecting(String labelSelector) {
      if (labelSelector.isEmpty()) {
        throw new IllegalArgumentException("found nothing, expected a label");
      }
      return Optional.of(request -> {
        looked++;
        return labelSelector.equals(labels.get(request));
      });
    }
  }

  private static ItemFilter labelled(@Nullable String selector) {
    return ItemFilter.ALL.withLabelSelector(selector);
  }

  private void add(String name, @Nullable String label) {
    Request request = Request.of("ns", name);
    if (label != null) {
      holder.labels.put(request, label);
    }
    kit.sink().addAfter(request, Duration.ofHours(1), 0, Trigger.EVENT);
    time.settle();
  }

  private List<String> walk(String selector, int limit, Runnable between) {
    List<String> names = new ArrayList<>();
    ItemPage.Cursor cursor = null;
    do {
      ItemPage page = kit.await(kit.handle().list(labelled(selector), cursor, limit));
      assertThat(page.items().size()).isLessThanOrEqualTo(limit);
      page.items().stream().map(QueuedItem::name).forEach(names::add);
      cursor = page.next();
      between.run();
    } while (cursor != null);
    return names;
  }

  private BulkResult flush(String selector, boolean dryRun) {
    return kit.await(kit.handle().bulk(order(selector, dryRun)));
  }

  private static BulkRequest order(String selector, boolean dryRun) {
    return new BulkRequest(
        Action.FLUSH,
        labelled(selector),
        dryRun,
        1_000,
        false,
        false,
        Then.NONE,
        Duration.ZERO,
        Duration.ZERO);
  }

  @Test
  void walkUnderChurn_isOfThoseThatStaySelected_eachOnce() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    Set<String> stays = new HashSet<>();
    for (int i = 0; i < 2_000; i++) {
      add("i" + i, random.nextInt(3) == 0 ? "a" : random.nextInt(3) == 0 ? "b" : null);
      if ("a".equals(holder.labels.get(Request.of("ns", "i" + i)))) {
        stays.add("i" + i);
      }
    }
    int[] next = new int[1];
    List<String> seen =
        walk(
            "a",
            1 + random.nextInt(60),
            () -> {
              for (int i = 0; i < 20 && next[0] < 500; i++) {
                add("new" + next[0]++, random.nextBoolean() ? "a" : "b");
                String name = "i" + random.nextInt(2_000);
                holder.labels.put(Request.of("ns", name), "b");
                stays.remove(name);
              }
            });
    assertThat(seen).as("seed %d", seed).doesNotHaveDuplicates().containsAll(stays);
  }

  @Test
  void whatIsNotHeld_isNotSelected_andAnyOfTheSourcesMayHoldIt() {
    add("held", "a");
    add("gone", null);
    add("there", null);
    other.labels.put(Request.of("ns", "there"), "a");
    assertThat(walk("a", 10, () -> {})).containsExactlyInAnyOrder("held", "there");
    holder.labels.clear();
    assertThat(walk("a", 10, () -> {})).containsExactly("there");
  }

  @Test
  void labelsAreLookedAtLast_ofWhatElseIsMeant() {
    add("x1", "a");
    add("x2", "a");
    add("y1", "a");
    ItemFilter named = ItemFilter.ALL.withNamespace("ns").withNameGlob("x*").withLabelSelector("a");
    assertThat(kit.await(kit.handle().list(named, null, 10)).items()).hasSize(2);
    assertThat(holder.looked).isEqualTo(2);
  }

  @Test
  void manyItems_areChangedByTheirLabels_asTheyAreThen() {
    add("x", "a");
    add("y", "a");
    add("z", "b");
    assertThat(flush("a", true).matched()).isEqualTo(2);
    assertThat(flush("a", false).counts().changed()).isEqualTo(2);
    assertThat(walk("b", 10, () -> {})).containsExactly("z");
    assertThat(kit.handle().snapshot().total()).isEqualTo(1);
  }

  @Test
  void anItemWhoseLabelsChange_betweenCountAndChange_isLeftAlone() {
    add("x", "a");
    add("y", "a");
    BulkRequest slow = BulkRequests.of(Action.FLUSH, labelled("a"), 1_000, 1);
    BulkRun run = kit.handle().begin(slow);
    time.settle(); // the first one is flushed at once, the second a second later
    holder.labels.replaceAll((request, label) -> "b");
    time.advance(Duration.ofSeconds(2));
    BulkResult result = kit.await(run.result());
    assertThat(result.counts().changed()).isEqualTo(1);
    assertThat(result.counts().skipped()).containsEntry("changed meanwhile", 1);
  }

  @Test
  void whatCannotBeUnderstood_isRefusedInTheWordsOfTheSource() {
    assertThatThrownBy(() -> kit.handle().selects(""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("found nothing, expected a label");
    assertThat(kit.handle().selects("a")).isTrue();
    Future<ItemPage> page = kit.handle().list(labelled(""), null, 10);
    time.settle();
    assertThat(page.cause()).hasMessage("found nothing, expected a label");
  }

  @Test
  void controllerWithoutObjects_selectsNothing_andSaysSo() {
    ControllerTestKit<Request> bare =
        ControllerTestKit.of(
            Controller.named("bare")
                .watches(new SilentSource())
                .reconciles((request, context) -> Result.done()),
            time);
    assertThat(bare.handle().selects("a")).isFalse();
    for (Future<?> answer :
        List.of(
            bare.handle().list(labelled("a"), null, 10), bare.handle().bulk(order("a", true)))) {
      time.settle();
      assertThat(Objects.requireNonNull(answer.cause()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("no source holds the objects");
    }
  }

  @Test
  void aSelectorIsBounded_andIsAPartThatLeavesItemsOut() {
    assertThatThrownBy(() -> labelled("a".repeat(ItemFilter.MAX_SELECTOR + 1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(labelled("a").matchesEverything()).isFalse();
    assertThat(labelled("a").withMaxSeq(7)).isNotEqualTo(labelled("b").withMaxSeq(7));
    assertThat(labelled(null)).isEqualTo(ItemFilter.ALL);
  }
}
