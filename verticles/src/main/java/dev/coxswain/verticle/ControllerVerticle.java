// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.verticle;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.controller.SlotHandle;
import dev.coxswain.internal.engine.ControllerEngine;
import dev.coxswain.internal.loop.EngineThreads;
import dev.coxswain.view.DrainReport;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.ThreadingModel;
import io.vertx.core.VerticleBase;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one controller on one event loop.
 *
 * <p>Deploying it starts the sources; the deployment is complete at once, and {@link #synced}
 * completes when the controller begins to reconcile. Undeploying it drains the controller up to the
 * limit of its {@link ControllerRuntime} and stops the sources.
 *
 * <p>Thread rule: deployed once, with the event-loop threading model; {@link #handle}, {@link
 * #synced} and {@link #syncTimedOut} may be called from any thread after the deployment has completed.
 *
 * @param <K> the type of the controller's requests
 */
public final class ControllerVerticle<K> extends VerticleBase {
  private static final Logger log = LoggerFactory.getLogger(ControllerVerticle.class);

  private final Controller<K> controller;
  private final ControllerRuntime runtime;

  /** Written once by the deployment. */
  private volatile @Nullable ControllerEngine<K> engine;

  private @Nullable ExecutorService workers;

  /** Set before the deployment, if at all. */
  private Consumer<ControllerHandle> beforeStart = _ -> {};

  private Future<?> ready = Future.succeededFuture();

  /**
   * Creates a verticle for one controller.
   *
   * @param controller the controller
   * @param runtime the services of the host
   */
  public ControllerVerticle(Controller<K> controller, ControllerRuntime runtime) {
    this.controller = Objects.requireNonNull(controller, "controller");
    this.runtime = Objects.requireNonNull(runtime, "runtime");
  }

  /**
   * Sets an action on the handle before the sources start, so that no request of theirs is started
   * before it, such as a pause. Must be called before the deployment.
   *
   * @param action called on the event loop of the verticle
   */
  public void beforeStart(Consumer<ControllerHandle> action) {
    beforeStart = Objects.requireNonNull(action, "action");
  }

  /**
   * Lets the controller begin to reconcile only after a future has completed, in either way: its
   * sources start meanwhile. Must be called before the deployment.
   *
   * @param future completes or fails in bounded time
   */
  public void beginsAfter(Future<?> future) {
    ready = Objects.requireNonNull(future, "future");
  }

  /**
   * Returns the handle of the running controller.
   *
   * @throws IllegalStateException before the deployment has completed
   */
  public ControllerHandle handle() {
    return engine().handle();
  }

  /**
   * Returns the slots of the running controller; empty when it is not sharded.
   *
   * @throws IllegalStateException before the deployment has completed
   */
  public Optional<SlotHandle> slots() {
    return engine().slots();
  }

  /**
   * Returns a future that completes when all sources have delivered what existed at the start, and
   * fails when one of them could not be started.
   *
   * @throws IllegalStateException before the deployment has completed
   */
  public Future<Void> synced() {
    return engine().synced();
  }

  /**
   * Returns a future that completes with the reason when the sources have not synced within {@link
   * dev.coxswain.controller.ControllerOptions#syncTimeout}; it may never complete. They go on, so
   * {@link #synced} may complete later.
   *
   * @throws IllegalStateException before the deployment has completed
   */
  public Future<String> syncTimedOut() {
    return engine().syncTimedOut();
  }

  /**
   * Returns whether it cannot sync for now: a source of its start waits for what it reads, such as a
   * resource that is not installed. Any thread.
   *
   * @throws IllegalStateException before the deployment
   */
  public boolean isWaiting() {
    return engine().isWaiting();
  }

  private ControllerEngine<K> engine() {
    ControllerEngine<K> started = engine;
    if (started == null) {
      throw new IllegalStateException("controller \"" + controller.name() + "\" is not deployed");
    }
    return started;
  }

  @Override
  public Future<?> start() {
    Context loop = context;
    if (loop.threadingModel() != ThreadingModel.EVENT_LOOP) {
      return Future.failedFuture(
          new IllegalStateException(
              "controller \"%s\" must be deployed on an event loop, not %s"
                  .formatted(controller.name(), loop.threadingModel())));
    }
    ExecutorService threads = Executors.newThreadPerTaskExecutor(threads());
    workers = threads;
    ControllerEngine<K> created =
        new ControllerEngine<>(
            controller,
            runtime,
            new EngineThreads(
                task -> loop.runOnContext(ignored -> task.run()),
                new YieldingExecutor(loop),
                onRing -> new VertxAlarm(loop, runtime.clock(), onRing),
                threads));
    engine = created;
    beforeStart.accept(created.handle());
    created.start(ready);
    log.atInfo()
        .addKeyValue("controller", controller.name())
        .addKeyValue("concurrency", controller.options().concurrency())
        .log("controller started");
    return Future.succeededFuture();
  }

  /**
   * Returns the threads of attempts, one for each; the queue bounds their number. Platform threads
   * are not pooled either: what an attempt leaves in thread locals ends with it.
   */
  private ThreadFactory threads() {
    String prefix = "reconcile-" + controller.name() + "-";
    return switch (controller.options().threads()) {
      case VIRTUAL -> Thread.ofVirtual().name(prefix, 0).factory();
      case PLATFORM -> Thread.ofPlatform().daemon().name(prefix, 0).factory();
    };
  }

  @Override
  public Future<?> stop() {
    ControllerEngine<K> started = engine;
    if (started == null) {
      return Future.succeededFuture();
    }
    return started
        .stop(runtime.drainLimit())
        .onSuccess(this::report)
        .andThen((_, _) -> {
          ExecutorService threads = workers;
          if (threads != null) {
            threads.shutdown(); // does not wait; attempts that were abandoned keep their thread
          }
        });
  }

  private void report(DrainReport report) {
    (report.abandonedCount() == 0 ? log.atInfo() : log.atWarn())
        .addKeyValue("controller", report.controller())
        .addKeyValue("finished", report.finished())
        .addKeyValue("cancelled", report.cancelled())
        .addKeyValue("abandoned", report.abandonedCount())
        .addKeyValue("abandonedKeys", report.abandoned())
        .addKeyValue("remaining", report.remaining())
        .addKeyValue("tookMs", report.took().toMillis())
        .log("controller drained");
  }
}
