// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.fault;

import dev.coxswain.apiserver.fault.Effect.CloseWatches;
import dev.coxswain.apiserver.fault.Effect.CompactHistory;
import dev.coxswain.apiserver.fault.Effect.CutConnections;
import dev.coxswain.apiserver.fault.Effect.DropEvents;
import dev.coxswain.apiserver.fault.Effect.Fail;
import dev.coxswain.apiserver.fault.Effect.Latency;
import dev.coxswain.apiserver.fault.Effect.Pause;
import dev.coxswain.apiserver.fault.Effect.RefuseConnections;
import dev.coxswain.apiserver.fault.Effect.RefuseMode;
import dev.coxswain.apiserver.fault.Effect.SilenceWatches;
import dev.coxswain.apiserver.fault.Effect.SlowWatches;
import dev.coxswain.apiserver.fault.Effect.Starting;
import dev.coxswain.apiserver.fault.Effect.UnknownFields;
import java.time.Duration;

/**
 * An effect with its limits, as in {@code Fault.fail(503).on(FaultFilter.verbs("list")).times(5)};
 * immutable, any thread. What does not fit together throws {@link InvalidFaultException}.
 *
 * @param effect what happens
 * @param filter which requests or watches it happens to
 * @param count how often it happens before the fault is over, 0 = any number of times
 * @param duration after what time the fault is over, zero = it lasts until it is cleared
 */
public record Fault(Effect effect, FaultFilter filter, int count, Duration duration) {

  public Fault {
    String kind = effect.kind();
    if (!effect.filtersRequests()) {
      if (!filter.verbs().isEmpty()) {
        throw new InvalidFaultException("verbs", "cannot be used with " + kind);
      }
      if (!filter.path().isEmpty()) {
        throw new InvalidFaultException("path", "cannot be used with " + kind);
      }
    }
    if (!effect.filtersResources() && !filter.resources().isEmpty()) {
      throw new InvalidFaultException("resources", "cannot be used with " + kind);
    }
    if (count < 0) {
      throw new InvalidFaultException("count", "must not be negative, is " + count);
    }
    if (count > 0 && !effect.countable()) {
      throw new InvalidFaultException(
          "count", "cannot be used with this form of " + kind + "; give a duration");
    }
    Effect.requireTime("duration", duration);
    if (!duration.isZero() && duration.toMillis() < 1) {
      throw new InvalidFaultException("duration", "must be at least 1ms, is " + duration);
    }
    if (!duration.isZero() && effect.instant()) {
      throw new InvalidFaultException(
          "duration", "cannot be used with this form of " + kind + ", which is over at once");
    }
  }

  /** Returns a fault without limits. */
  public static Fault of(Effect effect) {
    return new Fault(effect, FaultFilter.ALL, 0, Duration.ZERO);
  }

  /** See {@link CloseWatches}. */
  public static Fault closeWatches() {
    return of(new CloseWatches());
  }

  /** See {@link SilenceWatches}. */
  public static Fault silenceWatches() {
    return of(new SilenceWatches());
  }

  /** See {@link SlowWatches}. */
  public static Fault slowWatches(int bytesPerSecond) {
    return of(new SlowWatches(bytesPerSecond));
  }

  /** See {@link DropEvents}. */
  public static Fault dropEvents(double share, long seed) {
    return of(new DropEvents(share, seed));
  }

  /** Compacts; open watches go on, new ones that are too old get an {@code ERROR} event. */
  public static Fault compactHistory() {
    return of(new CompactHistory(false, false));
  }

  /** Compacts; open watches get a 410 as an {@code ERROR} event and end. */
  public static Fault expireWatches() {
    return of(new CompactHistory(true, false));
  }

  /** Compacts; while active, watches from too far back are answered with HTTP status 410. */
  public static Fault compactHistoryWithStatus() {
    return of(new CompactHistory(false, true));
  }

  /** Lets all matching requests fail; see {@link Fail}. */
  public static Fault fail(int status) {
    return of(new Fail(status, Duration.ZERO, 1, 0));
  }

  /** Lets all matching requests fail with a {@code Retry-After} header; see {@link Fail}. */
  public static Fault fail(int status, Duration retryAfter) {
    return of(new Fail(status, retryAfter, 1, 0));
  }

  /** Lets a share of the matching requests fail; see {@link Fail}. */
  public static Fault failShare(int status, Duration retryAfter, double share, long seed) {
    return of(new Fail(status, retryAfter, share, seed));
  }

  /** See {@link Latency}. */
  public static Fault latency(Duration delay) {
    return of(new Latency(delay));
  }

  /** See {@link RefuseMode}. */
  public static Fault refuseConnections(RefuseMode mode) {
    return of(new RefuseConnections(mode));
  }

  /** See {@link Pause}. */
  public static Fault pause() {
    return of(new Pause());
  }

  /** See {@link UnknownFields}. */
  public static Fault unknownFields() {
    return of(new UnknownFields());
  }

  /** See {@link Starting}. */
  public static Fault starting() {
    return of(new Starting());
  }

  /** See {@link CutConnections}. */
  public static Fault cutConnections() {
    return of(new CutConnections());
  }

  public Fault on(FaultFilter filter) {
    return new Fault(effect, filter, count, duration);
  }

  public Fault times(int count) {
    return new Fault(effect, filter, count, duration);
  }

  public Fault lasting(Duration duration) {
    return new Fault(effect, filter, count, duration);
  }
}
