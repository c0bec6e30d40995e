// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.controllers;

import dev.coxswain.admin.spi.ControllerDirectory.FailedController;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import dev.coxswain.admin.spi.PauseStore;
import dev.coxswain.controller.Conditions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.internal.loop.ClassNames;
import dev.coxswain.verticle.ControllerVerticle;
import dev.coxswain.view.ConditionType;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One controller in this host, whether it runs or not.
 *
 * <p>Confined to the host's context, except {@link #handle}, {@link #failure} and {@link #phase}.
 */
final class ManagedController {
  // How it works
  //
  // The slot is level-triggered itself: opened and leading say what is wanted, created, running and
  // busy say what is. Every change calls advance(), which takes at most one step at a time (build,
  // deploy, undeploy) and is called again when that step has ended. A step that fails is tried
  // again
  // after a backoff. The epoch tells a late answer of an earlier deployment from one that matters.

  private static final Logger LOG = LoggerFactory.getLogger(ManagedController.class);
  private static final long FIRST_RETRY_MILLIS = 500;
  private static final long MAX_RETRY_MILLIS = 60_000;

  /** What the engine may need besides its limit to cancel attempts and stop its sources. */
  static final Duration SPARE = Duration.ofSeconds(2);

  private final ControllerDefinition definition;
  private final ControllerSetup runtime;
  private final Context context;
  private final Runnable countFailure;
  private final List<Promise<Void>> waiters = new ArrayList<>();

  private boolean opened;
  private String leaseProblem = "";
  private boolean busy;
  private int epoch;
  private int attempts;
  private long retryTimer = -1;
  private @Nullable Controller<?> created;
  private @Nullable String deployment;
  private Duration drainLimit;

  private final AtomicInteger abandoned = new AtomicInteger();

  // Read by the admin API, the probes and the metrics on their own threads.
  private volatile @Nullable ControllerHandle handle;
  private volatile @Nullable FailedController failure;
  private volatile ControllerPhase phase = ControllerPhase.WAITING;
  private volatile boolean leading;

  /** Since when it is in its phase, or leads. */
  private volatile Instant since;

  ManagedController(
      ControllerDefinition definition,
      ControllerSetup runtime,
      Context context,
      Duration drainLimit,
      Runnable countFailure) {
    this.definition = definition;
    this.runtime = runtime;
    this.context = context;
    this.drainLimit = drainLimit;
    this.countFailure = countFailure;
    this.since = runtime.clock().instant();
  }

  String name() {
    return runtime.name();
  }

  /** Returns the running controller, or null. */
  @Nullable ControllerHandle handle() {
    return handle;
  }

  /** Returns why it does not run, or null when nothing failed. */
  @Nullable FailedController failure() {
    return failure;
  }

  /** Returns its standing problems; any thread. */
  Conditions conditions() {
    return runtime.conditions();
  }

  /** Returns how many attempts were left behind by its stops; any thread. */
  int abandoned() {
    return abandoned.get();
  }

  ControllerPhase phase() {
    return phase;
  }

  Instant since() {
    return since;
  }

  /** Returns why it does not run, if it neither runs nor failed to start. */
  IdlePhase idlePhase() {
    return switch (phase) {
      case STOPPED -> IdlePhase.STOPPED;
      case WAITING -> IdlePhase.STARTING;
      case STANDBY, SYNCING, RUNNING, FAILED -> leading ? IdlePhase.STARTING : IdlePhase.STANDBY;
    };
  }

  private void enter(ControllerPhase next) {
    if (phase != next) {
      since = runtime.clock().instant();
      phase = next;
    }
  }

  /** Lets it run if it belongs here; the future completes when a first step in that has ended. */
  Future<Void> open() {
    opened = true;
    return advanced();
  }

  /** Tells whether this replica leads; the future completes when the slot has followed. */
  Future<Void> lead(boolean value, Duration limit) {
    if (leading != value) {
      since = runtime.clock().instant();
      leading = value;
    }
    drainLimit = limit;
    return advanced();
  }

  /** Notes why this replica cannot use the Lease, which is shown while it does not run. */
  Future<Void> leaseProblem(String problem) {
    leaseProblem = problem;
    return advanced();
  }

  /** Stops it for good; the future completes when it has stopped. */
  Future<Void> close(Duration limit) {
    opened = false;
    drainLimit = limit;
    return advanced();
  }

  private Future<Void> advanced() {
    Promise<Void> done = Promise.promise();
    waiters.add(done);
    advance();
    return done.future();
  }

  private void advance() {
    if (busy) {
      return;
    }
    Controller<?> ready = created;
    boolean mine = ready != null && (leading || everywhere(ready));
    if (deployment != null && !(opened && mine)) {
      step(undeploy(deployment));
    } else if (!opened) {
      cancelRetry();
      created = null;
      enter(ControllerPhase.STOPPED);
      settled();
    } else if (retryTimer >= 0 || deployment != null) {
      settled();
    } else if (ready == null) {
      step(create());
    } else if (mine) {
      step(deploy(ready));
    } else {
      standBy();
      settled();
    }
  }

