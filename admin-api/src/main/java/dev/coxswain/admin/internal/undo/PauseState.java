// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.undo;

import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.spi.PauseStore;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A pause as audit records have it. Immutable.
 *
 * @param by the actor
 */
public record PauseState(String reason, String by, Instant since, @Nullable Instant until) {

  /** Between the caller who has restored a pause, and the actor of that pause. */
  private static final String RESTORING = ", restoring ";

  private static final int MAX_REASON = 512;
  private static final int MAX_ACTOR = 253;

  /** The end of a pause is computed again whenever it is applied. */
  private static final Duration NEARLY = Duration.ofSeconds(5);

  /** Throws what the reader of JSON reports as a value without its form. */
  public PauseState {
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(by, "by");
    Objects.requireNonNull(since, "since");
  }

  /**
   * Returns it as a caller restores it: a pause is never in the name of another caller alone, since the
   * state to restore may come from anyone who may pause.
   */
  public PauseState restoredBy(String actor) {
    int inner = by.lastIndexOf(RESTORING);
    String original = inner < 0 ? by : by.substring(inner + RESTORING.length());
    return new PauseState(
        reason,
        Json.line(original.equals(actor) ? actor : actor + RESTORING + original, MAX_ACTOR),
        since,
        until);
  }

  /** Returns the state of a pause; null for none. */
  public static @Nullable PauseState of(PauseStore.@Nullable Pause pause) {
    return pause == null
        ? null
        : new PauseState(
            Json.line(pause.reason(), MAX_REASON),
            Json.line(pause.actor(), MAX_ACTOR),
            pause.since(),
            pause.until());
  }

  /** Returns the pause, for the store. */
  public PauseStore.Pause pause() {
    return new PauseStore.Pause(
        Json.line(reason, MAX_REASON), Json.line(by, MAX_ACTOR), since, until);
  }

  /** Returns whether a pause is this one, when replicas have applied it at different times. */
  public boolean isNearly(@Nullable PauseState other) {
    return other != null
        && reason.equals(other.reason)
        && by.equals(other.by)
        && isNear(until, other.until);
  }

  /** Returns whether two times are the same one, as two replicas have computed it. */
  static boolean isNear(@Nullable Instant one, @Nullable Instant other) {
    if (one == null || other == null) {
      return one == null && other == null;
    }
    return Duration.between(one, other).abs().compareTo(NEARLY) <= 0;
  }

  /** Returns whether it has ended at a time. */
  public boolean isOver(Instant now) {
    return until != null && !until.isAfter(now);
  }

  /** Returns it in words, after "paused". */
  public String words() {
    return (until == null ? "until resumed" : "until " + Durations.shown(until))
        + " by "
        + by
        + " (\""
        + Json.line(reason, 200)
        + "\")";
  }
}
