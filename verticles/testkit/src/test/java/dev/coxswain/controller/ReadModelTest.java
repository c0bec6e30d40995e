// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.BulkRequest.Action;
import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.internal.engine.SilentSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.ItemPage;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueuedItem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Looking at a queue from outside, and acting on many items at once. */
class ReadModelTest {
  private final VirtualTime time = new VirtualTime();
  private final ControllerTestKit<Request> kit =
      ControllerTestKit.of(
          Controller.named("view")
              .watches(new KnownSource())
              .options(options -> options.withConcurrency(ControllerOptions.MAX_CONCURRENCY))
              .reconciles((request, context) -> {
                if (request.name().startsWith("bad")) {
                  throw new IllegalStateException("<b>" + request.name() + "</b>");
                }
                return Result.done();
              }),
          time);

  /** A source that holds every object except those whose name contains "gone". */
  private static final class KnownSource extends SilentSource {
    @Override
    public boolean holds(Request request) {
      return !request.name().contains("gone");
    }
  }

  private void delayed(int count, String namespace, String prefix) {
    for (int i = 0; i < count; i++) {
      kit.sink().addAfter(Request.of(namespace, prefix + i), Duration.ofHours(1), 0, Trigger.EVENT);
    }
    time.settle();
  }

  private List<QueuedItem> walk(ItemFilter filter, int limit, Runnable betweenPages) {
    List<QueuedItem> all = new ArrayList<>();
    ItemPage.Cursor cursor = null;
    do {
      ItemPage page = kit.await(kit.handle().list(filter, cursor, limit));
      assertThat(page.items().size()).isLessThanOrEqualTo(limit);
      all.addAll(page.items());
      cursor = page.next();
      betweenPages.run();
    } while (cursor != null);
    return all;
  }

  @Test
  void walk_everyItemOnce_whateverThePageSize() {
    delayed(5_000, "ns", "d");
    for (int limit : new int[] {1, 7, 500}) {
      List<QueuedItem> all =
          walk(limit == 1 ? phaseAndName("d1?") : ItemFilter.ALL, limit, () -> {});
      assertThat(all).extracting(QueuedItem::name).doesNotHaveDuplicates();
      assertThat(all).hasSize(limit == 1 ? 10 : 5_000);
    }
  }

  private static ItemFilter phaseAndName(String glob) {
    return ItemFilter.ALL.withPhases(Set.of(Phase.DELAYED)).withNamespace("ns").withNameGlob(glob);
  }

  @Test
  void walkUnderChurn_survivorsExactlyOnce_noneTwice() {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    delayed(3_000, "ns", "stays");
    int[] next = new int[1];
    Set<String> alive = new HashSet<>();
    List<QueuedItem> seen =
        walk(
            ItemFilter.ALL,
            37,
            () -> {
              for (int i = 0; i < 200; i++) {
                if (random.nextBoolean() || alive.isEmpty()) {
                  String name = "churn" + next[0]++;
                  alive.add(name);
                  kit.sink()
                      .addAfter(Request.of("ns", name), Duration.ofHours(1), 0, Trigger.EVENT);
                } else {
                  String name = alive.iterator().next();
                  alive.remove(name);
                  kit.handle().drop(new ItemId("ns", name), null);
                }
              }
              time.settle();
            });
    assertThat(seen).as("seed %s", seed).extracting(QueuedItem::name).doesNotHaveDuplicates();
    assertThat(seen.stream().filter(item -> item.name().startsWith("stays")).count())
        .as("seed %s", seed)
        .isEqualTo(3_000);
  }

  @Test
  void filters_phaseFailingNamespaceFailuresAndSequence() {
    delayed(10, "a", "good");
    delayed(5, "b", "good");
    for (int i = 0; i < 4; i++) {
      kit.add(Request.of("b", "bad" + i));
    }
    time.advance(Duration.ofMillis(50)); // failures 1, 2 and 3 have happened
    long seq = kit.handle().snapshot().lastSeq();
    delayed(3, "b", "younger");

    assertThat(count(ItemFilter.ALL.withFailing(true))).isEqualTo(4);
    assertThat(count(ItemFilter.ALL.withFailing(false).withNamespace("b"))).isEqualTo(8);
    assertThat(count(ItemFilter.ALL.withMinFailures(4))).isEqualTo(4);
    assertThat(count(ItemFilter.ALL.withMinFailures(5))).isZero();
    assertThat(count(ItemFilter.ALL.withPhases(Set.of(Phase.READY)))).isZero();
    assertThat(count(ItemFilter.ALL.withMaxSeq(seq))).isEqualTo(19);
  }

