// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.internal.loop.Inbox;
import dev.coxswain.internal.loop.ReconcileLoop;
import dev.coxswain.internal.loop.UserFailures;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.source.SourceRegistry;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.ControllerStatus.State;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registry of a running controller: each call takes its name at once, and its source is started
 * or stopped by a step on the event loop. The steps have the order of the calls.
 *
 * <p>Thread rule: as {@link SourceRegistry}; {@link #stop} on the event loop.
 */
final class LoopSourceRegistry<K> implements SourceRegistry<K> {
  private static final Logger log = LoggerFactory.getLogger(LoopSourceRegistry.class);

  private final SourceGroup<K> group;
  private final ReconcileLoop<K> loop;
  private final EventSink<K> sink;
  private final ControllerTelemetry telemetry;
  private final String controller;

  /** The taken names. Guarded by itself, as is the order of the steps. */
  private final Map<String, Promise<EventSource<K>>> results = new HashMap<>();

  /** Written on the event loop; guarded by the names. */
  private boolean stopped;

  /** The sources that were removed and have not ended; confined to the event loop. */
  private final Set<Future<Void>> stopping = new HashSet<>();

  LoopSourceRegistry(
      String controller,
      SourceGroup<K> group,
      ReconcileLoop<K> loop,
      EventSink<K> sink,
      ControllerTelemetry telemetry) {
    this.controller = controller;
    this.telemetry = telemetry;
    this.group = group;
    this.loop = loop;
    this.sink = sink;
  }

  @Override
  public <S extends EventSource<K>> Future<S> add(String name, Supplier<S> source) {
    synchronized (results) {
      Promise<EventSource<K>> before = results.get(name);
      if (before != null) {
        return typed(before.future());
      }
      if (results.size() >= MAX_SOURCES) {
        return Future.failedFuture(
            shown(
                name,
                new IllegalStateException(
                    "source \"%s\" was not added: controller \"%s\" has %d added sources, the maximum; remove one before"
                        .formatted(name, controller, MAX_SOURCES))));
      }
      Promise<EventSource<K>> result = Promise.promise();
      if (stopped || !loop.inbox().offer(new Step(() -> start(name, source, result)))) {
        return Future.failedFuture(ended());
      }
      results.put(name, result);
      return typed(result.future());
    }
  }

  @SuppressWarnings("unchecked") // the calls with one name make sources of one class, by contract
  private static <S> Future<S> typed(Future<?> future) {
    return (Future<S>) future;
  }

  private void start(
      String name, Supplier<? extends EventSource<K>> supplier, Promise<EventSource<K>> result) {
    if (!isTaken(name, result)) {
      return; // removed meanwhile
    }
    if (loop.state() == State.DRAINING || loop.state() == State.STOPPED) {
      failed(name, result, ended());
      return;
    }
    EventSource<K> source;
    try {
      source = Objects.requireNonNull(supplier.get(), "the supplier of the source returned null");
      if (group.has(source)) { // its stop, after a start in vain, would stop the running one
        throw new IllegalStateException(
            "the supplier returned a source that the controller has already");
      }
    } catch (Throwable e) { // user code
      failed(name, result, shown(name, notStarted(name, e)));
      return;
    } finally {
      UserFailures.clearInterrupt();
    }
    RunningSource<K> running = group.add(name, source);
    log.atInfo()
        .addKeyValue("controller", controller)
        .addKeyValue("name", name)
        .addKeyValue("source", running.description())
        .log("source added");
    running
        .start(sink)
        .onComplete(
            // A source completes its future on a thread of its own.
            started -> {
              if (!loop.inbox().offer(new Step(() -> started(name, source, result, started)))) {
                settle(() -> result.tryFail(ended()));
              }
            });
  }

  private void failed(String name, Promise<EventSource<K>> result, Exception cause) {
    free(name, result);
    settle(() -> result.tryFail(cause));
  }

  private boolean isTaken(String name, Promise<EventSource<K>> result) {
    synchronized (results) {
      return result.equals(results.get(name));
    }
  }

  /** Frees the name; returns whether it was taken by that call, and not removed meanwhile. */
  private boolean free(String name, Promise<EventSource<K>> result) {
    synchronized (results) {
      return results.remove(name, result);
    }
  }

  /** Completes a future, whose callbacks are user code: the source is stopped even when they throw. */
  private void settle(Runnable completion) {
    try {
      completion.run();
    } catch (Throwable e) {
      telemetry.userCodeFailed("callback of an added source", e);
    } finally {
      UserFailures.clearInterrupt();
    }
  }

  /** Reports a failure, once in the log, since an attempt need not look at the future. */
  private IllegalStateException shown(String name, IllegalStateException failure) {
    telemetry.userCodeFailed("added source \"" + name + "\"", failure);
    return failure;
  }

  private void started(
      String name,
      EventSource<K> source,
      Promise<EventSource<K>> result,
      AsyncResult<Void> started) {
    if (started.succeeded()) {
      settle(() -> result.tryComplete(source));
      return;
    }
    IllegalStateException failure = notStarted(name, started.cause());
    if (free(name, result)) {
      shown(name, failure);
      take(name);
    }
    settle(() -> result.tryFail(failure));
  }

  private IllegalStateException notStarted(String name, Throwable cause) {
    return new IllegalStateException(
        "source \"%s\" was not added to controller \"%s\": %s"
            .formatted(name, controller, cause.getMessage()),
        cause);
  }

  private IllegalStateException ended() {
    return new IllegalStateException(
        "controller \"" + controller + "\" stops or has stopped, and adds no source");
  }

  @Override
  public Future<Boolean> remove(String name) {
    Promise<Boolean> ended = Promise.promise();
    synchronized (results) {
      Promise<EventSource<K>> result = results.remove(name);
      if (result == null) {
        return Future.succeededFuture(false);
      }
      if (!loop.inbox().offer(new Step(() -> removed(name, result, ended)))) {
        return Future.succeededFuture(true); // it ended with the event loop
      }
    }
    return ended.future();
  }

  private void removed(String name, Promise<EventSource<K>> result, Promise<Boolean> ended) {
    settle(() ->
        result.tryFail(
            new IllegalStateException("source \"" + name + "\" was removed before it synced")));
    Future<Boolean> end = take(name).map(true);
    if (end.isComplete()) {
      settle(() -> ended.handle(end));
      return;
    }
    // A source completes its future on a thread of its own.
    end.onComplete(outcome -> {
      if (!loop.inbox().offer(new Step(() -> settle(() -> ended.handle(outcome))))) {
        settle(() -> ended.handle(outcome));
      }
    });
  }

  /** Takes a source out of the group, if it is there, and stops it. */
  private Future<Void> take(String name) {
    RunningSource<K> source = group.added().get(name);
    if (source == null) {
      return Future.succeededFuture();
    }
    log.atInfo()
        .addKeyValue("controller", controller)
        .addKeyValue("name", name)
        .addKeyValue("source", source.description())
        .log("source removed");
    group.remove(name);
    Future<Void> end = source.stop();
    if (!end.isComplete()) {
      stopping.add(end);
      end.onComplete(_ -> loop.inbox().offer(new Step(() -> stopping.remove(end))));
    }
    return end;
  }

  /** Adds no source any more; returns the ends of those that were removed before. */
  List<Future<Void>> stop() {
    List<Promise<EventSource<K>>> pending;
    synchronized (results) {
      stopped = true;
      pending = List.copyOf(results.values());
      results.clear();
    }
    pending.forEach(result -> settle(() -> result.tryFail(ended())));
    return List.copyOf(stopping);
  }

  @Override
  public Set<String> names() {
    synchronized (results) {
      return Set.copyOf(results.keySet());
    }
  }

  @SuppressWarnings("serial") // a node of the inbox by inheritance only; never serialized
  private static final class Step extends Inbox.Node {
    private final Runnable step;

    Step(Runnable step) {
      this.step = step;
    }

    @Override
    public void process(long now) {
      step.run();
    }
  }
}
