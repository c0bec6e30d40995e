// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.controllers;

import dev.coxswain.admin.spi.ControllerDirectory.FailedController;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import dev.coxswain.admin.spi.PauseStore;
import dev.coxswain.controller.Conditions;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.host.controllers.ControllerSetup.Build;
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
 * One controller of this host, running or not.
 *
 * <p>Confined to the host's context, except {@link #handle}, {@link #failure} and {@link #phase}.
 */
final class ManagedController {
  // A level-triggered state machine: opened and leading are the desired state; created, running and
  // busy are the actual state. Every change calls advance(), which takes at most one step at a time
  // (build, deploy, undeploy) and is called again when that step has ended. A failed step is
  // repeated after a backoff. The epoch distinguishes late results of an earlier deployment.

  private static final Logger LOG = LoggerFactory.getLogger(ManagedController.class);
  private static final long FIRST_RETRY_MILLIS = 500;
  private static final long MAX_RETRY_MILLIS = 60_000;

  /**
   * The time of the engine to cancel attempts and stop its sources, in addition to its drain limit.
   */
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
  private @Nullable Build created;
  private @Nullable String deployment;
  private Duration drainLimit;

  private final AtomicInteger abandoned = new AtomicInteger();

  // Read by the admin API, the probes and the metrics on their own threads.
  private volatile @Nullable ControllerHandle handle;
  private volatile @Nullable FailedController failure;
  private volatile ControllerPhase phase = ControllerPhase.WAITING;
  private volatile boolean leading;

  /** The start of its phase or of its leadership. */
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

  /** Returns the failure because of which it does not run, or null. */
  @Nullable FailedController failure() {
    return failure;
  }

  /** Returns its conditions; any thread. */
  Conditions conditions() {
    return runtime.conditions();
  }

  /** Returns the number of attempts that its stops abandoned; any thread. */
  int abandoned() {
    return abandoned.get();
  }

  ControllerPhase phase() {
    return phase;
  }

  Instant since() {
    return since;
  }

  /** Returns its idle state, if it neither runs nor failed to start. */
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

  /** Starts it if this replica runs it; the future completes when the first step has ended. */
  Future<Void> open() {
    opened = true;
    return advanced();
  }

  /**
   * Sets whether this replica leads; the future completes when the controller has been started or
   * stopped.
   */
  Future<Void> lead(boolean value, Duration limit) {
    if (leading != value) {
      since = runtime.clock().instant();
      leading = value;
    }
    drainLimit = limit;
    return advanced();
  }

  /**
   * Stores the reason why this replica cannot use the Lease, which is shown while it does not run.
   */
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
    Build ready = created;
    boolean mine = ready != null && (leading || ready.everywhere());
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

  /** Another replica runs it, or the owner cannot be observed, which is shown as a failure. */
  private void standBy() {
    enter(ControllerPhase.STANDBY);
    attempts = 0;
    if (leaseProblem.isEmpty()) {
      failure = null;
      conditions().clear(ConditionType.LEASE_UNAVAILABLE);
      return;
    }
    String message =
        "does not run on this replica, which cannot use the Lease of its owner: " + leaseProblem;
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
    Promise<Build> result = Promise.promise();
    Thread.ofVirtual()
        .name("create-" + name())
        .start(() -> {
          try {
            result.complete(runtime.create(definition));
          } catch (Throwable e) {
            // A broken jar affects its own controller only; an uncaught Error would leave this
            // controller busy for ever, and block the start and the stop of the host.
            result.fail(e);
          }
        });
    return onContext(result.future())
        .onSuccess(build -> created = build)
        .onFailure(this::failed)
        .mapEmpty();
  }

  private Future<Void> deploy(Build build) {
    int mine = ++epoch;
    if (phase == ControllerPhase.STANDBY) {
      failure = null;
      conditions().clear(ConditionType.LEASE_UNAVAILABLE);
    }
    PauseStore.Pause pause = runtime.pause();
    if (!build.everywhere()) {
      build.guard().deployedIn(runtime.term().get());
    }
    ControllerVerticle<?> verticle = runtime.verticle(build.controller(), pause);
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
      created = null; // makes advance() undeploy it
      failed(cause);
      advance();
    }
  }

  private Future<Void> undeploy(String id) {
    epoch++;
    deployment = null;
    created = null; // its sources cannot be started again
    ControllerHandle stopping = handle;
    Future<?> drained =
        stopping == null
            ? Future.succeededFuture()
            : stopping.drain(drainLimit).onSuccess(report -> left(report.abandonedCount()));
    // The time limit has no context: the timer of a future of the controller would be on its event
    // loop.
    return onContext(bounded(drained).transform(_ -> bounded(runtime.deployments().undeploy(id))))
        .onComplete(_ -> handle = null)
        .onFailure(cause ->
            LOG.atWarn()
                .addKeyValue("controller", name())
                .setCause(cause)
                .log("controller did not stop cleanly"))
        .mapEmpty();
  }

  /** Each abandoned attempt counts once: a later drain does not find it again. */
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
        .log("controller start failed, retrying");
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
