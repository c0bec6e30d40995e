// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.testkit;

import dev.coxswain.controller.Conditions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.controller.SlotHandle;
import dev.coxswain.internal.engine.ControllerEngine;
import dev.coxswain.internal.loop.EngineThreads;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.source.EventSink;
import dev.coxswain.spi.Slots;
import dev.coxswain.view.DrainReport;
import dev.coxswain.view.QueueSnapshot;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * A controller in virtual time, on the thread of the test.
 *
 * <p>Blocking reconcilers run inside the event loop and so take no time; an asynchronous one takes
 * time with {@link VirtualTime#after}.
 *
 * {@snippet :
 * var kit = ControllerTestKit.of(controller);
 * kit.add(Request.of("shop", "cart"));
 * kit.time().advance(Duration.ofSeconds(1000));
 * assertThat(kit.telemetry().started()).isEqualTo(18);
 * }
 *
 * <p>Thread rule: one thread.
 *
 * @param <K> the type of the controller's requests
 */
public final class ControllerTestKit<K> {
  private final VirtualTime time;
  private final RecordingTelemetry telemetry = new RecordingTelemetry();
  private final Conditions conditions;
  private final ControllerEngine<K> engine;

  private ControllerTestKit(
      Controller<K> controller,
      VirtualTime time,
      Map<String, RetryBudget> budgets,
      Executor workers,
      @Nullable Slots slots) {
    this.time = time;
    this.conditions = new Conditions(controller.name(), time);
    this.engine =
        new ControllerEngine<>(
            controller,
            new ControllerRuntime(
                    name ->
                        budgets.computeIfAbsent(
                            name,
                            unknown ->
                                new LocalRetryBudget(
                                    name,
                                    RetryBudget.DEFAULT_RATE,
                                    RetryBudget.DEFAULT_BURST,
                                    time)),
                    name -> telemetry,
                    time,
                    ControllerRuntime.DEFAULT_DRAIN_LIMIT,
                    _ -> conditions)
                .withSlots(slots),
            new EngineThreads(time, time, time, workers));
    engine.start();
    time.settle();
  }

  /** Starts a controller on its own virtual time with default retry budgets. */
  public static <K> ControllerTestKit<K> of(Controller<K> controller) {
    return of(controller, new VirtualTime());
  }

  /** Starts a controller on a given virtual time with default retry budgets. */
  public static <K> ControllerTestKit<K> of(Controller<K> controller, VirtualTime time) {
    return new ControllerTestKit<>(controller, time, new HashMap<>(), Runnable::run, null);
  }

  /** Starts a sharded controller; all of its slots are closed. */
  public static <K> ControllerTestKit<K> withSlots(
      Controller<K> controller, VirtualTime time, Slots slots) {
    return new ControllerTestKit<>(controller, time, new HashMap<>(), Runnable::run, slots);
  }

  /** Starts a controller that uses a given retry budget for any budget name. */
  public static <K> ControllerTestKit<K> of(
      Controller<K> controller, VirtualTime time, RetryBudget budget) {
    Map<String, RetryBudget> budgets = new HashMap<>();
    budgets.put(controller.options().budget(), budget);
    return new ControllerTestKit<>(controller, time, budgets, Runnable::run, null);
  }

  /** Starts a controller whose blocking reconcilers run on {@code workers}. */
  public static <K> ControllerTestKit<K> withWorkers(
      Controller<K> controller, VirtualTime time, Executor workers) {
    return new ControllerTestKit<>(controller, time, new HashMap<>(), workers, null);
  }

  /** Returns the standing problems of the controller, which a test may raise as a host does. */
  public Conditions conditions() {
    return conditions;
  }

  /** Returns the time. */
  public VirtualTime time() {
    return time;
  }

  /** Returns the recorded telemetry of the controller. */
  public RecordingTelemetry telemetry() {
    return telemetry;
  }

  /** Returns the handle; call {@link VirtualTime#settle} for its futures to complete. */
  public ControllerHandle handle() {
    return engine.handle();
  }

  /** Returns the slots of a sharded controller; call {@link VirtualTime#settle} after using them. */
  public SlotHandle slots() {
    return engine.slots().orElseThrow();
  }

  /** Returns the sink of the controller; call {@link VirtualTime#settle} after using it. */
  public EventSink<K> sink() {
    return engine.sink();
  }

  /** Returns a future that completes when the sources have synced. */
  public Future<Void> synced() {
    return engine.synced();
  }

  /** Adds an event and runs everything that becomes due by it. */
  public void add(K request) {
    engine.sink().add(request);
    time.settle();
  }

  /** Returns the present counters. */
  public QueueSnapshot counters() {
    time.settle();
    return engine.handle().snapshot();
  }

  /** Waits in virtual time for a future, at most an hour, and returns its result. */
  public <T> T await(Future<T> future) {
    long end = time.nanos() + Duration.ofHours(1).toNanos();
    time.settle();
    while (!future.isComplete() && end - time.nanos() > 0 && time.advanceToNext()) {
      // each round is one alarm
    }
    if (!future.isComplete()) {
      throw new IllegalStateException("the future did not complete within an hour of virtual time");
    }
    if (future.failed()) {
      throw new IllegalStateException(future.cause());
    }
    return future.result();
  }

  /** Stops the controller and returns how it stopped. */
  public DrainReport stop(Duration limit) {
    Future<DrainReport> stopped = engine.stop(limit);
    return await(stopped);
  }
}
