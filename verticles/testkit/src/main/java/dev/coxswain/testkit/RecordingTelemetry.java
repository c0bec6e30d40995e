// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testkit;

import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.Phase;
import java.util.EnumMap;
import java.util.Map;

/**
 * A telemetry that counts what it receives.
 *
 * <p>Thread rule: one thread.
 */
public final class RecordingTelemetry implements ControllerTelemetry {
  private final Map<Outcome, Integer> outcomes = new EnumMap<>(Outcome.class);
  private final Map<Phase, Integer> merges = new EnumMap<>(Phase.class);
  private int added;
  private int delayed;
  private int started;
  private long longestReady;
  private int tokens;
  private int terminals;
  private int panics;
  private int lostOwnerships;
  private int timeouts;
  private int userCodeFailures;
  private int requeueAfterIgnored;
  private int rejected;
  private long latestWakeUp;

  /** Returns how many results had a requeue delay of zero or less. */
  public int ignoredRequeueAfter() {
    return requeueAfterIgnored;
  }

  @Override
  public void requeueAfterIgnored() {
    requeueAfterIgnored++;
  }

  /** Creates a recording with all counts zero. */
  public RecordingTelemetry() {}

  /** Returns how many attempts ended in this way. */
  public int outcomes(Outcome outcome) {
    return outcomes.getOrDefault(outcome, 0);
  }

  /** Returns how many additions were merged into an item in this phase. */
  public int merges(Phase phase) {
    return merges.getOrDefault(phase, 0);
  }

  /** Returns how many times an item became ready. */
  public int added() {
    return added;
  }

  /** Returns how many times an item was scheduled for later. */
  public int delays() {
    return delayed;
  }

  /** Returns how many items were started. */
  public int started() {
    return started;
  }

  /** Returns the most nanoseconds that an item was ready before it was started. */
  public long longestReady() {
    return longestReady;
  }

  /** Returns how many tokens were taken. */
  public int tokens() {
    return tokens;
  }

  /** Returns how many attempts ended in a terminal failure. */
  public int terminals() {
    return terminals;
  }

  /** Returns how many attempts threw an error. */
  public int panics() {
    return panics;
  }

  /** Returns how many attempts ended because the ownership of their request was lost. */
  public int lostOwnerships() {
    return lostOwnerships;
  }

  /** Returns how many attempts ran into their time limit. */
  public int timeouts() {
    return timeouts;
  }

  /** Returns how often other user code threw. */
  public int userCodeFailures() {
    return userCodeFailures;
  }

  /** Returns how many requests arrived after the controller stopped accepting them. */
  public int rejections() {
    return rejected;
  }

  /** Returns the largest delay of a due item, in nanoseconds. */
  public long latestWakeUp() {
    return latestWakeUp;
  }

  @Override
  public void added(int priority) {
    added++;
  }

  @Override
  public void merged(Phase phase) {
    merges.merge(phase, 1, Integer::sum);
  }

  @Override
  public void delayed() {
    delayed++;
  }

  @Override
  public void started(long readyNanos) {
    longestReady = Math.max(longestReady, readyNanos);
    started++;
  }

  @Override
  public void tokenGranted(long waitedNanos) {
    tokens++;
  }

  @Override
  public void finished(Outcome outcome, long nanos) {
    outcomes.merge(outcome, 1, Integer::sum);
  }

  @Override
  public void terminal() {
    terminals++;
  }

  @Override
  public void lostOwnership() {
    lostOwnerships++;
  }

  @Override
  public void panicked() {
    panics++;
  }

  @Override
  public void timedOut() {
    timeouts++;
  }

  @Override
  public void userCodeFailed() {
    userCodeFailures++;
  }

  @Override
  public void wokeUp(long lateNanos) {
    latestWakeUp = Math.max(latestWakeUp, lateNanos);
  }

  @Override
  public void rejected() {
    rejected++;
  }
}
