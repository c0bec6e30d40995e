// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Composition;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.CauseSnapshot;
import dev.coxswain.view.ControllerStatus.Pause;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.QueuedItem;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** "Pause what fails of this": no retries of one cause, and all else goes on. */
class PausedCausesTest {
  private static final Duration LONG = Duration.ofHours(2);

  private final VirtualTime time = new VirtualTime();
  private final Map<String, String> failures = new HashMap<>();
  private final List<String> attempts = new ArrayList<>();
  private final ControllerTestKit<Request> kit =
      ControllerTestKit.of(
          Controller.named("paused")
              .options(options -> options.withConcurrency(4))
              .reconciles(this::reconcile),
          time);

  private synchronized Result reconcile(Request request, ReconcileContext context) {
    attempts.add(request.name() + " " + context.trigger());
    String failure = failures.get(request.name());
    if (failure != null) {
      throw new IllegalStateException(failure);
    }
    return Result.done();
  }

  private void fails(String name, String message) {
    failures.put(name, message);
    kit.add(Request.of("ns", name));
    time.settle();
  }

  private FailurePattern cause(String message) {
    return kit.await(kit.handle().causes()).stream()
        .map(CauseSnapshot::pattern)
        .filter(pattern -> pattern.message().equals(message))
        .findFirst()
        .orElseThrow();
  }

  private Pause until(Duration duration) {
    Instant now = time.instant();
    return new Pause("INC-1", "me", now, duration.isNegative() ? null : now.plus(duration));
  }

  private Pause endless() {
    return until(Duration.ofNanos(-1));
  }

  private void pause(FailurePattern cause, Pause pause) {
    kit.await(kit.handle().pauseCauses(Map.of(cause, pause)));
    time.settle();
  }

  private void resume() {
    kit.await(kit.handle().pauseCauses(Map.of()));
    time.settle();
  }

  /** Returns how many attempts of an object have begun since the last call. */
  private long attemptsOf(String name) {
    long count = attempts.stream().filter(one -> one.startsWith(name + " ")).count();
    attempts.removeIf(one -> one.startsWith(name + " "));
    return count;
  }

  private QueuedItem item(String name) {
    return kit.await(kit.handle().item(new ItemId("ns", name))).orElseThrow();
  }

  private Explanation explain(String name) {
    return kit.await(kit.handle().explain(new ItemId("ns", name)));
  }

  @Test
  void whatFailsOfAPausedCause_isNotRetried_andTheOthersAre() {
    fails("first", "no quota");
    fails("second", "vendor is down");
    pause(cause("no quota"), endless());
    attempts.clear();
    time.advance(LONG);
    assertThat(attemptsOf("first")).isZero();
    assertThat(attemptsOf("second")).isGreaterThan(5);
    assertThat(item("first").held()).isTrue();
    assertThat(item("first").nextAttemptAt()).isNull();
    assertThat(item("second").held()).isFalse();
    assertThat(kit.handle().snapshot().failing()).isEqualTo(2);
  }

  @Test
  void anEvent_andAnOperatorsRetry_startAnAttempt_becauseThatMayBeTheRepair() {
    fails("one", "no quota");
    fails("two", "no quota");
    pause(cause("no quota"), endless());
    time.advance(LONG);
    attempts.clear();
    kit.add(Request.of("ns", "one"));
    time.settle();
    assertThat(attempts).containsExactly("one " + Trigger.EVENT);
    failures.clear();
    kit.await(kit.handle().retry(new ItemId("ns", "two"), null));
    time.settle();
    assertThat(attempts).containsExactly("one " + Trigger.EVENT, "two " + Trigger.OPERATOR);
    assertThat(kit.await(kit.handle().item(new ItemId("ns", "two")))).isEmpty();
    assertThat(item("one").held()).as("it has failed of the same again").isTrue();
  }

  @Test
  void aPauseEndsAtItsTime_andItsItemsAreRetriedThen() {
    fails("one", "no quota");
    pause(cause("no quota"), until(Duration.ofMinutes(30)));
    attempts.clear();
    time.advance(Duration.ofMinutes(29));
    assertThat(attempts).isEmpty();
    assertThat(explain("one").expectedStart())
        .isEqualTo(
            Objects.requireNonNull(kit.handle().status().pausedCauses().get(cause("no quota")))
                .until());
    time.advance(Duration.ofMinutes(1));
    assertThat(attempts).containsExactly("one " + Trigger.RETRY);
    assertThat(kit.handle().status().pausedCauses()).isEmpty();
  }

  @Test
  void aPauseThatIsEnded_makesDueWhatWasDue_andLeavesALaterTime() {
    fails("due", "no quota");
    fails("moved", "no quota");
    pause(cause("no quota"), endless());
    kit.await(kit.handle().requeue(new ItemId("ns", "moved"), null, Duration.ofHours(3)));
    time.advance(LONG);
    attempts.clear();
    resume();
    assertThat(attempts).containsExactly("due " + Trigger.RETRY);
    time.advance(Duration.ofMinutes(61));
    assertThat(attemptsOf("moved")).isPositive();
  }

