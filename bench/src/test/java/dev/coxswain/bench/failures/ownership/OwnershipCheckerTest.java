// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.ownership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.reconcile.Trigger;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Each promise, kept and broken: a checker that finds nothing in the second case proves nothing. */
class OwnershipCheckerTest {
  private static final long NONE = Attempt.NEVER;

  @Test
  void handOver_afterTheLastTimeToWrite_isNoOverlap() {
    assertThat(checker(attempt("r0-1", 5, 10).mayWrite(19), attempt("r1-1", 6, 20)).overlaps())
        .isEmpty();
  }

  @Test
  void anAttemptThatMayWrite_whenANewerEpochHasBegun_isAnOverlap() {
    assertThat(checker(attempt("r0-1", 5, 10).mayWrite(20), attempt("r1-1", 6, 20)).overlaps())
        .hasSize(1);
  }

  @Test
  void anOldEpochThatBeginsAfterTheNewOne_andMayWrite_isAnOverlap() {
    assertThat(checker(attempt("r0-1", 5, 30).mayWrite(31), attempt("r1-1", 6, 20)).overlaps())
        .hasSize(1);
  }

  @Test
  void anAttemptThatWakesUp_andMayNotWrite_isNoOverlap() {
    assertThat(
            checker(
                    attempt("r0-1", 5, 10).mayWrite(11).end(500).refused(),
                    attempt("r1-1", 6, 20).mayWrite(30))
                .overlaps())
        .isEmpty();
  }

  @Test
  void withoutEpochs_theLaterBeginIsTheNewerOwner() {
    Sample old = attempt("r0-1", 0, 10).written(25, 7);
    assertThat(checker(old, attempt("r1-1", 0, 20)).overlaps()).hasSize(1);
    assertThat(checker(old, attempt("r0-1", 0, 20)).overlaps()).isEmpty();
    assertThat(checker(old, attempt("r1-1", 0, 26)).overlaps()).isEmpty();
  }

  @Test
  void anOldIncarnationOfTheSameProcess_countsAsAnotherOwner() {
    assertThat(checker(attempt("r0-1", 5, 10).mayWrite(40), attempt("r0-1", 7, 30)).overlaps())
        .hasSize(1);
  }

  @Test
  void oneEpochWithTwoProcesses_isAlwaysAnOverlap() {
    assertThat(checker(attempt("r0-1", 5, 10), attempt("r1-1", 5, 400)).overlaps()).hasSize(1);
  }

  @Test
  void otherKeys_doNotOverlap() {
    assertThat(
            checker(attempt("r0-1", 5, 10).mayWrite(99), attempt("r1-1", 6, 20).key("other"))
                .overlaps())
        .isEmpty();
  }

  @Test
  void aWriteOfAnOlderEpoch_afterOneOfANewerEpoch_isStale_whoeverSawIt() {
    OwnershipChecker checker =
        checker(attempt("r0-1", 5, 10).written(50, 102), attempt("r1-1", 6, 20).written(21, 101));
    assertThat(checker.staleWrites(List.of())).hasSize(1);
    OwnershipChecker unanswered = checker(attempt("r1-1", 6, 20).written(21, 101));
    assertThat(unanswered.staleWrites(List.of(entry(100, 5, 10, "r0-1")))).isEmpty();
    assertThat(unanswered.staleWrites(List.of(entry(102, 5, 10, "r0-1")))).hasSize(1);
  }

  @Test
  void aStaleWrite_countsOnce_howeverManyVersionsShowIt() {
    assertThat(
            checker(attempt("r1-1", 6, 20).written(21, 101))
                .staleWrites(
                    List.of(
                        entry(102, 5, 10, "r0-1"),
                        entry(103, 5, 10, "r0-1"),
                        entry(104, 6, 40, "r1-1"))))
        .hasSize(1);
  }

  @Test
  void withoutEpochs_aWriteOfTheEarlierAttemptOfAnotherProcess_isStale() {
    OwnershipChecker none = checker();
    assertThat(none.staleWrites(List.of(entry(1, 0, 10, "r0-1"), entry(2, 0, 5, "r1-1"))))
        .hasSize(1);
    assertThat(none.staleWrites(List.of(entry(1, 0, 10, "r0-1"), entry(2, 0, 15, "r1-1"))))
        .isEmpty();
    assertThat(none.staleWrites(List.of(entry(1, 0, 10, "r0-1"), entry(2, 0, 5, "r0-1"))))
        .isEmpty();
  }

