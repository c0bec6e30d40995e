// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.internal.cause.FailureCauses;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.TerminalException;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.CauseSnapshot;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.QueuedItem;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** With ten thousand failing objects the question is of how many causes, and of which first. */
class CausesTest {
  private final VirtualTime time = new VirtualTime();
  private final Map<String, Supplier<Exception>> failures = new HashMap<>();
  private final ControllerTestKit<Request> kit =
      ControllerTestKit.of(
          Controller.named("causes")
              .options(options -> options.withConcurrency(4))
              .reconciles(this::reconcile),
          time);

  private Result reconcile(Request request, ReconcileContext context) throws Exception {
    Supplier<Exception> failure = failures.get(request.name());
    if (failure != null) {
      throw failure.get();
    }
    return Result.done();
  }

  private void fails(String name, String message) {
    failures.put(name, () -> new IllegalStateException(message));
    kit.add(Request.of("ns", name));
    time.settle();
  }

  private List<CauseSnapshot> causes() {
    return kit.await(kit.handle().causes());
  }

  private CauseSnapshot cause(String message) {
    return causes().stream()
        .filter(cause -> cause.pattern().message().equals(message))
        .findFirst()
        .orElseThrow();
  }

  private List<String> names(ItemFilter filter) {
    return kit.await(kit.handle().list(filter, null, 500)).items().stream()
        .map(QueuedItem::name)
        .toList();
  }

  @Test
  void objectsThatFailOfTheSame_areItemsOfOneCause_byWhichTheyAreSelected() {
    fails("one", "no quota for one");
    fails("two", "no quota for two");
    fails("three", "timeout after 17 ms");
    assertThat(cause("no quota for <name>").items()).isEqualTo(2);
    assertThat(cause("timeout after # ms").items()).isEqualTo(1);
    assertThat(cause("no quota for <name>").samples())
        .containsExactlyInAnyOrder(new ItemId("ns", "one"), new ItemId("ns", "two"));
    String id = cause("no quota for <name>").id();
    assertThat(names(ItemFilter.ALL.withCause(id))).containsExactlyInAnyOrder("one", "two");
    assertThat(kit.await(kit.handle().item(new ItemId("ns", "one"))).orElseThrow().cause())
        .isEqualTo(id);
  }

  @Test
  void aBulkRetryOfOneCause_leavesTheOthersAlone() {
    fails("one", "no quota for one");
    fails("two", "timeout after 17 ms");
    failures.clear();
    String id = cause("no quota for <name>").id();
    kit.await(
        kit.handle()
            .bulk(BulkRequests.of(BulkRequest.Action.RETRY, ItemFilter.ALL.withCause(id), 100)));
    time.settle();
    assertThat(names(ItemFilter.ALL.withFailing(true))).containsExactly("two");
  }

  @Test
  void anItemThatFailsOfAnotherCause_orRecovers_isNoLongerCounted() {
    fails("one", "first");
    failures.put("one", () -> new IllegalStateException("second"));
    time.advance(Duration.ofMinutes(1));
    assertThat(cause("first").items()).isZero();
    assertThat(cause("second").items()).isEqualTo(1);
    failures.clear();
    time.advance(Duration.ofHours(1));
    assertThat(cause("second").items()).isZero();
  }

  @Test
  void terminalItems_areCountedUntilTheyAreForgotten() {
    failures.put("one", () -> new TerminalException("never"));
    kit.add(Request.of("ns", "one"));
    time.settle();
    assertThat(cause("never").items()).isEqualTo(1);
    kit.await(kit.handle().drop(new ItemId("ns", "one"), null));
    assertThat(cause("never").items()).isZero();
  }

  @Test
  void aCauseWithoutItems_isKeptForADay() {
    fails("one", "first");
    failures.clear();
    time.advance(FailureCauses.KEPT.minusHours(1));
    assertThat(cause("first").failures()).isPositive();
    time.advance(Duration.ofHours(3));
    assertThat(causes()).isEmpty();
  }

  @Test
  void anExceptionThatReturnsNoStackTrace_isAFailureLikeOthers() {
    failures.put("one", Mocked::new);
    kit.add(Request.of("ns", "one"));
    time.settle();
    assertThat(causes().getFirst().items()).isEqualTo(1);
    failures.clear();
    time.advance(Duration.ofMinutes(1));
    assertThat(causes().getFirst().items()).as("it was retried").isZero();
  }

  private static final class Mocked extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    @SuppressWarnings("NullAway") // as mocked exceptions do
    public StackTraceElement[] getStackTrace() {
      return null;
    }
  }

  @Test
  void theTrend_hasTheFailuresOfTheLastHour_andTheirSum() {
    fails("one", "first");
    long before = cause("first").failures();
    assertThat(sum(cause("first"))).isEqualTo(before);
    time.advance(Duration.ofMinutes(30));
    CauseSnapshot after = cause("first");
    assertThat(sum(after)).isEqualTo(after.failures());
    assertThat(after.trend().getLast()).isLessThan((int) after.failures());
    failures.clear();
    time.advance(Duration.ofHours(2));
    assertThat(sum(cause("first"))).isZero();
  }

  private static long sum(CauseSnapshot cause) {
    return cause.trend().stream().mapToLong(Integer::longValue).sum();
  }

  @Test
  void moreCausesThanAreKept_areCountedTogether_andNoItemIsLost() {
    int extra = 50;
    for (int i = 0; i < FailureCauses.MAX + extra; i++) {
      fails("n" + i, "cause " + word(i));
    }
    List<CauseSnapshot> all = causes();
    assertThat(all).hasSize(FailureCauses.MAX + 1);
    assertThat(all.stream().mapToInt(CauseSnapshot::items).sum())
        .isEqualTo(FailureCauses.MAX + extra);
    assertThat(cause(FailurePattern.OTHER.message()).items()).isEqualTo(extra);
  }

  @Test
  void onlyTheLatestCauses_haveAStack() {
    fails("first", "cause first");
    for (int i = 0; i < FailureCauses.MAX_STACKS; i++) {
      fails("n" + i, "cause " + word(i));
    }
    assertThat(causes().stream().filter(cause -> cause.stack() != null))
        .hasSize(FailureCauses.MAX_STACKS);
    assertThat(cause("cause <name>").stack()).isNull();
  }

  /** Returns a word of letters only, another one for each number. */
  private static String word(int number) {
    StringBuilder word = new StringBuilder("w");
    for (int rest = number; rest > 0; rest /= 20) {
      word.append((char) ('a' + rest % 20));
    }
    return word.toString();
  }
}
