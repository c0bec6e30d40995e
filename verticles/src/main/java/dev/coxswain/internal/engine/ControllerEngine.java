// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.internal.engine;

import dev.coxswain.controller.Conditions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerOptions;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.controller.SlotHandle;
import dev.coxswain.internal.loop.EngineThreads;
import dev.coxswain.internal.loop.Gauges;
import dev.coxswain.internal.loop.Inbox;
import dev.coxswain.internal.loop.InboxSink;
import dev.coxswain.internal.loop.NamespaceScope;
import dev.coxswain.internal.loop.ReconcileLoop;
import dev.coxswain.internal.loop.SlotGate;
import dev.coxswain.internal.loop.UserFailures;
import dev.coxswain.internal.queue.QueueOptions;
import dev.coxswain.internal.queue.QueueReader;
import dev.coxswain.internal.queue.WorkQueue;
import dev.coxswain.internal.time.Durations;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.retry.Composition;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.spi.Alarm;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.spi.Slots;
import dev.coxswain.verticle.ControllerVerticle;
import dev.coxswain.view.DrainReport;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One controller on threads provided by its caller: {@link ControllerVerticle} gives it a Vert.x
 * event loop, the test kit a virtual one.
 *
 * <p>Thread rule: {@link #start} and {@link #stop} on the event loop, the rest any thread.
 *
 * @param <K> the type of the controller's requests
 */
public final class ControllerEngine<K> {
  private static final Logger log = LoggerFactory.getLogger(ControllerEngine.class);

  /** The time limit for sources to stop, after which the controller stops without them. */
  private static final Duration SOURCE_STOP_LIMIT = Duration.ofSeconds(5);

  private final Controller<K> controller;
  private final String name;
  private final Clock clock;
  private final Alarm.Factory alarms;
  private final SourceGroup<K> sources;
  private final LoopSourceRegistry<K> added;
  private final SyncLimit syncLimit;
  private final RetryBudget.Waiter waiter;
  private final ReconcileLoop<K> loop;
  private final LoopHandle<K> handle;
  private final EventSink<K> sink;
  private final @Nullable SlotHandle slots;
  private final Promise<Void> synced = Promise.promise();

  /**
   * Prepares a controller.
   *
   * @param controller the controller
   * @param runtime the services of the host
   * @param threads the threads to run on
   * @throws IllegalArgumentException when there is no retry budget of the name in the options
   */
  public ControllerEngine(
      Controller<K> controller, ControllerRuntime runtime, EngineThreads threads) {
    this.controller = controller;
    ControllerOptions options = controller.options();
    ControllerTelemetry telemetry =
        new ContainedTelemetry(
            runtime.telemetry().apply(controller.name()), new UserFailures(controller.name()));
    RequestFormat<K> format = controller.format();
    this.alarms = threads.alarms();
    this.clock = runtime.clock();
    this.name = controller.name();
    RetryBudget budget = runtime.budgets().apply(options.budget());
    if (options.composition() == Composition.MAX_OF && !budget.reserves()) {
      throw new IllegalArgumentException(
          ("controller \"%s\": composition MAX_OF reserves tokens ahead, and limiter "
                  + "\"%s\" has none to reserve: its permits expire. Use ADMISSION")
              .formatted(controller.name(), budget.name()));
    }
    // Opened last of all that may throw: a waiter that is never closed would stay in the budget.
    this.waiter = budget.openWaiter(controller.name(), this::tokenMayBeThere);
    WorkQueue<K> queue =
        new WorkQueue<>(
            new QueueOptions<>(
                options.backoff(),
                options.composition(),
                options.agingStep(),
                options.fairFlows() ? format::namespace : null),
            runtime.clock(),
            waiter,
            telemetry);
    Conditions conditions = runtime.conditions().apply(controller.name());
    Gauges gauges = new Gauges(runtime.clock(), options.concurrency());
    this.sources = new SourceGroup<>(controller.sources(), telemetry);
    this.syncLimit =
        new SyncLimit(options.syncTimeout(), sources, conditions, clock, threads.alarms());
    QueueReader<K> reader = new QueueReader<>(queue, format, runtime.clock(), sources::selecting);
    SlotGate<K> gate = gate(controller, runtime.slots());
    if (gate != null) {
      queue.startGate(gate);
    }
    this.loop =
        new ReconcileLoop<>(
            controller, queue, telemetry, runtime.clock(), threads, gauges, conditions, gate);
    loop.epoch(runtime.epoch());
    NamespaceScope<K> scope =
        new NamespaceScope<>(name, runtime.namespaces(), runtime.clusters(), format);
    this.sink = new InboxSink<>(name, loop.inbox(), queue, telemetry, clock, gate, scope);
    this.slots =
        gate == null
            ? null
            : new SlotControl<>(format, sources, gate, queue, loop, telemetry, scope);
    this.added = new LoopSourceRegistry<>(name, sources, loop, sink, telemetry);
    this.handle =
        new LoopHandle<>(
            controller,
            queue,
            reader,
            loop,
            sources,
            scope,
            syncLimit,
            gauges,
            conditions,
            budget,
            runtime.clock(),
            threads);
  }

  private static <K> @Nullable SlotGate<K> gate(Controller<K> controller, @Nullable Slots slots) {
    Ownership ownership = controller.options().ownership();
    return slots == null || ownership == Ownership.EVERYWHERE
        ? null
        : new SlotGate<>(slots, controller.format(), ownership == Ownership.SHARDED);
  }

  /** Returns the slots; empty when every replica runs the controller, or the host has no slots. */
  public Optional<SlotHandle> slots() {
    return Optional.ofNullable(slots);
  }

  /** Starts the sources; the controller begins to reconcile when all of them have synced. */
  public void start() {
    start(Future.succeededFuture());
  }

  /**
   * The same, but it begins to reconcile after a future has completed, too.
   *
   * @param ready completes or fails in bounded time
   */
  public void start(Future<?> ready) {
    loop.occupant().run(() -> begin(ready)); // calls user code
  }

  private void begin(Future<?> ready) {
    loop.pump(); // publishes the first gauges
    syncLimit.begin();
    ControllerRuntime.connect(controller, added); // which adds those that wait for the start
    sources
        .start(sink)
        .onSuccess(done -> ready.onComplete(_ -> loop.inbox().offer(new Begin())))
        .onFailure(synced::tryFail);
  }

  /**
   * Returns a future that completes when the controller begins to reconcile, and fails when a
   * source could not be started or the controller was stopped before.
   */
  public Future<Void> synced() {
    return synced.future();
  }

  /**
   * Returns a future that completes with the reason when the sources have not synced within {@link
   * ControllerOptions#syncTimeout}. They go on, so {@link #synced} may complete later.
   */
  public Future<String> syncTimedOut() {
    return syncLimit.passed();
  }

  /**
   * Returns whether it cannot sync for now: a source of its start waits for what it reads; see
   * {@link EventSource#isWaiting}.
   */
  public boolean isWaiting() {
    return sources.first().stream().anyMatch(RunningSource::isWaiting);
  }

  /** Returns the sources that it has now, also those that were added while it ran. */
  public List<EventSource<K>> sources() {
    return sources.all().stream().map(RunningSource::source).toList();
  }

  /** Returns the handle. */
  public ControllerHandle handle() {
    return handle;
  }

  /** Returns the sink of this controller, which its sources use too. */
  public EventSink<K> sink() {
    return sink;
  }

  /**
   * Drains the controller and stops its sources. A source that fails to stop, or does not within a
   * few seconds, is reported in the log and does not hold up the rest.
   *
   * @param limit how long running attempts may go on
   * @return how it stopped
   */
  public Future<DrainReport> stop(Duration limit) {
    synced.tryFail(new IllegalStateException("the controller was stopped before it had synced"));
    return handle
        .drain(limit)
        .compose(report -> {
          waiter.close();
          loop.history().close();
          return stopSources().map(report);
        });
  }

  private Future<Void> stopSources() {
    syncLimit.end();
    ControllerRuntime.connect(controller, added); // if it was not started: what waits fails
    List<Future<Void>> all = new ArrayList<>(added.stop());
    Promise<Void> stopped = Promise.promise();
    Alarm limit =
        alarms.create(
            () -> stopped.tryFail("they did not stop within " + Durations.text(SOURCE_STOP_LIMIT)));
    limit.set(clock.nanos() + SOURCE_STOP_LIMIT.toNanos());
    all.add(sources.stop());
    Future.join(all)
        .onComplete(done -> {
          if (done.succeeded()) {
            stopped.tryComplete();
          } else {
            stopped.tryFail(done.cause());
          }
        });
    return stopped
        .future()
        .onComplete(done -> limit.clear())
        .recover(e -> {
          log.atWarn()
              .addKeyValue("controller", name)
              .addKeyValue("error", e.toString())
              .log("sources did not stop");
          return Future.succeededFuture();
        });
  }

  private void tokenMayBeThere() {
    loop.inbox().offer(new TokenAvailable());
  }

  /** Retries the request for a token, which may now be available. */
  @SuppressWarnings("serial") // a node of the inbox by inheritance only; never serialized
  private final class TokenAvailable extends Inbox.Node {
    @Override
    public void process(long now) {
      loop.tokenMayBeThere();
    }
  }

  /** Begins on the event loop, after everything the sources delivered before they synced. */
  @SuppressWarnings("serial") // a node of the inbox by inheritance only; never serialized
  private final class Begin extends Inbox.Node {
    @Override
    public void process(long now) {
      syncLimit.end();
      loop.begin();
      synced.tryComplete();
    }
  }
}
