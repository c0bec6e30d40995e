// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.internal.loop.Failure;
import dev.coxswain.internal.loop.UserFailures;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.ControllerStatus.SourceStatus;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The sources of one controller.
 *
 * <p>Thread rule: {@link #start} and {@link #stop} on the controller's event loop, {@link #status}
 * any thread.
 */
final class SourceGroup<K> {
  private final List<EventSource<K>> sources;
  private final List<String> descriptions = new ArrayList<>();

  /** Written by the thread that completes a source's future. */
  private final Set<Integer> synced = new CopyOnWriteArraySet<>();

  /** Why sources did not start, by index. */
  private final Map<Integer, String> notStarted = new ConcurrentHashMap<>();

  private final ControllerTelemetry telemetry;

  SourceGroup(List<EventSource<K>> sources, ControllerTelemetry telemetry) {
    this.sources = sources;
    this.telemetry = telemetry;
    for (EventSource<K> source : sources) {
      descriptions.add(describe(source));
    }
  }

  private String describe(EventSource<?> source) {
    try {
      return source.describe();
    } catch (Throwable e) {
      telemetry.userCodeFailed("description of a source", e);
      return source.getClass().getName(); // the controller still starts
    }
  }

  private @Nullable String problem(int number) {
    String reason = notStarted.get(number);
    if (reason != null) {
      return reason;
    }
    EventSource<?> source = sources.get(number);
    try {
      return source.problem().orElse(null);
    } catch (Throwable e) {
      // A status is returned even when a source throws.
      telemetry.userCodeFailed("problem of source \"" + descriptions.get(number) + "\"", e);
      return "its state cannot be read: " + Failure.of(e).text();
    }
  }

  /** Starts all sources; completes when all have synced, fails when one cannot be started. */
  Future<Void> start(EventSink<K> sink) {
    List<Future<Void>> all = new ArrayList<>();
    for (int i = 0; i < sources.size(); i++) {
      int number = i;
      EventSource<K> source = sources.get(i);
      all.add(
          contain(() -> source.start(sink))
              .onSuccess(done -> synced.add(number))
              .recover(e -> {
                String text = "did not start: " + Failure.of(e).text();
                notStarted.put(number, text);
                return Future.failedFuture(
                    new IllegalStateException(
                        "source \"" + descriptions.get(number) + "\" " + text, e));
              }));
    }
    return Future.all(all).mapEmpty();
  }

  /** Stops all sources, also those that never started; also after a failure of one. */
  Future<Void> stop() {
    List<Future<Void>> all = new ArrayList<>();
    for (EventSource<K> source : sources) {
      all.add(contain(source::stop));
    }
    return Future.join(all).mapEmpty();
  }

  /**
   * Contains a source, which is user code: throwing or returning null is a failure of that source
   * only.
   */
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

  /** Returns the failure of the first source that has one, or null. */
  @Nullable String failure() {
    for (int i = 0; i < descriptions.size(); i++) {
      String failure = failure(sources.get(i));
      if (failure != null) {
        return "source \"" + descriptions.get(i) + "\": " + failure;
      }
    }
    return null;
  }

  private @Nullable String failure(EventSource<?> source) {
    try {
      return source.failure().orElse(null);
    } catch (Throwable e) {
      telemetry.userCodeFailed("failure of a source", e);
      return null; // not a failure of the source's work
    }
  }

  List<SourceStatus> status() {
    List<SourceStatus> list = new ArrayList<>();
    for (int i = 0; i < descriptions.size(); i++) {
      list.add(new SourceStatus(descriptions.get(i), synced.contains(i), problem(i)));
    }
    return list;
  }
}
