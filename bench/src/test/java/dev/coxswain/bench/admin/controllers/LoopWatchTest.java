// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The causes of a held event loop are distinguished; all times are in milliseconds. */
class LoopWatchTest {
  private static final long PERIOD = 10;

  private final LoopWatch.Seen seen = new LoopWatch.Seen();
  private long now;
  private long used;
  private StackTraceElement doing = new StackTraceElement("dev.coxswain.Busy", "work", null, 7);
  private final LoopWatch watch =
      new LoopWatch(
          nanos(PERIOD),
          seen,
          () -> nanos(now),
          () -> nanos(used),
          () -> new StackTraceElement[] {doing});

  private static long nanos(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private void work(long millis) {
    now += millis;
    used += millis;
  }

  private void idle(long millis) {
    now += millis;
  }

  /**
   * By the clock and by work in microseconds, looks, over budget, held by the machine; then each that was over
   * budget.
   */
  private void sees(String line, String... held) {
    String[] parts = seen.lineAndReset().split("\\|", -1);
    assertThat(parts[0]).isEqualTo(line);
    assertThat(parts).hasSize(1 + held.length).endsWith(held);
  }

  @Test
  void aLookInTime_seesNothing() {
    work(4);
    idle(6);
    watch.look();
    sees("0 0 1 0 0");
  }

  @Test
  void theLongestWork_counts_andWhatIsOverTheBudgetIsToldOneByOne() {
    idle(9);
    watch.sample();
    work(1 + 4);
    watch.look();
    idle(9);
    watch.sample();
    work(1 + 7);
    watch.look();
    sees("7000 7000 2 1 0", "7.0 ms of work, 7.0 ms late: not sampled");
  }

  @Test
  void workThatKeptTheLookWaiting_counts() {
    idle(9);
    watch.sample();
    work(1 + 7);
    watch.look();
    sees("7000 7000 1 1 0", "7.0 ms of work, 7.0 ms late: not sampled");
  }

  @Test
  void workThatLetOthersIn_doesNotCount_howeverLateTheLookIs() {
    work(9);
    watch.sample();
    idle(1 + 8);
    watch.look();
    sees("8000 0 1 0 0");
  }

  @Test
  void withoutASample_allWorkSinceTheLastLookCounts_butNotMoreThanTheLookIsLate() {
    work(9);
    idle(1 + 8);
    watch.look();
    sees("8000 8000 1 1 0", "8.0 ms of work, 8.0 ms late: not sampled");
    work(9);
    idle(1 + 6);
    watch.look();
    sees("6000 6000 1 1 0", "6.0 ms of work, 6.0 ms late: not sampled");
  }

  @Test
  void aSampleFromAfterTheLookWasDue_boundsTheWork_byItsOwnLateness() {
    work(9);
    idle(1 + 1);
    work(1);
    watch.sample(); // 2 late, 10 used: at least 8 of them before the look was due
    idle(5);
    work(1);
    watch.look();
    sees("8000 3000 1 0 0");
  }

  @Test
  void ofAllSamples_theOneThatProvesMostCounts() {
    work(7);
    watch.sample();
    work(2);
    idle(2);
    watch.sample(); // 1 late, 9 used: at least 8 of them before the look was due
    idle(1);
    work(3);
    watch.sample(); // 5 late, 12 used: proves 7, which is less
    idle(2);
    watch.look();
    sees("7000 4000 1 0 0");
  }

  @Test
  void aSampleIsOfOneLookOnly() {
    idle(9);
    watch.sample();
    idle(1);
    watch.look();
    work(10 + 6);
    watch.look();
    sees("6000 6000 2 1 0", "6.0 ms of work, 6.0 ms late: not sampled");
  }

  @Test
  void aLoopThatWaitsForIoThoughItsLookIsOverdue_isHeldByTheMachine() {
    idle(9);
    watch.sample();
    work(1 + 4);
    doing = new StackTraceElement("sun.nio.ch.EPoll", "wait", null, -2);
    watch.sample();
    work(4);
    watch.look();
    sees("8000 0 1 0 1");
  }

  @Test
  void aLoopThatWorksWhileItsLookIsOverdue_isNot_thoughItWaitsAfterwards() {
    idle(9);
    watch.sample();
    work(1 + 4);
    watch.sample();
    doing = new StackTraceElement("sun.nio.ch.EPoll", "wait", null, -2);
    work(4);
    watch.sample();
    watch.look();
    sees("8000 8000 1 1 0", "8.0 ms of work, 8.0 ms late: Busy.work:7");
  }
}
