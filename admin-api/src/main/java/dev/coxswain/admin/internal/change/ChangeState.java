// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.undo.LimitState;
import dev.coxswain.admin.internal.undo.PauseState;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a change replaces, or sets; only the fields of its kind are there. Immutable.
 *
 * @param paused whether the controller or the cause is paused
 * @param by who has paused it
 * @param until the end of the pause, or of the override of a limiter
 */
public record ChangeState(
    @Nullable Boolean paused,
    @Nullable String reason,
    @Nullable String by,
    @Nullable Instant since,
    @Nullable Instant until,
    @Nullable Integer maxConcurrent,
    @Nullable Double rate,
    @Nullable Integer burst) {

  /** Returns it in words, with the reason of a pause. */
  String words() {
    return Boolean.TRUE.equals(paused) ? brief() + " (\"" + reason + "\")" : brief();
  }

  /** Returns it in words, without the reason of a pause. */
  String brief() {
    if (paused != null) {
      String end = until == null ? "until resumed" : "until " + Durations.shown(until);
      return paused ? "paused " + end : "not paused";
    }
    if (maxConcurrent != null) {
      return "maxConcurrent " + maxConcurrent;
    }
    return new LimitState(rate == null ? 0 : rate, burst == null ? 0 : burst, until).words();
  }

  static ChangeState of(@Nullable PauseState pause) {
    return pause == null
        ? new ChangeState(false, null, null, null, null, null, null, null)
        : new ChangeState(
            true, pause.reason(), pause.by(), pause.since(), pause.until(), null, null, null);
  }

  static ChangeState of(LimitState limit) {
    return new ChangeState(
        null, null, null, null, limit.until(), null, limit.rate(), limit.burst());
  }

  static ChangeState of(int maxConcurrent) {
    return new ChangeState(null, null, null, null, null, maxConcurrent, null, null);
  }
}
