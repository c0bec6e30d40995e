// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.controllers;

import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.controller.Conditions;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.host.config.CoxswainConfiguration;
import dev.coxswain.host.limiter.RetryBudgets;
import dev.coxswain.host.metrics.HostMetrics;
import dev.coxswain.host.ownership.ControllerGate;
import dev.coxswain.host.probes.EventLoopWatchdog;
import dev.coxswain.host.slots.SlotControllers;
import dev.coxswain.host.slots.view.SlotOwners.Owner;
import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.Condition;
import dev.coxswain.view.ConditionType;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * All controllers of a host.
 *
 * <p>Thread rule: any thread. Futures never fail: a controller that does not start is reported and
 * started again later, and does not affect the others.
 */
public final class ControllerManager implements ControllerDirectory {

  private static final Logger LOG = LoggerFactory.getLogger(ControllerManager.class);

  /** The time for which the others wait for a controller that is slow to start or stop. */
  private static final Duration START_LIMIT = Duration.ofSeconds(5);

  private final String replica;
  private final Context context;
  private final Clock clock;
  private final Map<String, ManagedController> managed = new TreeMap<>();
  private final RetryBudgets budgets;

  /** The end of the drain limit; set once when the host begins to stop. */
  private volatile @Nullable Long stopDeadline;

  private final Duration drainLimit;

  private final ControllerSlots slots;

  private volatile @Nullable ConfigMapPauseStore pauses;

  /** Finds the last observed owner of a controller that one replica runs. */
  private volatile Function<String, Optional<Owner>> owners = _ -> Optional.empty();

  /**
   * Creates the manager, without starting a controller.
   *
   * @param controllers the event loops of the controllers
   * @param host the event loops of the manager itself, which must run while controllers block
   *     theirs
   * @param definitions the controllers
   * @param services the services of controllers' environments; access to Kubernetes is given with a
   *     write guard
   * @param budgets the limiters
   * @param owned permits the writes of controllers that not every replica runs
   */
  public ControllerManager(
      Vertx controllers,
      Vertx host,
      CoxswainConfiguration configuration,
      List<ControllerDefinition> definitions,
      Map<Class<?>, Object> services,
      RetryBudgets budgets,
      WriteGuard owned,
      HostMetrics metrics,
      Clock clock) {
    this.replica = configuration.replicaName();
    this.context = host.getOrCreateContext();
    this.clock = clock;
    this.drainLimit = configuration.drainLimit();
    this.budgets = budgets;
    budgets.all().values().forEach(metrics::limiter);
    slots = new ControllerSlots(context, managed.values());
    Map<String, ControllerTelemetry> telemetry = new HashMap<>();
    Deployments deployments = new Deployments(controllers);
    for (ControllerDefinition definition : definitions) {
      String name = definition.name();
      Conditions conditions = new Conditions(name, clock);
      telemetry.put(name, metrics.controller(name, () -> handleOf(name), conditions));
      ControllerRuntime runtime =
          new ControllerRuntime(
              budgets::get,
              of -> telemetry.getOrDefault(of, ControllerTelemetry.NONE),
              clock,
              drainLimit,
              _ -> conditions);
      var settings = configuration.controller(name);
      ManagedController controller =
          new ManagedController(
              definition,
              new ControllerSetup(
                  name, host, deployments, runtime, services, owned, settings, () -> pauses),
              context,
              drainLimit,
              slots,
              metrics.startFailures(name));
      managed.put(name, controller);
      metrics.owner(name, () -> unowned(controller));
      metrics.leader(name, controller::leads);
    }
  }

  /** Returns the controllers as users of slots. */
  public SlotControllers slotControllers() {
    return slots;
  }

  /** Sets what compares the ownership of controllers with that of other replicas. */
  public void admittedBy(ControllerGate gate) {
    slots.admittedBy(gate);
  }