  @Test
  void filters_ageDueTimeAndClassOfTheError() {
    kit.add(Request.of("a", "bad"));
    time.advance(Duration.ofMillis(1)); // it has failed and waits
    Instant due = time.instant().plus(Duration.ofHours(1));
    delayed(3, "a", "later");
    kit.await(kit.handle().pause("test", null));
    time.advance(Duration.ofMinutes(1));
    kit.add(Request.of("a", "ready"));
    time.advance(Duration.ofMinutes(5));

    assertThat(names(where(Duration.ofMinutes(5), null, null))).contains("ready");
    assertThat(names(where(Duration.ofMinutes(5), null, null)))
        .doesNotContain("later0", "later1", "later2");
    assertThat(names(where(Duration.ofMinutes(7), null, null))).doesNotContain("ready");
    assertThat(names(where(null, due, null))).contains("ready").doesNotContain("later0");
    assertThat(names(where(null, due.plusMillis(1), null))).contains("ready", "later0");
    assertThat(names(where(null, null, "IllegalStateException"))).containsExactly("bad");
    assertThat(names(where(null, null, "IllegalState"))).isEmpty();
  }

  private static ItemFilter where(
      @Nullable Duration olderThan, @Nullable Instant readyBefore, @Nullable String errorClass) {
    return ItemFilter.ALL
        .withOlderThan(olderThan)
        .withReadyBefore(readyBefore)
        .withErrorClass(errorClass);
  }

  private List<String> names(ItemFilter filter) {
    return walk(filter, 500, () -> {}).stream().map(QueuedItem::name).toList();
  }

  private int count(ItemFilter filter) {
    return walk(filter, 500, () -> {}).size();
  }

  @Test
  void item_showsFailureErrorAndTimes() {
    kit.add(Request.of("ns", "bad"));
    QueuedItem item = kit.await(kit.handle().item(new ItemId("ns", "bad"))).orElseThrow();
    assertThat(item.phase()).isEqualTo(Phase.DELAYED);
    assertThat(item.failing()).isTrue();
    assertThat(item.lastError()).isEqualTo("IllegalStateException: <b>bad</b>");
    assertThat(item.nextAttemptAt()).isEqualTo(time.instant().plusMillis(5));
    assertThat(item.notBefore()).isEqualTo(item.nextAttemptAt());
    assertThat(item.trigger()).isEqualTo(Trigger.RETRY);
    assertThat(kit.await(kit.handle().item(new ItemId("ns", "none")))).isEmpty();
    assertThat(ItemId.decode(item.id())).contains(new ItemId("ns", "bad"));
  }

  @Test
  void explain_tellsBackoffScheduledAndNotTracked() {
    kit.add(Request.of("ns", "bad"));
    delayed(1, "ns", "later");
    assertThat(reason("bad")).isEqualTo("backoff");
    assertThat(reason("later0")).isEqualTo("scheduled");
    assertThat(reason("unknown")).isEqualTo("notTracked");
  }

  @Test
  void explain_expectsADelayedItemNotBeforeThePauseEnds_andNeverInOneWithoutEnd() {
    delayed(1, "ns", "later");
    Instant due = time.instant().plus(Duration.ofHours(1));
    assertThat(expectedStart("later0")).isEqualTo(due);

    kit.await(kit.handle().pause("maintenance", null));
    assertThat(expectedStart("later0")).as("nobody can tell").isNull();

    kit.await(kit.handle().pause("short", Duration.ofMinutes(1)));
    assertThat(expectedStart("later0")).as("over before it is due").isEqualTo(due);

    kit.await(kit.handle().pause("long", Duration.ofHours(2)));
    assertThat(expectedStart("later0")).isEqualTo(due.plus(Duration.ofHours(1)));
    time.advance(Duration.ofHours(2).minusMillis(1));
    assertThat(kit.telemetry().started()).isZero();
    time.advance(Duration.ofMillis(1));
    assertThat(kit.telemetry().started()).isOne();
  }

  private @Nullable Instant expectedStart(String name) {
    return kit.await(kit.handle().explain(new ItemId("ns", name))).expectedStart();
  }

  private String reason(String name) {
    return kit.await(kit.handle().explain(new ItemId("ns", name))).reason().label();
  }

  @Test
  void actionWithAStaleRevision_changesNothing() {
    delayed(1, "ns", "d");
    ItemId id = new ItemId("ns", "d0");
    QueuedItem before = kit.await(kit.handle().item(id)).orElseThrow();
    kit.await(kit.handle().requeue(id, before.rev(), Duration.ofMinutes(1)));
    ActionResult stale = kit.await(kit.handle().drop(id, before.rev()));
    assertThat(stale).isInstanceOf(ActionResult.Changed.class);
    assertThat(kit.await(kit.handle().item(id))).isPresent();
  }

