// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.cause;

import dev.coxswain.view.CauseSnapshot;
import dev.coxswain.view.FailurePattern;
import dev.coxswain.view.ItemId;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One cause of the failures of a controller, with what is counted of it.
 *
 * <p>Thread rule: confined to the controller's event loop.
 */
public final class FailureCause {
  private static final int MAX_SAMPLES = 3;
  private static final long SAMPLE_MILLIS = 60_000;
  private static final long STEP_MILLIS = CauseSnapshot.TREND_STEP.toMillis();

  private final FailurePattern pattern;
  private final String id;
  private final long number;
  private final long firstSeen;
  private final List<ItemId> samples = new ArrayList<>(0);

  /** The failures of the last steps, each at the remainder of its number. */
  private final int[] trend = new int[CauseSnapshot.TREND_STEPS];

  private long step;
  private long lastSeen;
  private long failures;
  private int items;
  private int nextSample;
  private long sampledAt;
  private @Nullable String stack;
  private boolean logged;
  private @Nullable CausePause pause;

  FailureCause(FailurePattern pattern, long nowMillis) {
    this.pattern = pattern;
    this.id = pattern.id();
    this.number = FailurePattern.number(id);
    this.firstSeen = nowMillis;
    this.lastSeen = nowMillis;
    this.step = nowMillis / STEP_MILLIS;
  }

  /** Returns what its failures have in common. */
  public FailurePattern pattern() {
    return pattern;
  }

  /** Returns its name. */
  public String id() {
    return id;
  }

  long number() {
    return number;
  }

  /** Returns the stack trace of one of its failures, or null when it is not kept. */
  public @Nullable String stack() {
    return stack;
  }

  void stack(@Nullable String text) {
    stack = text;
    logged &= text != null;
  }

  /** Returns whether its stack trace has been logged since it was kept. */
  public boolean isLogged() {
    return logged;
  }

  /** Notes that its stack trace was logged. */
  public void logged() {
    logged = true;
  }

  /** Returns its pause; null without one. */
  public @Nullable CausePause pause() {
    return pause;
  }

  /** Sets its pause; null for none. While it has one, it is kept without items, too. */
  public void pause(@Nullable CausePause value) {
    pause = value;
  }

  /** Returns whether nothing needs it any more. */
  boolean isIdle() {
    return items == 0 && pause == null;
  }

  /** Returns how many failing items have failed of it last. */
  public int items() {
    return items;
  }

  /** Counts an item whose last failure is of this cause from now on. */
  public void entered() {
    items++;
  }

  /** Counts an item that has recovered, left the queue or failed of another cause. */
  public void left() {
    items--;
  }

  long lastSeen() {
    return lastSeen;
  }

  /** Counts a failed attempt; returns whether its object is wanted as a sample. */
  boolean failed(long nowMillis) {
    advance(nowMillis);
    failures++;
    trend[(int) (step % trend.length)]++;
    lastSeen = Math.max(lastSeen, nowMillis);
    return samples.size() < MAX_SAMPLES || nowMillis - sampledAt >= SAMPLE_MILLIS;
  }

  /** Keeps an object as a sample, in place of the oldest one. */
  void sample(ItemId object, long nowMillis) {
    if (samples.contains(object)) {
      return;
    }
    sampledAt = nowMillis;
    if (samples.size() < MAX_SAMPLES) {
      samples.add(object);
    } else {
      samples.set(nextSample, object);
      nextSample = (nextSample + 1) % MAX_SAMPLES;
    }
  }

  /** Begins new steps; a wall clock that goes back stays in the present one. */
  private void advance(long nowMillis) {
    long now = nowMillis / STEP_MILLIS;
    for (long next = Math.max(step + 1, now - trend.length + 1); next <= now; next++) {
      trend[(int) (next % trend.length)] = 0;
    }
    step = Math.max(step, now);
  }

  CauseSnapshot.Count count() {
    return new CauseSnapshot.Count(number, items, Instant.ofEpochMilli(lastSeen));
  }

  CauseSnapshot snapshot(long nowMillis) {
    advance(nowMillis);
    return new CauseSnapshot(
        id,
        pattern,
        items,
        failures,
        Instant.ofEpochMilli(firstSeen),
        Instant.ofEpochMilli(lastSeen),
        IntStream.rangeClosed(1, trend.length)
            .mapToObj(i -> trend[(int) ((step + i) % trend.length)])
            .toList(),
        samples,
        stack,
        pause == null ? null : pause.shown());
  }
}