  /** Sets where the owners of controllers are found that one replica runs. */
  public void ownedBy(Function<String, Optional<Owner>> found) {
    owners = found;
  }

  /** Sets the store of pauses for the controllers that start from now on. */
  public void follow(ConfigMapPauseStore stored) {
    pauses = stored;
  }

  /**
   * Builds all controllers and starts those that this replica runs. A controller that needs longer
   * than some seconds starts later, and is not waited for.
   */
  public Future<Void> open() {
    return each(START_LIMIT, ManagedController::open);
  }

  /** Raises or clears a condition of all controllers. */
  public void condition(ConditionType type, @Nullable String message) {
    managed.values().forEach(controller -> controller.conditions().set(type, message));
  }

  /** Returns the number of attempts that were abandoned by stopped controllers. */
  public int abandonedAttempts() {
    return managed.values().stream().mapToInt(ManagedController::abandoned).sum();
  }

  /** Stops all controllers. */
  public Future<Void> close() {
    return each(stopLimit(), controller -> controller.close(remaining()));
  }

  /** Starts the drain limit of the host, which is one for all controllers. */
  public void stopping() {
    stopDeadline = clock.nanos() + drainLimit.toNanos();
  }

  /** Returns the state of each controller, for the probes. */
  public List<ControllerState> states() {
    return managed.values().stream()
        .map(controller -> {
          FailedController failed = controller.failure();
          return new ControllerState(
              controller.name(),
              controller.phase(),
              failed == null ? null : failed.error(),
              conditions(controller));
        })
        .toList();
  }

  private static List<Condition> conditions(ManagedController controller) {
    ControllerHandle handle = controller.handle();
    if (handle != null) {
      return handle.status().conditions(); // reads the sources again
    }
    controller.conditions().clear(ConditionType.SOURCE_FAILED);
    controller
        .conditions()
        .clear(ConditionType.EVENT_LOOP_BLOCKED); // the watchdog checks running controllers only
    return controller.conditions().all();
  }

  /** Returns the running controllers, for the watchdog of event loops. */
  public Collection<EventLoopWatchdog.Watched> watched() {
    List<EventLoopWatchdog.Watched> all = new ArrayList<>();
    for (ManagedController controller : managed.values()) {
      ControllerHandle handle = controller.handle();
      if (handle != null) {
        handle
            .occupant()
            .ifPresent(occupant ->
                all.add(
                    new EventLoopWatchdog.Watched(
                        controller.name(), occupant, controller.conditions())));
      }
    }
    return all;
  }

  /**
   * Returns for how long the workers of controllers have been exhausted, without the excluded
   * controllers.
   */
  public Map<String, Duration> exhausted() {
    Map<String, Duration> exhausted = new TreeMap<>();
    for (ManagedController controller : managed.values()) {
      Duration age = controller.conditions().age(ConditionType.WORKERS_EXHAUSTED);
      if (age.isPositive()) {
        exhausted.put(controller.name(), age);
      }
    }
    return exhausted;
  }

  /**
   * One controller, for the probes.
   *
   * @param name its name
   * @param phase its phase
   * @param error the reason why it does not run, or null
   * @param conditions its conditions
   */
  public record ControllerState(
      String name, ControllerPhase phase, @Nullable String error, List<Condition> conditions) {

    /** Returns whether its start has ended, or waits for other replicas. */
    public boolean settled() {
      return phase != ControllerPhase.WAITING && phase != ControllerPhase.SYNCING;
    }

    /** Returns whether it is well. */
    public boolean healthy() {
      return phase != ControllerPhase.FAILED;
    }
  }

  @Override
  public String replica() {
    return replica;
  }

  /** Returns the running controllers. */
  public Collection<ControllerHandle> controllers() {
    List<ControllerHandle> running = new ArrayList<>(managed.size());
    for (ManagedController controller : managed.values()) {
      ControllerHandle handle = controller.handle();
      if (handle != null) {
        running.add(handle);
      }
    }
    return Collections.unmodifiableList(running);
  }