  @Test
  void dryRun_countsAndChangesNothing() {
    delayed(30, "a", "d");
    delayed(12, "b", "gone");
    BulkResult preview = bulk(Action.FLUSH, ItemFilter.ALL, true, 1_000, Then.RELIST);
    assertThat(preview.matched()).isEqualTo(42);
    assertThat(preview.changed()).isZero();
    assertThat(preview.relisted()).isEqualTo(30);
    assertThat(preview.notRelisted()).isEqualTo(12);
    assertThat(preview.byPhase()).isEqualTo(Map.of(Phase.DELAYED, 42));
    assertThat(preview.byNamespace()).isEqualTo(Map.of("a", 30, "b", 12));
    assertThat(preview.sample()).hasSize(10);
    assertThat(kit.counters().total()).isEqualTo(42);
  }

  @Test
  void flush_thenNone_removesWhatMatches_andNothingYounger() {
    delayed(1_500, "a", "d");
    long asOf = bulk(Action.FLUSH, ItemFilter.ALL, true, 10_000, Then.NONE).asOfSeq();
    delayed(7, "a", "younger");
    BulkResult result =
        bulk(Action.FLUSH, ItemFilter.ALL.withMaxSeq(asOf), false, 10_000, Then.NONE);
    assertThat(result.changed()).isEqualTo(1_500);
    assertThat(kit.counters().total()).isEqualTo(7);
  }

  @Test
  void flush_thenRelist_addsAgainWhatStillExists() {
    kit.add(Request.of("a", "bad"));
    kit.add(Request.of("a", "bad-gone"));
    int before = kit.telemetry().started();
    BulkResult result = bulk(Action.FLUSH, ItemFilter.ALL, false, 10, Then.RELIST);
    assertThat(result.changed()).isEqualTo(2);
    assertThat(result.relisted()).isEqualTo(1);
    time.settle();
    assertThat(kit.telemetry().started()).isEqualTo(before + 1);
    QueuedItem item = kit.await(kit.handle().item(new ItemId("a", "bad"))).orElseThrow();
    assertThat(item.failures()).as("forgotten by the flush").isEqualTo(1);
  }

  @Test
  void moreThanMaxAffected_abortsBeforeTheFirstChange() {
    delayed(20, "a", "d");
    BulkResult result = bulk(Action.FLUSH, ItemFilter.ALL, false, 19, Then.NONE);
    assertThat(result.ending()).isEqualTo(BulkResult.Ending.TOO_MANY);
    assertThat(result.matched()).isEqualTo(20);
    assertThat(result.changed()).isZero();
    assertThat(kit.counters().total()).isEqualTo(20);
  }

  @Test
  void bulkRetrySpread_comesBackOverTheGivenTime() {
    delayed(100, "a", "d");
    BulkRequest request =
        new BulkRequest(
            Action.RETRY,
            ItemFilter.ALL,
            false,
            1_000,
            false,
            false,
            Then.NONE,
            Duration.ZERO,
            Duration.ofSeconds(10));
    assertThat(kit.await(kit.handle().bulk(request)).changed()).isEqualTo(100);
    int begun = kit.telemetry().started();
    time.advance(Duration.ofSeconds(5));
    assertThat(kit.telemetry().started() - begun).isBetween(49, 51);
    time.advance(Duration.ofSeconds(5));
    assertThat(kit.telemetry().started() - begun).isBetween(99, 100);
  }

  @Test
  void bulkForget_resetsFailures_keepsTimes() {
    for (int i = 0; i < 3; i++) {
      kit.add(Request.of("a", "bad" + i));
    }
    delayed(2, "a", "good");
    Map<String, Object> before = times();
    BulkResult result = bulk(Action.FORGET, ItemFilter.ALL, false, 100, Then.NONE);
    assertThat(result.changed()).isEqualTo(3);
    assertThat(result.skipped()).containsEntry("has not failed", 2);
    assertThat(kit.counters().failing()).isZero();
    assertThat(times()).isEqualTo(before);
  }

  private Map<String, Object> times() {
    Map<String, Object> times = new HashMap<>();
    for (QueuedItem item : walk(ItemFilter.ALL, 100, () -> {})) {
      times.put(item.name(), java.util.Objects.requireNonNull(item.nextAttemptAt()));
    }
    return times;
  }

  private BulkResult bulk(
      Action action, ItemFilter filter, boolean dryRun, int maxAffected, Then then) {
    return kit.await(
        kit.handle()
            .bulk(
                new BulkRequest(
                    action,
                    filter,
                    dryRun,
                    maxAffected,
                    false,
                    false,
                    then,
                    Duration.ZERO,
                    Duration.ZERO)));
  }
}
