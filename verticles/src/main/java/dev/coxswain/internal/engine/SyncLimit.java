// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.controller.Conditions;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.spi.Alarm;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ConditionType;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The time limit for the sources of the start of a controller to sync. After it the controller has
 * a condition that names the sources that have not; they go on, and the condition ends when they
 * have synced.
 *
 * <p>Thread rule: {@link #begin} and {@link #end} on the controller's event loop, the rest any
 * thread.
 */
final class SyncLimit {
  private final Duration limit;
  private final SourceGroup<?> sources;
  private final Conditions conditions;
  private final Clock clock;
  private final Alarm alarm;
  private final Promise<String> passed = Promise.promise();

  /** Guarded by this, so that no reader raises the condition after its end. */
  private boolean late;

  SyncLimit(
      Duration limit,
      SourceGroup<?> sources,
      Conditions conditions,
      Clock clock,
      Alarm.Factory alarms) {
    this.limit = limit;
    this.sources = sources;
    this.conditions = conditions;
    this.clock = clock;
    this.alarm = alarms.create(this::pass);
  }

  /** The sources are about to start. */
  void begin() {
    if (limit.isPositive()) {
      alarm.set(clock.nanos() + limit.toNanos());
    }
  }

  private void pass() {
    if (sources.first().stream().allMatch(RunningSource::isSynced)) {
      return; // it begins as soon as the loop has taken over what they delivered
    }
    String reason = reason();
    synchronized (this) {
      late = true;
      conditions.raise(ConditionType.SYNC_TIMED_OUT, reason);
    }
    passed.tryComplete(reason);
  }

  /** The sources have synced, or stop. */
  void end() {
    alarm.clear();
    synchronized (this) {
      late = false;
      conditions.clear(ConditionType.SYNC_TIMED_OUT);
    }
  }

  /** Returns whether the limit has passed; then the condition has the present problems. */
  boolean isPassed() {
    synchronized (this) {
      if (!late) {
        return false;
      }
    }
    String reason = reason(); // user code, so without the lock
    synchronized (this) {
      if (late) {
        conditions.raise(ConditionType.SYNC_TIMED_OUT, reason);
      }
      return late;
    }
  }

  /** Returns a future with the reason that completes when the limit has passed, if ever. */
  Future<String> passed() {
    return passed.future();
  }

  private String reason() {
    List<String> missing = new ArrayList<>();
    for (RunningSource<?> source : sources.first()) {
      if (!source.isSynced()) {
        String problem = source.problem();
        missing.add(
            "source \"%s\" (%s)"
                .formatted(
                    source.description(), problem == null ? "it is still listing" : problem));
      }
    }
    return "did not sync within %s: %s"
        .formatted(Durations.text(limit), String.join(", ", missing));
  }
}