  @Override
  public Optional<ControllerHandle> find(String name) {
    return Optional.ofNullable(handleOf(name));
  }

  @Override
  public Snapshot snapshot() {
    List<ControllerHandle> running = new ArrayList<>();
    List<FailedController> failed = new ArrayList<>();
    List<IdleController> idle = new ArrayList<>();
    for (ManagedController controller : managed.values()) {
      // The phase is read first: a controller that starts meanwhile counts as running.
      IdlePhase phase = controller.idlePhase();
      FailedController failure = controller.failure();
      ControllerHandle handle = controller.handle();
      if (handle != null) {
        running.add(handle);
      } else if (failure != null) {
        failed.add(failure);
      } else {
        idle.add(idle(controller, phase));
      }
    }
    return new Snapshot(running, failed, idle);
  }

  private IdleController idle(ManagedController controller, IdlePhase phase) {
    Optional<Owner> seen = owners.apply(controller.name());
    if (phase == IdlePhase.STARTING || seen.isEmpty()) {
      return new IdleController(controller.name(), phase, controller.since(), null, false);
    }
    Owner last = seen.get();
    boolean other = !last.replica().equals(replica);
    return new IdleController(
        controller.name(),
        phase,
        other ? last.seenAt() : controller.since(),
        last.replica(),
        other && last.current());
  }

  /** Returns for how long no owner of a controller has been observed; zero while there is one. */
  private Duration unowned(ManagedController controller) {
    if (controller.handle() != null) {
      return Duration.ZERO;
    }
    // On standby with an unusable Lease it is failed and not idle, and has an owner.
    ControllerPhase phase = controller.phase();
    boolean left = phase == ControllerPhase.STANDBY || phase == ControllerPhase.STOPPED;
    Optional<Owner> seen =
        left
            ? owners.apply(controller.name()).filter(one -> !one.replica().equals(replica))
            : Optional.empty();
    if (seen.isPresent() && seen.get().current()) {
      return Duration.ZERO;
    }
    Duration since =
        Duration.between(seen.map(Owner::seenAt).orElseGet(controller::since), clock.instant());
    return since.isPositive() ? since : Duration.ofNanos(1); // wall clocks may go back
  }

  @Override
  public List<BudgetSnapshot> limiters() {
    return budgets.all().values().stream().map(RetryBudget::snapshot).toList();
  }

  private @Nullable ControllerHandle handleOf(String name) {
    ManagedController controller = managed.get(name);
    return controller == null ? null : controller.handle();
  }

  private Duration remaining() {
    Long deadline = stopDeadline;
    return deadline == null ? drainLimit : Duration.ofNanos(Math.max(0, deadline - clock.nanos()));
  }

  /** Returns the time limit of a controller to drain and to stop. */
  private Duration stopLimit() {
    return remaining().plus(ManagedController.SPARE).multipliedBy(2).plus(START_LIMIT);
  }

  private Future<Void> each(Duration limit, Function<ManagedController, Future<Void>> action) {
    Promise<Void> done = Promise.promise();
    context.runOnContext(_ -> {
      List<Future<Void>> all = new ArrayList<>();
      for (ManagedController controller : managed.values()) {
        all.add(
            action
                .apply(controller)
                .timeout(limit.toMillis(), TimeUnit.MILLISECONDS)
                .onFailure(_ -> late(controller, limit))
                .otherwiseEmpty());
      }
      Future.join(all).<Void>mapEmpty().onComplete(done);
    });
    return done.future();
  }

  private static void late(ManagedController controller, Duration limit) {
    LOG.atWarn()
        .addKeyValue("controller", controller.name())
        .addKeyValue("phase", controller.phase())
        .addKeyValue("waitedMs", limit.toMillis())
        .log("controller slow to start or stop, others no longer wait for it");
  }
}