  /** Another replica runs it, or none can be seen to: then that is a failure of its own. */
  private void standBy() {
    enter(ControllerPhase.STANDBY);
    attempts = 0;
    if (leaseProblem.isEmpty()) {
      failure = null;
      conditions().clear(ConditionType.LEASE_UNAVAILABLE);
      return;
    }
    String message =
        "does not run here, because this replica cannot use the Lease of its owner: "
            + leaseProblem;
    FailedController before = failure;
    failure =
        new FailedController(
            name(),
            message,
            before == null ? runtime.clock().instant() : before.failedAt(),
            0,
            null);
    conditions().raise(ConditionType.LEASE_UNAVAILABLE, message);
  }

  private static boolean everywhere(Controller<?> controller) {
    return controller.options().ownership() == Ownership.EVERYWHERE;
  }

  private void step(Future<Void> step) {
    busy = true;
    step.onComplete(_ ->
        context.runOnContext(_ -> {
          busy = false;
          advance();
        }));
  }

  private void settled() {
    List<Promise<Void>> all = List.copyOf(waiters);
    waiters.clear();
    all.forEach(Promise::tryComplete);
  }

  private Future<Void> create() {
    Promise<Controller<?>> result = Promise.promise();
    Thread.ofVirtual()
        .name("create-" + name())
        .start(() -> {
          try {
            result.complete(runtime.create(definition));
          } catch (Throwable e) {
            // A broken jar breaks its own controller only; an Error that got away would leave this
            // slot busy for ever, and with it the start and the stop of the host.
            result.fail(e);
          }
        });
    return onContext(result.future())
        .onSuccess(controller -> created = controller)
        .onFailure(this::failed)
        .mapEmpty();
  }

  private Future<Void> deploy(Controller<?> controller) {
    int mine = ++epoch;
    if (phase == ControllerPhase.STANDBY) {
      failure = null;
      conditions().clear(ConditionType.LEASE_UNAVAILABLE);
    }
    PauseStore.Pause pause = runtime.pause();
    ControllerVerticle<?> verticle = runtime.verticle(controller, pause);
    return onContext(runtime.deployments().deploy(verticle))
        .onSuccess(id -> {
          deployment = id;
          handle = verticle.handle();
          runtime.started(verticle.handle(), pause);
          enter(ControllerPhase.SYNCING);
          onContext(verticle.synced())
              .onSuccess(_ -> synced(mine))
              .onFailure(cause -> syncFailed(mine, cause));
        })
        .onFailure(cause -> {
          created = null;
          failed(cause);
        })
        .mapEmpty();
  }

  private void synced(int of) {
    if (of == epoch && deployment != null) {
      enter(ControllerPhase.RUNNING);
      failure = null;
      attempts = 0;
    }
  }

  private void syncFailed(int of, Throwable cause) {
    if (of == epoch && deployment != null && opened) {
      created = null; // makes advance() undeploy what is there
      failed(cause);
      advance();
    }
  }

  private Future<Void> undeploy(String id) {
    epoch++;
    deployment = null;
    created = null; // its sources have been used up
    ControllerHandle stopping = handle;
    Future<?> drained =
        stopping == null
            ? Future.succeededFuture()
            : stopping.drain(drainLimit).onSuccess(report -> left(report.abandonedCount()));
    // Bounded on no context: the timer of a future of the controller would be on its event loop.
    return onContext(bounded(drained).transform(_ -> bounded(runtime.deployments().undeploy(id))))
        .onComplete(_ -> handle = null)
        .onFailure(cause ->
            LOG.atWarn()
                .addKeyValue("controller", name())
                .setCause(cause)
                .log("controller did not stop cleanly"))
        .mapEmpty();
  }

  /** Each attempt that is left behind counts once: a later drain does not find it again. */
  private void left(int more) {
    abandoned.addAndGet(more);
  }

  private <T> Future<T> bounded(Future<T> future) {
    return onContext(future).timeout(drainLimit.plus(SPARE).toMillis(), TimeUnit.MILLISECONDS);
  }

  private void failed(Throwable cause) {
    attempts++;
    countFailure.run();
    long delay =
        Math.min(MAX_RETRY_MILLIS, FIRST_RETRY_MILLIS << Math.min(attempts - 1, Integer.SIZE / 2));
    enter(ControllerPhase.FAILED);
    failure =
        new FailedController(
            name(),
            describe(cause),
            runtime.clock().instant(),
            attempts,
            runtime.clock().instant().plusMillis(delay));
    LOG.atError()
        .addKeyValue("controller", name())
        .addKeyValue("attempt", attempts)
        .addKeyValue("retryInMs", delay)
        .setCause(cause)
        .log("controller cannot be started");
    cancelRetry();
    retryTimer =
        runtime
            .host()
            .setTimer(
                delay,
                _ ->
                    context.runOnContext(_ -> {
                      retryTimer = -1;
                      advance();
                    }));
  }

  private static String describe(Throwable cause) {
    String message = cause.getMessage();
    return message == null || message.isBlank() ? ClassNames.simple(cause.getClass()) : message;
  }

  private void cancelRetry() {
    if (retryTimer >= 0) {
      runtime.host().cancelTimer(retryTimer);
      retryTimer = -1;
    }
  }

  private <T> Future<T> onContext(Future<T> future) {
    Promise<T> here = Promise.promise();
    future.onComplete(outcome -> context.runOnContext(_ -> here.handle(outcome)));
    return here.future();
  }
}
