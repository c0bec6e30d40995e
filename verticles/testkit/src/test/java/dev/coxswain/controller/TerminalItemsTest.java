// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.BulkRequest.Action;
import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.TerminalException;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueueSnapshot;
import dev.coxswain.view.QueuedItem;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * An item that failed terminally used to be nowhere: {@code failing} was 0, and its explanation was
 * that of a healthy one.
 */
class TerminalItemsTest {
  private final VirtualTime time = new VirtualTime();
  private final Set<String> terminal = new HashSet<>();
  private final Set<String> failing = new HashSet<>();
  private final ControllerTestKit<Request> kit =
      ControllerTestKit.of(
          Controller.named("picky")
              .options(options -> options.withConcurrency(100))
              .reconciles(this::reconcile),
          time);

  private Result reconcile(Request request, ReconcileContext context) throws Exception {
    if (failing.contains(request.name())) {
      throw new IllegalStateException("not yet");
    }
    if (terminal.contains(request.name())) {
      throw new TerminalException("mode is not supported");
    }
    return Result.done();
  }

  private void fail(String... names) {
    for (String name : names) {
      terminal.add(name);
      kit.add(Request.of("ns", name));
    }
    time.settle();
  }

  private QueuedItem item(String name) {
    return kit.await(kit.handle().item(new ItemId("ns", name))).orElseThrow();
  }

  private Explanation explain(String name) {
    return kit.await(kit.handle().explain(new ItemId("ns", name)));
  }

  private List<QueuedItem> list(ItemFilter filter) {
    return kit.await(kit.handle().list(filter, null, 500)).items();
  }

  private static ItemFilter in(Phase phase) {
    return ItemFilter.ALL.withPhases(Set.of(phase));
  }

  private BulkResult bulk(Action action, ItemFilter filter, Duration spread) {
    return kit.await(
        kit.handle()
            .bulk(
                new BulkRequest(
                    action,
                    filter,
                    false,
                    10_000,
                    false,
                    false,
                    Then.NONE,
                    Duration.ZERO,
                    spread)));
  }

  @Test
  void aTerminalFailure_staysVisible_andCountsAsFailing_butNotAsWork() {
    Instant now = time.instant();
    fail("a");

    QueuedItem item = item("a");
    assertThat(item.phase()).isEqualTo(Phase.TERMINAL);
    assertThat(item.failing()).isTrue();
    assertThat(item.failures()).isEqualTo(1);
    assertThat(item.since()).isEqualTo(now);
    assertThat(item.lastError()).isEqualTo("TerminalException: mode is not supported");
    assertThat(item.lastErrorAt()).isEqualTo(now);
    assertThat(item.trigger()).isEqualTo(Trigger.EVENT);
    QueueSnapshot counters = kit.counters();
    assertThat(counters.failing()).isEqualTo(1);
    assertThat(counters.terminal()).isEqualTo(1);
    assertThat(counters.total()).isZero();
    assertThat(list(ItemFilter.ALL.withFailing(true))).hasSize(1);
    assertThat(list(in(Phase.TERMINAL))).extracting(QueuedItem::name).containsExactly("a");
    assertThat(list(ItemFilter.ALL.withFailing(false))).isEmpty();
    Explanation why = explain("a");
    assertThat(why.reason().label()).isEqualTo("terminal");
    assertThat(why.endedAt()).isEqualTo(now);
    assertThat(why.message()).contains("Fix the cause", "retry");
  }

  @Test
  void itsFailures_areAllSinceTheLastSuccess() {
    failing.add("a");
    kit.add(Request.of("ns", "a"));
    time.advance(Duration.ofMillis(5)); // two failures
    failing.remove("a");
    terminal.add("a");
    time.advance(Duration.ofSeconds(1));
    assertThat(item("a").failures()).isEqualTo(3);

    kit.add(Request.of("ns", "a"));
    assertThat(item("a").failures()).isEqualTo(4);
    terminal.clear();
    kit.add(Request.of("ns", "a"));
    fail("a");
    assertThat(item("a").failures()).as("after a success").isEqualTo(1);
  }

