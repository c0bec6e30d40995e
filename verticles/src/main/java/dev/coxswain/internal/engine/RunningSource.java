// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.internal.loop.Failure;
import dev.coxswain.internal.loop.UserFailures;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.ControllerStatus.SourceStatus;
import io.vertx.core.Future;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One source of a controller and what is known of it. A source is user code: what it throws is a
 * failure of that source only.
 *
 * <p>Thread rule: {@link #start} and {@link #stop} on the controller's event loop, the rest any
 * thread.
 */
final class RunningSource<K> {
  private final EventSource<K> source;
  private final @Nullable String addedAs;
  private final String description;
  private final ControllerTelemetry telemetry;

  // Written by the thread that completes the source's future.
  private volatile boolean synced;
  private volatile @Nullable String notStarted;

  /** @param addedAs the name of a source that was added while the controller ran; otherwise null */
  RunningSource(EventSource<K> source, @Nullable String addedAs, ControllerTelemetry telemetry) {
    this.source = source;
    this.addedAs = addedAs;
    this.telemetry = telemetry;
    this.description = describe(source, telemetry);
  }

  private static String describe(EventSource<?> source, ControllerTelemetry telemetry) {
    try {
      return source.describe();
    } catch (Throwable e) {
      telemetry.userCodeFailed("description of a source", e);
      return source.getClass().getName(); // the controller still starts
    }
  }

  EventSource<K> source() {
    return source;
  }

  String description() {
    return description;
  }

  boolean isSynced() {
    return synced;
  }

  /** Starts it; completes when it has synced. */
  Future<Void> start(EventSink<K> sink) {
    return contain(() -> source.start(sink))
        .onSuccess(_ -> synced = true)
        .recover(e -> {
          String text = "did not start: " + Failure.of(e).text();
          notStarted = text;
          return Future.failedFuture(
              new IllegalStateException("source \"" + description + "\" " + text, e));
        });
  }

  /** Stops it, also if it never started. */
  Future<Void> stop() {
    return contain(source::stop);
  }

  private static Future<Void> contain(Supplier<@Nullable Future<Void>> step) {
    try {
      Future<Void> future = step.get();
      return future == null
          ? Future.failedFuture(new NullPointerException("the source returned null"))
          : future;
    } catch (Throwable e) {
      return Future.failedFuture(e);
    } finally {
      UserFailures.clearInterrupt();
    }
  }

  /** Returns its present problem, or null. */
  @Nullable String problem() {
    String reason = notStarted;
    if (reason != null) {
      return reason;
    }
    try {
      return source.problem().orElse(null);
    } catch (Throwable e) {
      // A status is returned even when a source throws.
      telemetry.userCodeFailed("problem of source \"" + description + "\"", e);
      return "its state cannot be read: " + Failure.of(e).text();
    }
  }

  /** Returns its failure, or null. */
  @Nullable String failure() {
    try {
      return source.failure().orElse(null);
    } catch (Throwable e) {
      telemetry.userCodeFailed("failure of a source", e);
      return null; // not a failure of the source's work
    }
  }

  /** Returns whether it has not delivered what existed at the start, and waits for what it reads. */
  boolean isWaiting() {
    try {
      return !synced && source.isWaiting();
    } catch (Throwable e) {
      telemetry.userCodeFailed("state of source \"" + description + "\"", e);
      return false;
    }
  }

  /** Returns its position; empty when it is unknown. */
  String position() {
    try {
      return source.position();
    } catch (Throwable e) {
      telemetry.userCodeFailed("position of a source", e);
      return "";
    }
  }

  SourceStatus status() {
    return new SourceStatus(description, synced, problem(), addedAs);
  }
}