  @Test
  void theGap_endsWithAnAcknowledgedWriteOfThatGeneration() {
    OwnershipChecker checker =
        checker(
            attempt("r0-1", 0, 10).generation(2),
            attempt("r0-1", 0, 20).generation(1).written(22, 5),
            attempt("r0-1", 0, 30).generation(3).written(35, 6));
    List<ChangeFeed.Change> changes =
        List.of(new ChangeFeed.Change("a", 2, 5), new ChangeFeed.Change("a", 3, 28));
    assertThat(checker.gaps(changes, 100)).isEqualTo(Map.of("a", 30L));
    assertThat(checker.gaps(List.of(new ChangeFeed.Change("a", 4, 40)), 100))
        .as("never reconciled")
        .isEqualTo(Map.of("a", 60L));
  }

  @Test
  void recovery_isTheFirstAttemptElsewhere_andTheEndWithoutOne() {
    OwnershipChecker checker =
        checker(
            attempt("r0-1", 0, 10),
            attempt("r0-1", 0, 11).key("b"),
            attempt("r1-1", 0, 12).key("c"),
            attempt("r0-1", 0, 60),
            attempt("r1-1", 0, 70));
    List<String> keys = checker.keysOf("r0-1", 50);
    assertThat(keys).containsExactlyInAnyOrder("a", "b");
    assertThat(checker.recoveries(keys, "r0-1", 50, 200)).isEqualTo(Map.of("a", 20L, "b", 150L));
  }

  @Test
  void moves_countEachChangeOfTheProcessOfAKey() {
    OwnershipChecker checker =
        checker(attempt("r0-1", 0, 1), attempt("r1-1", 0, 2), attempt("r1-1", 0, 3));
    assertThat(checker.moves(0, 10)).isEqualTo(1);
    assertThat(checker.moves(3, 10)).isZero();
  }

  private static OwnershipChecker checker(Sample... samples) {
    return new OwnershipChecker(
        Arrays.stream(samples)
            .map(Sample::attempt)
            .sorted(Comparator.comparingLong(Attempt::begin))
            .toList());
  }

  private static HistoryEntry entry(long version, long epoch, long begin, String process) {
    return new HistoryEntry("a", version, epoch, begin, process, version);
  }

  private static Sample attempt(String process, long epoch, long begin) {
    return new Sample(
        new Attempt(
            process, begin, "a", epoch, Trigger.EVENT, begin, 1, NONE, NONE, NONE, 0, false));
  }

  /** An attempt with changes for a test. */
  private record Sample(Attempt attempt) {
    Sample key(String key) {
      return with(key, attempt.generation(), attempt.mayWrite(), attempt.written(), 0);
    }

    Sample generation(long generation) {
      return with(attempt.key(), generation, attempt.mayWrite(), attempt.written(), 0);
    }

    Sample mayWrite(long nanos) {
      return with(attempt.key(), attempt.generation(), nanos, attempt.written(), 0);
    }

    Sample written(long nanos, long version) {
      return with(attempt.key(), attempt.generation(), nanos, nanos, version);
    }

    Sample end(long nanos) {
      Attempt a = attempt;
      return new Sample(
          new Attempt(
              a.process(),
              a.id(),
              a.key(),
              a.epoch(),
              a.trigger(),
              a.begin(),
              a.generation(),
              nanos,
              a.mayWrite(),
              a.written(),
              a.version(),
              a.refused()));
    }

    Sample refused() {
      Attempt a = attempt;
      return new Sample(
          new Attempt(
              a.process(),
              a.id(),
              a.key(),
              a.epoch(),
              a.trigger(),
              a.begin(),
              a.generation(),
              a.end(),
              a.mayWrite(),
              a.written(),
              a.version(),
              true));
    }

    private Sample with(String key, long generation, long mayWrite, long written, long version) {
      Attempt a = attempt;
      return new Sample(
          new Attempt(
              a.process(),
              a.id(),
              key,
              a.epoch(),
              a.trigger(),
              a.begin(),
              generation,
              a.end(),
              mayWrite,
              written,
              version,
              a.refused()));
    }
  }
}