  @Test
  void aLaterEvent_takesTheRecordAway_andASuccessLeavesNone() {
    fail("a");
    terminal.clear();
    kit.add(Request.of("ns", "a"));
    assertThat(kit.await(kit.handle().item(new ItemId("ns", "a")))).isEmpty();
    assertThat(kit.counters().failing()).isZero();
    assertThat(explain("a").reason().label()).isEqualTo("succeeded");
  }

  @Test
  void oneCanBeRetried_forgotten_dropped_andRequeued() {
    fail("a", "b", "c", "d");
    terminal.clear();
    int started = kit.telemetry().started();

    ActionResult retried = kit.await(kit.handle().retry(new ItemId("ns", "a"), null));
    assertThat(retried).isInstanceOf(ActionResult.Applied.class);
    time.settle();
    assertThat(kit.telemetry().started()).isEqualTo(started + 1);
    kit.await(kit.handle().forget(new ItemId("ns", "b"), null, false));
    kit.await(kit.handle().drop(new ItemId("ns", "c"), null, "anna", ""));
    kit.await(kit.handle().requeue(new ItemId("ns", "d"), null, Duration.ofMinutes(1)));

    assertThat(kit.counters().terminal()).isZero();
    assertThat(kit.counters().failing()).isZero();
    assertThat(item("d").phase()).isEqualTo(Phase.DELAYED);
    assertThat(explain("c").reason().label()).isEqualTo("dropped");
    assertThat(kit.telemetry().started()).isEqualTo(started + 1);
  }

  @Test
  void aSuccessBeforeATerminalFailure_isNotShownAgain_whenTheRecordIsForgotten() {
    kit.add(Request.of("ns", "a"));
    time.settle();
    assertThat(explain("a").reason().label()).isEqualTo("succeeded");
    fail("a");

    kit.await(kit.handle().forget(new ItemId("ns", "a"), null, false));

    assertThat(explain("a").reason().label()).isEqualTo("notTracked");
  }

  @Test
  void allCanBeRetried_spreadOverATime() {
    String[] names = new String[100];
    for (int i = 0; i < names.length; i++) {
      names[i] = "t" + i;
    }
    fail(names);
    terminal.clear();
    int started = kit.telemetry().started();

    BulkResult result = bulk(Action.RETRY, in(Phase.TERMINAL), Duration.ofSeconds(10));

    assertThat(result.changed()).isEqualTo(100);
    time.settle();
    assertThat(kit.telemetry().started() - started).isBetween(1, 2);
    time.advance(Duration.ofSeconds(10));
    assertThat(kit.telemetry().started() - started).isEqualTo(100);
    assertThat(kit.counters().failing()).isZero();
  }

  @Test
  void moreThanAreKept_theOldestGivesWay_counted() {
    for (int i = 0; i < 5_003; i++) {
      terminal.add("t" + i);
      kit.sink().add(Request.of("ns", "t" + i));
      if (i % 100 == 0) {
        time.settle();
      }
    }
    time.settle();

    assertThat(kit.counters().terminal()).isEqualTo(5_000);
    assertThat(kit.counters().terminalEvicted()).isEqualTo(3);
    assertThat(kit.await(kit.handle().item(new ItemId("ns", "t0")))).isEmpty();
    assertThat(item("t5002").phase()).isEqualTo(Phase.TERMINAL);
  }

  @Test
  void anEventDuringTheAttempt_runsItOnceMore() {
    terminal.add("a");
    kit.sink().add(Request.of("ns", "a"));
    kit.sink().add(Request.of("ns", "a"));
    time.settle();
    assertThat(item("a").phase()).isEqualTo(Phase.TERMINAL);
    assertThat(kit.counters().failing()).isEqualTo(1);
  }
}