  @Test
  void anotherPauseOfTheSameCause_replacesItsEnd_forWhatIsHeldAlready() {
    fails("one", "no quota");
    FailurePattern cause = cause("no quota");
    pause(cause, endless());
    time.advance(LONG);
    attempts.clear();
    pause(cause, until(Duration.ofMinutes(10)));
    assertThat(attempts).isEmpty();
    time.advance(Duration.ofMinutes(10));
    assertThat(attempts).containsExactly("one " + Trigger.RETRY);
  }

  @Test
  void aPauseHolds_beforeItsCauseIsSeen_andIsKeptWithoutItems() {
    fails("one", "no quota");
    FailurePattern cause = cause("no quota");
    failures.clear();
    kit.add(Request.of("ns", "one"));
    time.settle();
    pause(cause, endless());
    time.advance(Duration.ofDays(3));
    fails("other", "no quota");
    attempts.clear();
    time.advance(LONG);
    assertThat(attempts).isEmpty();
    assertThat(kit.await(kit.handle().causes()))
        .singleElement()
        .satisfies(
            one -> assertThat(Objects.requireNonNull(one.pause()).reason()).isEqualTo("INC-1"));
  }

  @Test
  void theExplanation_hasThePause_itsReason_andWhatStartsAnAttempt() {
    fails("one", "no quota");
    pause(cause("no quota"), endless());
    Explanation explanation = explain("one");
    assertThat(explanation.reason()).isEqualTo(Explanation.Reason.CAUSE_PAUSED);
    assertThat(explanation.message())
        .contains(
            cause("no quota").id(), "paused by me", "(INC-1)", "A change of the object starts");
    assertThat(explanation.expectedStart()).isNull();
  }

  @Test
  void aHeldItemWhoseFailuresAreForgotten_isNoLongerHeld_andIsNotLost() {
    fails("one", "no quota");
    pause(cause("no quota"), endless());
    time.advance(LONG);
    attempts.clear();
    failures.clear();
    kit.await(kit.handle().forget(new ItemId("ns", "one"), null, false));
    time.advance(Duration.ofMinutes(1));
    assertThat(attemptsOf("one")).isPositive();
    assertThat(kit.handle().snapshot().total()).isZero();
  }

  /** Without a limit of retries they are ready, and not delayed, when they are due. */
  @Test
  void aRetryThatIsReady_whenItsCauseIsPaused_isStartedByAnEvent_orAnOperator() {
    Promise<Result> busy = Promise.promise();
    ControllerTestKit<Request> ready =
        ControllerTestKit.of(
            Controller.named("ready")
                .options(
                    options -> options.withConcurrency(1).withComposition(Composition.BACKOFF_ONLY))
                .reconcilesAsync((request, context) -> {
                  attempts.add(request.name() + " " + context.trigger());
                  return request.name().equals("busy")
                      ? busy.future()
                      : failures.isEmpty()
                          ? Future.succeededFuture(Result.done())
                          : Future.failedFuture(new IllegalStateException("no quota"));
                }),
            time);
    failures.put("all", "no quota");
    List.of("one", "two", "three").forEach(name -> ready.add(Request.of("ns", name)));
    ready.add(Request.of("ns", "busy"));
    time.settle();
    time.advance(Duration.ofMinutes(1));
    assertThat(ready.handle().snapshot().ready())
        .as("due, behind the one that takes long")
        .isEqualTo(3);
    FailurePattern cause = ready.await(ready.handle().causes()).getFirst().pattern();
    ready.await(ready.handle().pauseCauses(Map.of(cause, endless())));
    attempts.clear();
    failures.clear();
    ready.add(Request.of("ns", "one"));
    ready.await(ready.handle().retry(new ItemId("ns", "two"), null));
    busy.complete(Result.done());
    time.advance(LONG);
    assertThat(attempts)
        .containsExactlyInAnyOrder("one " + Trigger.EVENT, "two " + Trigger.OPERATOR);
  }

  /** Pauses come and go at random; nothing is retried in one, and nothing is lost by any. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void pausesThatComeAndGo_holdWhatTheyName_andLeaveNothingBehind(long seed) {
    Random random = new Random(seed);
    List<String> messages = List.of("a", "b", "c");
    IntStream.range(0, 30).forEach(i -> fails("o" + i, messages.get(i % messages.size())));
    List<FailurePattern> causes = messages.stream().map(this::cause).toList();
    for (int round = 0; round < 20; round++) {
      Map<FailurePattern, Pause> pauses = new HashMap<>();
      for (FailurePattern cause : causes) {
        if (random.nextBoolean()) {
          pauses.put(
              cause,
              random.nextBoolean() ? endless() : until(Duration.ofMinutes(1 + random.nextInt(90))));
        }
      }
      kit.await(kit.handle().pauseCauses(pauses));
      time.settle();
      attempts.clear();
      time.advance(Duration.ofSeconds(30));
      List<String> held = pauses.keySet().stream().map(FailurePattern::message).toList();
      assertThat(attempts)
          .as("seed %s, round %s", seed, round)
          .noneMatch(one -> held.contains(failures.get(one.substring(0, one.indexOf(' ')))));
      time.advance(Duration.ofMinutes(random.nextInt(60)));
    }
    resume();
    attempts.clear();
    time.advance(Duration.ofHours(2));
    assertThat(
            new TreeSet<>(
                attempts.stream().map(one -> one.substring(0, one.indexOf(' '))).toList()))
        .as("seed %s", seed)
        .isEqualTo(new TreeSet<>(failures.keySet()));
  }
}
