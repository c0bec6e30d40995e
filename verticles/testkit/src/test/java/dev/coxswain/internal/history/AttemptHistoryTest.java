// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.history;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Trigger;
import dev.coxswain.view.PastAttempt;
import dev.coxswain.view.PastAttempt.Outcome;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AttemptHistoryTest {
  private final HistoryBudget requests = new HistoryBudget(10_000);
  private final HistoryBudget attempts = new HistoryBudget(2_000);
  private final AttemptHistory<Integer> history = new AttemptHistory<>(requests, attempts);
  private long now;

  private void add(AttemptHistory<Integer> to, int key, Outcome outcome) {
    now++;
    String error = outcome.failed() ? "no " + now : null;
    to.add(
        HistoryEntry.attempt(
            key,
            now,
            now,
            new HistoryEntry.Times(0, 0, 0),
            outcome,
            Trigger.EVENT,
            0,
            null,
            error,
            null,
            ""));
  }

  private void add(int key, Outcome outcome) {
    add(history, key, outcome);
  }

  private static List<Long> numbers(AttemptHistory<Integer> of, int key) {
    return of.of(key).stream().map(PastAttempt::attempt).toList();
  }

  private static int kept(AttemptHistory<Integer> of, int keys) {
    return (int) IntStream.range(0, keys).filter(key -> !of.of(key).isEmpty()).count();
  }

  /** The rule, in other words: the last twenty while one of them failed, otherwise one. */
  private static void follow(Deque<PastAttempt> all, PastAttempt newest) {
    all.addFirst(newest);
    if (all.size() > PastAttempt.MAX) {
      all.removeLast();
    }
    if (all.stream().noneMatch(one -> one.outcome().failed())) {
      all.clear();
      all.add(newest);
    }
  }

  @Test
  void theLastAttempts_areKeptOfARequestThatHasFailed_andOneOfEachOther() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Map<Integer, Deque<PastAttempt>> model = new HashMap<>();
    for (int i = 0; i < 4_000; i++) {
      int key = random.nextInt(60);
      // Rows: some requests never fail, some always do, the others sometimes.
      Outcome outcome =
          key < 20 || key >= 40 && random.nextInt(15) > 0 ? Outcome.SUCCESS : Outcome.ERROR;
      add(key, outcome);
      PastAttempt newest = history.of(key).getFirst();
      Deque<PastAttempt> expected = model.computeIfAbsent(key, _ -> new ArrayDeque<>());
      follow(expected, newest);
      assertThat(history.of(key))
          .as("request %d, seed %d", key, seed)
          .containsExactlyElementsOf(expected);
    }
    history.close();
    assertThat(requests.left()).isEqualTo(10_000);
    assertThat(attempts.left()).isEqualTo(2_000);
  }

  @Test
  void withoutBudget_theOldestIsEvicted_andThoseThatHaveFailedLast() {
    AttemptHistory<Integer> small = new AttemptHistory<>(new HistoryBudget(0), attempts);
    for (int i = 0; i < 100; i++) {
      add(small, i, Outcome.ERROR);
    }
    assertThat(small.completeAfter()).isNull();
    for (int i = 1_000; i < 101_000; i++) {
      add(small, i, Outcome.SUCCESS);
    }
    assertThat(kept(small, 100)).as("failures").isEqualTo(100);
    assertThat(kept(small, 101_000)).isBetween(450, AttemptHistory.LEAST);
    Long complete = small.completeAfter();
    assertThat(complete).isNotNull();
    for (int i = 1_000; i < 101_000; i++) {
      // The first hundred times are those of the failures.
      if (i - 1_000 + 101 > complete) {
        assertThat(small.of(i)).as("after the last eviction").hasSize(1);
      }
    }
  }

  @Test
  void requestsBeyondTheBudget_areNotKept_norAttempts() {
    for (int round = 0; round < 5; round++) {
      for (int i = 0; i < 30_000; i++) {
        add(i, Outcome.ERROR);
      }
    }
    assertThat(requests.left()).isNotNegative().isLessThan(2_600);
    assertThat(attempts.left()).isNotNegative();
    int kept = kept(history, 30_000);
    assertThat(kept).isBetween(6_000, 10_000 + AttemptHistory.LEAST);
    long all = IntStream.range(0, 30_000).mapToLong(key -> history.of(key).size()).sum();
    assertThat(all - kept).as("earlier attempts").isEqualTo(2_000 - attempts.left());
    history.close();
    assertThat(requests.left()).isEqualTo(10_000);
    assertThat(attempts.left()).isEqualTo(2_000);
  }

  @Test
  void oneWithManyRequests_leavesPlacesToOthers() {
    for (int i = 0; i < 50_000; i++) {
      add(i, Outcome.SUCCESS);
    }
    AttemptHistory<Integer> other = new AttemptHistory<>(requests, attempts);
    for (int i = 0; i < 1_200; i++) {
      add(other, i, Outcome.SUCCESS);
    }
    assertThat(kept(other, 1_200)).isGreaterThan(1_000);
  }

  @Test
  void requestsThatAreRemoved_takeNoOtherWithThem() {
    IntPredicate removed = key -> key % 3 == 0;
    Set<Integer> before = new HashSet<>();
    for (int i = 0; i < 3_000; i++) {
      add(i, Outcome.ERROR);
      add(i, Outcome.SUCCESS);
    }
    IntStream.range(0, 3_000).filter(key -> !history.of(key).isEmpty()).forEach(before::add);
    for (int step = 0; step < AttemptHistory.STEPS; step++) {
      history.remove(step, removed::test);
    }
    long all = 0;
    for (int i = 0; i < 3_000; i++) {
      List<PastAttempt> left = history.of(i);
      assertThat(!left.isEmpty())
          .as("request %d", i)
          .isEqualTo(before.contains(i) && !removed.test(i));
      all += Math.max(0, left.size() - 1);
    }
    assertThat(all).isEqualTo(2_000 - attempts.left());
  }

  @Test
  void attemptsOfAnotherReplica_areMergedByTime_andStayInBounds() {
    add(7, Outcome.SUCCESS);
    now = 10;
    add(7, Outcome.ERROR);
    PastAttempt here = history.of(7).getFirst();
    List<PastAttempt> moved = new ArrayList<>();
    for (int at = 100; at < 118; at++) {
      moved.add(
          new PastAttempt(
              at,
              Instant.ofEpochMilli(at),
              here.took(),
              here.ready(),
              here.token(),
              Outcome.ERROR,
              Trigger.RETRY,
              null,
              3,
              "no",
              "cause",
              "",
              null,
              null,
              "other"));
    }
    history.restore(7, moved.reversed());
    assertThat(history.of(7)).hasSize(PastAttempt.MAX);
    assertThat(numbers(history, 7)).startsWith(117L, 116L).endsWith(100L, 11L, 1L);
    assertThat(history.of(7).getFirst()).isEqualTo(moved.getLast());
    for (int i = 0; i < 50; i++) {
      add(7, Outcome.ERROR);
      add(8, Outcome.ERROR);
      assertThat(history.of(7)).hasSize(PastAttempt.MAX);
    }
    assertThat(attempts.left()).isEqualTo(2_000 - 2 * (PastAttempt.MAX - 1));
  }

  @Test
  void attemptThatEndsAfterTheController_takesNothingFromTheOthers() {
    history.close();
    for (int i = 0; i < 5_000; i++) {
      add(i, Outcome.ERROR);
    }
    assertThat(kept(history, 5_000)).isZero();
    assertThat(requests.left()).isEqualTo(10_000);
    assertThat(attempts.left()).isEqualTo(2_000);
  }

  /** A namespace and a name may have been chosen so. */
  @Test
  void requestsWithOneHash_leaveTheBudgetToOthers() {
    AttemptHistory<Object> hit = new AttemptHistory<>(requests, attempts);
    record Same(int number) {
      @Override
      public int hashCode() {
        return 7;
      }
    }
    for (int i = 0; i < 1_000; i++) {
      hit.add(HistoryEntry.removal(new Same(i), i, new HistoryEntry.Removal(false, "anna", "")));
    }
    assertThat(requests.left()).isGreaterThanOrEqualTo(10_000 - 4_096);
    assertThat(hit.of(new Same(999))).hasSize(1);
  }

  @Test
  void requestWhoseHashCodeThrows_isNotKept() {
    AttemptHistory<Object> broken = new AttemptHistory<>(requests, attempts);
    Object key =
        new Object() {
          @Override
          public int hashCode() {
            throw new IllegalStateException("no hash");
          }

          @Override
          public boolean equals(Object other) {
            return this == other;
          }
        };
    broken.add(HistoryEntry.removal(key, 1, new HistoryEntry.Removal(false, "anna", "")));
    assertThat(broken.of(key)).isEmpty();
    broken.restore(key, List.of());
  }
}
