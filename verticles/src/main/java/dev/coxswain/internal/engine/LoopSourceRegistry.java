// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.internal.loop.Inbox;
import dev.coxswain.internal.loop.ReconcileLoop;
import dev.coxswain.internal.loop.UserFailures;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.source.SourceRegistry;
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
  private final String controller;

  /** The taken names. Guarded by itself, as is the order of the steps. */
  private final Map<String, Promise<EventSource<K>>> results = new HashMap<>();

  /** Written on the event loop; guarded by the names. */
  private boolean stopped;

  /** The sources that were removed and have not ended; confined to the event loop. */
  private final Set<Future<Void>> stopping = new HashSet<>();

  LoopSourceRegistry(
      String controller, SourceGroup<K> group, ReconcileLoop<K> loop, EventSink<K> sink) {
    this.controller = controller;
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
            new IllegalStateException(
                "source \"%s\" was not added: controller \"%s\" has %d added sources, the maximum; remove one before"
                    .formatted(name, controller, MAX_SOURCES)));
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
    } catch (Throwable e) { // user code
      failed(name, result, notStarted(name, e));
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
                result.tryFail(ended());
              }
            });
  }

  private boolean isTaken(String name, Promise<EventSource<K>> result) {
    synchronized (results) {
      return result.equals(results.get(name));
    }
  }

  private boolean failed(String name, Promise<EventSource<K>> result, Exception cause) {
    boolean taken;
    synchronized (results) {
      taken = results.remove(name, result);
    }
    result.tryFail(cause);
    return taken;
  }

  private void started(
      String name,
      EventSource<K> source,
      Promise<EventSource<K>> result,
      AsyncResult<Void> started) {
    if (started.succeeded()) {
      result.tryComplete(source);
    } else if (failed(name, result, notStarted(name, started.cause()))) {
      take(name);
    }
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
      if (!loop.inbox().offer(new Step(() -> removed(name, result).onComplete(ended)))) {
        return Future.succeededFuture(true); // it ended with the event loop
      }
    }
    return ended.future();
  }

  private Future<Boolean> removed(String name, Promise<EventSource<K>> result) {
    result.tryFail(
        new IllegalStateException("source \"" + name + "\" was removed before it synced"));
    return take(name).map(true);
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
    pending.forEach(result -> result.tryFail(ended()));
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
