// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.source.Presence;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.ControllerStatus.SourceStatus;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The sources of one controller: those of its start, in their order, and those that were added
 * later, by name.
 *
 * <p>Thread rule: {@link #start}, {@link #add}, {@link #remove} and {@link #stop} on the
 * controller's event loop, the rest any thread.
 */
final class SourceGroup<K> {

  /** The contract of {@link EventSource#examine}; what takes longer is unknown. */
  private static final int EXAMINE_SECONDS = 5;

  private final List<RunningSource<K>> first = new ArrayList<>();
  private final ControllerTelemetry telemetry;

  /** Replaced on the event loop. */
  private volatile Map<String, RunningSource<K>> added = Map.of();

  SourceGroup(List<EventSource<K>> sources, ControllerTelemetry telemetry) {
    this.telemetry = telemetry;
    for (EventSource<K> source : sources) {
      first.add(new RunningSource<>(source, null, telemetry));
    }
  }

  /** Starts the sources of the start; completes when all have synced, fails when one cannot start. */
  Future<Void> start(EventSink<K> sink) {
    return Future.all(first.stream().map(source -> source.start(sink)).toList()).mapEmpty();
  }

  /** Stops all sources, also those that never started; also after a failure of one. */
  Future<Void> stop() {
    List<RunningSource<K>> all = all();
    added = Map.of();
    return Future.join(all.stream().map(RunningSource::stop).toList()).mapEmpty();
  }

  /** Adds a source under a name that is free, without starting it. */
  RunningSource<K> add(String name, EventSource<K> source) {
    RunningSource<K> one = new RunningSource<>(source, name, telemetry);
    Map<String, RunningSource<K>> more = new LinkedHashMap<>(added);
    more.put(name, one);
    added = more;
    return one;
  }

  /** Removes an added source, without stopping it. */
  void remove(String name) {
    Map<String, RunningSource<K>> rest = new LinkedHashMap<>(added);
    rest.remove(name);
    added = rest;
  }

  /** Returns the sources of the start. */
  List<RunningSource<K>> first() {
    return first;
  }

  /** Returns the sources that were added later, by name; it does not change. */
  Map<String, RunningSource<K>> added() {
    return added;
  }

  /** Returns all sources. */
  List<RunningSource<K>> all() {
    List<RunningSource<K>> all = new ArrayList<>(first);
    all.addAll(added.values());
    return all;
  }

  /** Returns the failure of the first source that has one, or null. */
  @Nullable String failure() {
    for (RunningSource<K> source : all()) {
      String failure = source.failure();
      if (failure != null) {
        return "source \"" + source.description() + "\": " + failure;
      }
    }
    return null;
  }

  List<SourceStatus> status() {
    return all().stream().map(RunningSource::status).toList();
  }

  /**
   * Returns a test for requests whose object in a source has certain labels; empty when no source
   * holds objects.
   *
   * @throws IllegalArgumentException when the selector cannot be parsed
   */
  Optional<Predicate<K>> selecting(String labelSelector) {
    Optional<Predicate<K>> any = Optional.empty();
    for (RunningSource<K> running : all()) {
      Optional<Predicate<K>> one = running.source().selecting(labelSelector);
      any = any.isEmpty() || one.isEmpty() ? any.or(() -> one) : any.map(one.get()::or);
    }
    return any;
  }

  /** Returns the state of a request's object in each source, without the unknown ones. */
  List<Presence> presences(K request) {
    List<Presence> known = new ArrayList<>();
    for (RunningSource<K> running : all()) {
      Presence one = presence(running.source(), request);
      if (one.state() != Presence.State.UNKNOWN) {
        known.add(one);
      }
    }
    return known;
  }

  /**
   * Has each source find out why it does not hold the object of a request, see {@link
   * EventSource#examine}; without the unknown ones. Does not fail.
   */
  Future<List<Presence>> examine(K request) {
    List<Future<Presence>> all =
        all().stream().map(running -> examined(running.source(), request)).toList();
    return Future.join(all)
        .map(_ ->
            all.stream()
                .map(Future::result)
                .filter(one -> one.state() != Presence.State.UNKNOWN)
                .toList());
  }

  private static <K> Future<Presence> examined(EventSource<K> source, K request) {
    try { // user code
      Future<Presence> examined = source.examine(request);
      Future<Presence> bounded =
          examined.isComplete() ? examined : examined.timeout(EXAMINE_SECONDS, TimeUnit.SECONDS);
      return bounded.map(found -> Objects.requireNonNull(found)).otherwise(Presence.UNKNOWN);
    } catch (Throwable e) {
      return Future.succeededFuture(Presence.UNKNOWN);
    }
  }

  private static <K> Presence presence(EventSource<K> source, K request) {
    try {
      return Objects.requireNonNull(source.presence(request));
    } catch (Throwable e) {
      return Presence.UNKNOWN; // user code
    }
  }

  /** Returns whether it has this very source. */
  @SuppressWarnings("ReferenceEquality") // sources may be equal and not the same
  boolean has(EventSource<K> source) {
    return all().stream().anyMatch(running -> running.source() == source);
  }

  /** Returns whether a source holds the object of a request. */
  boolean holds(K request) {
    for (RunningSource<K> running : all()) {
      if (running.source().holds(request)) {
        return true;
      }
    }
    return false;
  }
}
