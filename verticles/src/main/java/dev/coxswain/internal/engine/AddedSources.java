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
 * The registry of a running controller: takes each call to the event loop, where the sources are
 * started and stopped.
 *
 * <p>Thread rule: as {@link SourceRegistry}; {@link #stop} on the event loop.
 */
final class AddedSources<K> implements SourceRegistry<K> {
  private static final Logger log = LoggerFactory.getLogger(AddedSources.class);

  private final SourceGroup<K> group;
  private final ReconcileLoop<K> loop;
  private final EventSink<K> sink;
  private final String controller;

  // Confined to the event loop.
  private final Map<String, Promise<EventSource<K>>> results = new HashMap<>();
  private final Set<Future<Void>> stopping = new HashSet<>();
  private boolean stopped;

  AddedSources(String controller, SourceGroup<K> group, ReconcileLoop<K> loop, EventSink<K> sink) {
    this.controller = controller;
    this.group = group;
    this.loop = loop;
    this.sink = sink;
  }

  @Override
  @SuppressWarnings("unchecked") // the calls with one name make sources of one class, by contract
  public <S extends EventSource<K>> Future<S> add(String name, Supplier<S> source) {
    Promise<EventSource<K>> result = Promise.promise();
    onLoop(result, () -> added(name, source).onComplete(result));
    return result.future().map(one -> (S) one);
  }

  private Future<EventSource<K>> added(String name, Supplier<? extends EventSource<K>> supplier) {
    Promise<EventSource<K>> before = results.get(name);
    if (before != null) {
      return before.future();
    }
    if (stopped || loop.state() == State.DRAINING || loop.state() == State.STOPPED) {
      return Future.failedFuture(ended());
    }
    if (results.size() >= MAX_SOURCES) {
      return Future.failedFuture(
          new IllegalStateException(
              "source \"%s\" was not added: controller \"%s\" has %d added sources, the maximum; remove one before"
                  .formatted(name, controller, MAX_SOURCES)));
    }
    EventSource<K> source;
    try {
      source = Objects.requireNonNull(supplier.get(), "the supplier of the source returned null");
    } catch (Throwable e) { // user code
      return Future.failedFuture(notStarted(name, e));
    } finally {
      UserFailures.clearInterrupt();
    }
    RunningSource<K> running = group.add(name, source);
    Promise<EventSource<K>> result = Promise.promise();
    results.put(name, result);
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
              if (!loop.inbox().offer(new Step(() -> ended(name, source, result, started)))) {
                result.tryFail(ended());
              }
            });
    return result.future();
  }

  /** The start has ended: the source has synced, or is removed. */
  private void ended(
      String name,
      EventSource<K> source,
      Promise<EventSource<K>> result,
      AsyncResult<Void> started) {
    if (started.succeeded()) {
      result.tryComplete(source);
    } else if (results.remove(name, result)) {
      take(name);
      result.tryFail(notStarted(name, started.cause()));
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
    Promise<Boolean> result = Promise.promise();
    onLoop(result, () -> removed(name).onComplete(result));
    return result.future();
  }

  private Future<Boolean> removed(String name) {
    Promise<EventSource<K>> result = results.remove(name);
    if (result == null) {
      return Future.succeededFuture(false);
    }
    result.tryFail(
        new IllegalStateException("source \"" + name + "\" was removed before it synced"));
    log.atInfo()
        .addKeyValue("controller", controller)
        .addKeyValue("name", name)
        .log("source removed");
    return take(name).map(true);
  }

  /** Takes a source out of the group and stops it. */
  private Future<Void> take(String name) {
    RunningSource<K> source = Objects.requireNonNull(group.added().get(name));
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
    stopped = true;
    results.values().forEach(result -> result.tryFail(ended()));
    results.clear();
    return List.copyOf(stopping);
  }

  @Override
  public Set<String> names() {
    return Set.copyOf(group.added().keySet());
  }

  private void onLoop(Promise<?> result, Runnable step) {
    if (!loop.inbox().offer(new Step(() -> PromiseGuard.run(result, step)))) {
      result.tryFail(ended());
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
