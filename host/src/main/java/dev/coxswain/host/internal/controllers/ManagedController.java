// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.admin.spi.ControllerDirectory.FailedController;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import dev.coxswain.controller.Conditions;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.controller.SlotHandle;
import dev.coxswain.host.internal.controllers.ControllerSetup.Build;
import dev.coxswain.spi.Slots;
import dev.coxswain.verticle.ControllerVerticle;
import dev.coxswain.view.ConditionType;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
  // A level-triggered state machine: opened and the slots are the desired state; created, running
  // and busy are the actual state. A change calls advance(), which takes at most one step at a time
  // (build, deploy, undeploy) and is called again when that step has ended. A failed step is
  // repeated after a backoff. The epoch distinguishes late results of an earlier deployment.

  private static final Logger LOG = LoggerFactory.getLogger(ManagedController.class);

  /**
   * The time of the engine to cancel attempts and stop its sources, in addition to its drain limit.
   */
  static final Duration SPARE = Duration.ofSeconds(2);

  private final ControllerDefinition definition;
  private final ControllerSetup runtime;
  private final Context context;
  private final StartRetry retry;
  private final ControllerSlots slots;
  private final SyncWaits syncWaits;
  final ConcurrencyControl concurrency;
  private final List<Promise<Void>> waiters = new ArrayList<>();

  private boolean opened;
  private String ownershipProblem;
  private boolean busy;
  private int epoch;
  private @Nullable Build created;
  private @Nullable String deployment;
  private DeployedSlots deployed;

  private boolean outdated;
  private final RebuildState rebuild;

  private Duration drainLimit;

  private final AtomicInteger abandoned = new AtomicInteger();

  // Read by the admin API, the probes and the metrics on their own threads.
  private volatile @Nullable ControllerHandle handle;
  private volatile @Nullable FailedController failure;
  private volatile ControllerPhase phase = ControllerPhase.WAITING;
  private volatile boolean wanted;
  private volatile boolean leads;
  private volatile boolean inSlots;
  private volatile boolean ran;

  /** The start of its phase, or of when this replica is to run it. */
  private volatile Instant since;

  ManagedController(
      ControllerDefinition definition,
      ControllerSetup runtime,
      Context context,
      Duration drainLimit,
      ControllerSlots slots,
      Runnable countFailure) {
    this.definition = definition;
    this.runtime = runtime;
    this.context = context;
    this.drainLimit = drainLimit;
    this.retry = new StartRetry(runtime, context, countFailure);
    this.slots = slots;
    this.syncWaits = new SyncWaits(runtime, context);
    this.rebuild = new RebuildState(runtime, context);
    this.deployed = rebuild.slots();
    this.concurrency = new ConcurrencyControl(runtime, context);
    this.ownershipProblem = slots.problem();
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

  /** Returns whether this replica runs it as the only one. */
  boolean leads() {
    return leads;
  }

  /** Returns whether it works in slots, as far as it has been built; any thread. */
  boolean inSlots() {
    return inSlots;
  }

  /** Returns its idle state, if it neither runs nor failed to start. */
  IdlePhase idlePhase() {
    return switch (phase) {
      case STOPPED -> IdlePhase.STOPPED;
      case WAITING -> IdlePhase.STARTING;
      case STANDBY, SYNCING, RUNNING, FAILED -> wanted ? IdlePhase.STARTING : IdlePhase.STANDBY;
    };
  }

  /** Returns whether it has synced before, and may be syncing again; any thread. */
  boolean ran() {
    return ran;
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

  /** The slots of this replica have changed. */
  void slotsChanged() {
    advance();
  }

  /** Deploys it again, with the present slots. */
  void redeploy() {
    outdated = deployment != null;
    advance();
  }

  /**
   * The watched namespaces may have changed: it is built again if they have, while its caches are
   * kept. A start that waits for its time is tried at once.
   */
  void namespacesChanged() {
    Build ready = created;
    if (ready == null || runtime.isOutdated(ready)) {
      retry.cancel();
    }
    advance();
  }

  DeployedSlots deployed() {
    return deployed;
  }

  /**
   * Completes when it has synced, if it needs slots and is to run here, or after a while if it
   * cannot: its kind may not be installed, on no replica.
   */
  Future<Void> readyForSlots() {
    Build ready = created;
    boolean concerned = ready != null && !ready.everywhere() && opened && runsHere(ready);
    return concerned
        ? syncWaits.await(() -> phase == ControllerPhase.SYNCING)
        : Future.succeededFuture();
  }

  /**
   * Stores the reason why this replica cannot own slots, which is shown while it does not run.
   */
  void ownershipProblem(String problem) {
    ownershipProblem = problem;
    advance();
  }

  /** Stops it for good; the future completes when it has stopped. */
  Future<Void> close(Duration limit) {
    opened = false;
    drainLimit = limit;
    return advanced().onSuccess(_ -> syncWaits.end()); // no slot waits for it any more
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
    boolean mine = ready != null && runsHere(ready);
    leads = mine && has(ready, Ownership.LEADER) && slots.leads(name());
    if (wanted != mine) {
      wanted = mine;
      since = runtime.clock().instant();
    }
    boolean rewatched = ready != null && runtime.isOutdated(ready);
    if (deployment != null && (!opened || !mine || outdated || rewatched)) {
      if (ready != null && opened && mine && rewatched) {
        beginRebuild(ready);
      }
      step(undeploy(deployment));
    } else if (!opened) {
      retry.cancel();
      created = null;
      rebuild.forgetRequests();
      runtime.meters().end();
      enter(ControllerPhase.STOPPED);
      settled();
    } else if (retry.isWaiting() || deployment != null) {
      settled();
    } else if (ready == null || rewatched) {
      created = null;
      step(create());
    } else if (mine) {
      step(deploy(ready));
    } else {
      standBy();
      settled();
    }
  }

  private void beginRebuild(Build before) {
    LOG.atInfo()
        .addKeyValue("controller", name())
        .addKeyValue("before", SelectedNamespaces.text(Optional.of(before.namespaces())))
        .addKeyValue("after", SelectedNamespaces.text(runtime.watched().get()))
        .log("watched namespaces changed, controller is built again");
    rebuild.begin(handle, deployed, drainLimit);
  }

  private static boolean has(@Nullable Build build, Ownership ownership) {
    return build != null && build.controller().options().ownership() == ownership;
  }

  private boolean runsHere(Build build) {
    return slots.runs(name(), build.controller().options().ownership());
  }

  /** Another replica runs it, or this one may not, which is shown as a failure. */
  private void standBy() {
    rebuild.forgetRequests(); // the next owner lists its objects
    retry.succeeded();
    String conflict = slots.ended(name());
    String lease =
        ownershipProblem.isEmpty() || has(created, Ownership.EVERYWHERE)
            ? ""
            : "does not run on this replica, which cannot own any slot: " + ownershipProblem;
    String message = lease.isEmpty() ? conflict : lease;
    // Other controllers wait for the slot map, and then run on each replica.
    boolean starts = message.isEmpty() && !has(created, Ownership.LEADER);
    enter(starts ? ControllerPhase.WAITING : ControllerPhase.STANDBY);
    conditions().set(ConditionType.LEASE_UNAVAILABLE, lease.isEmpty() ? null : lease);
    conditions().set(ConditionType.OWNERSHIP_DIFFERS, conflict.isEmpty() ? null : conflict);
    if (message.isEmpty()) {
      failure = null;
      return;
    }
    FailedController before = failure;
    failure =
        new FailedController(
            name(),
            message,
            before == null ? runtime.clock().instant() : before.failedAt(),
            0,
            null);
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
    rebuild.settled();
    List<Promise<Void>> all = List.copyOf(waiters);
    waiters.clear();
    all.forEach(Promise::tryComplete);
  }

  private Future<Void> create() {
    Promise<Build> result = Promise.promise();
    Thread.ofPlatform()
        .daemon()
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
        .onSuccess(build -> {
          created = build;
          inSlots = !build.everywhere();
        })
        .onFailure(this::failed)
        .mapEmpty();
  }

  private Future<Void> deploy(Build build) {
    int mine = ++epoch;
    if (phase == ControllerPhase.STANDBY) {
      failure = null;
      conditions().clear(ConditionType.LEASE_UNAVAILABLE);
      conditions().clear(ConditionType.OWNERSHIP_DIFFERS);
    }
    outdated = false;
    Slots known = slots.of(name(), build.controller().options().ownership());
    ControllerVerticle<?> verticle = runtime.verticle(build, known, () -> slots.epoch(name()));
    Promise<Void> requests = Promise.promise();
    if (rebuild.isPending()) {
      verticle.beginsAfter(
          requests.future()); // or a retry would be a first attempt, without a token
    }
    return onContext(runtime.deployments().deploy(verticle))
        .onSuccess(id -> {
          deployment = id;
          syncWaits.deployed(verticle::isWaiting);
          concurrency.started(build, verticle.handle());
          handle = verticle.handle();
          verticle.slots().filter(_ -> runsHere(build)).ifPresent(this::beginSlots);
          runtime.applyPauses(verticle.handle());
          rebuild.passTo(verticle.handle(), () -> mine == epoch);
          bounded(rebuild.passed()).onComplete(_ -> requests.complete());
          enter(ControllerPhase.SYNCING);
          onContext(verticle.synced())
              .onSuccess(_ -> synced(mine))
              .onFailure(cause -> syncFailed(mine, cause));
          onContext(verticle.syncTimedOut()).onSuccess(reason -> notSynced(mine, reason));
        })
        .onFailure(cause -> {
          created = null;
          failed(cause);
        })
        .mapEmpty();
  }

  private void beginSlots(SlotHandle running) {
    DeployedSlots begun = new DeployedSlots(running, () -> slots.epoch(name()));
    deployed = begun;
    running.hold(slots.held());
    begun.open(slots.open());
    rebuild.openMoved(begun, slots.open());
  }

  private void synced(int of) {
    if (of == epoch && deployment != null) {
      syncWaits.end();
      ran = true;
      enter(ControllerPhase.RUNNING);
      failure = null;
      retry.succeeded();
    }
  }

  /** Shows it as failed; its sources go on, and it runs as soon as they have synced. */
  private void notSynced(int of, String reason) {
    if (of == epoch && deployment != null && phase == ControllerPhase.SYNCING) {
      enter(ControllerPhase.FAILED);
      failure = retry.notSynced(reason);
      syncWaits.end(); // the slots of the other controllers do not wait for it
    }
  }

  private void syncFailed(int of, Throwable cause) {
    // Once it has the requests of the former run, these need not be kept beside its own.
    bounded(rebuild.passed())
        .onComplete(_ -> {
          if (of == epoch && deployment != null && opened) {
            rebuild.keep(handle, deployed);
            created = null; // makes advance() undeploy it
            failed(cause);
            advance();
          }
        });
  }

  private Future<Void> undeploy(String id) {
    epoch++;
    deployment = null;
    created = null; // its sources cannot be started again
    DeployedSlots ending = deployed;
    ControllerHandle stopping = handle;
    Future<?> drained =
        stopping == null
            ? Future.succeededFuture()
            : stopping
                .drain(drainLimit)
                // Each counts once: a later drain does not find it again.
                .onSuccess(report -> abandoned.addAndGet(report.abandonedCount()));
    // The time limit has no context: the timer of a future of the controller would be on its event
    // loop.
    return onContext(bounded(drained).transform(_ -> bounded(runtime.deployments().undeploy(id))))
        .onComplete(_ -> {
          handle = null;
          ending.end();
          deployed = rebuild.slots();
          syncWaits.undeployed();
        })
        .onFailure(cause ->
            LOG.atWarn()
                .addKeyValue("controller", name())
                .setCause(cause)
                .log("controller did not stop cleanly"))
        .mapEmpty();
  }

  private <T> Future<T> bounded(Future<T> future) {
    return onContext(future).timeout(drainLimit.plus(SPARE).toMillis(), TimeUnit.MILLISECONDS);
  }

  private void failed(Throwable cause) {
    enter(ControllerPhase.FAILED);
    failure = retry.failed(cause, this::advance);
  }

  private <T> Future<T> onContext(Future<T> future) {
    Promise<T> here = Promise.promise();
    future.onComplete(outcome -> context.runOnContext(_ -> here.handle(outcome)));
    return here.future();
  }
}
