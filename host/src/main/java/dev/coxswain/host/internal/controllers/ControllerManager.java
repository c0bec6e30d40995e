// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.limiter.RetryBudgets;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.probes.EventLoopWatchdog;
import dev.coxswain.host.internal.tracing.Tracing;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.sharding.internal.replica.ShardedControllers;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.Condition;
import dev.coxswain.view.ConditionType;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
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
  private final HostMetrics metrics;
  private final ControllerFactory factory;
  private final ControllerReports reports;

  /** Changed on the context, and read on any thread. */
  private final Map<String, ManagedController> managed = new ConcurrentSkipListMap<>();

  /** The conditions of all controllers, for those that are added later; locked by itself. */
  private final Map<ConditionType, String> conditions = new EnumMap<>(ConditionType.class);

  /** The abandoned attempts of removed controllers. */
  private final AtomicInteger abandoned = new AtomicInteger();

  /** The names of controllers that were added later. */
  private final Set<String> added = ConcurrentHashMap.newKeySet();

  private boolean opened;
  private final RetryBudgets budgets;

  /** The end of the drain limit; set once when the host begins to stop. */
  private volatile @Nullable Long stopDeadline;

  private final Duration drainLimit;

  private final ControllerSlots slots;

  private volatile @Nullable ConfigMapPauseStore pauses;

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
   * @param share what the controllers of this replica share with those of others
   */
  public ControllerManager(
      Vertx controllers,
      Vertx host,
      CoxswainConfiguration configuration,
      List<ControllerDefinition> definitions,
      Map<Class<?>, Object> services,
      RetryBudgets budgets,
      ShardedControllers.Share share,
      HostMetrics metrics,
      Tracing tracing,
      Clock clock) {
    this.replica = configuration.replicaName();
    this.context = host.getOrCreateContext();
    this.clock = clock;
    this.drainLimit = configuration.drainLimit();
    this.budgets = budgets;
    budgets.all().values().forEach(metrics.limiters()::local);
    this.metrics = metrics;
    reports =
        new ControllerReports(replica, managed.values(), added::contains, share.owners(), clock);
    slots = new ControllerSlots(context, managed.values(), share.gate());
    factory =
        new ControllerFactory(
            controllers,
            host,
            configuration,
            services,
            budgets,
            share.guard(),
            metrics,
            tracing,
            clock);
    definitions.forEach(definition -> create(definition.name(), definition));
  }

  private ManagedController create(String name, ControllerDefinition definition) {
    ManagedController controller =
        factory.create(name, definition, context, slots, () -> pauses, this::handleOf);
    synchronized (conditions) {
      conditions.forEach((type, message) -> controller.conditions().set(type, message));
      managed.put(name, controller);
    }
    metrics.owner(name, () -> reports.unowned(controller));
    metrics.leader(name, controller::leads);
    return controller;
  }

  /**
   * Adds a controller. If the others have been started it is started, too, and is waited for as they
   * are.
   *
   * @param name its name, which must be {@link ControllerDefinition#name}
   * @return completes when its start has begun; fails with a {@link HostException} when there is one
   *     of this name, or the host stops
   */
  public Future<Void> add(String name, ControllerDefinition definition) {
    return onContext(() -> {
      if (managed.containsKey(name) || stopDeadline != null) {
        return Future.failedFuture(
            new HostException(
                stopDeadline != null
                    ? "the host is stopping"
                    : "controller \"" + name + "\" runs already, or has not stopped yet"));
      }
      ManagedController created = create(name, definition);
      added.add(name);
      return opened ? limited(created, START_LIMIT, created.open()) : Future.succeededFuture();
    });
  }

  /**
   * Stops a controller within the drain limit, and removes it with its meters. Its items are not
   * handed over: a controller that is added later, here or on the next owner of a slot, lists its
   * objects again.
   *
   * @return the number of attempts that did not end, not even after they were cancelled; fails with a
   *     {@link HostException} when it does not stop in time, and then it is removed when it has
   *     stopped
   */
  public Future<Integer> remove(String name) {
    return onContext(() -> {
      ManagedController controller = managed.get(name);
      if (controller == null) {
        return Future.succeededFuture(0);
      }
      Duration limit = stopLimit();
      return controller
          .close(remaining())
          .onSuccess(_ -> forget(name, controller))
          .map(_ -> controller.abandoned())
          .timeout(limit.toMillis(), TimeUnit.MILLISECONDS)
          .recover(_ ->
              Future.failedFuture(
                  new HostException(
                      "controller \"%s\" did not stop within %d s"
                          .formatted(name, limit.toSeconds()))));
    });
  }

  private void forget(String name, ManagedController controller) {
    if (managed.remove(name, controller)) {
      abandoned.addAndGet(controller.abandoned());
      added.remove(name);
      slots.removed(name);
      factory.removed(name);
    }
  }

  /** Returns the controllers as users of slots. */
  public ShardedControllers slotControllers() {
    return slots;
  }

  /** Sets the store of pauses for the controllers that start from now on. */
  public void follow(ConfigMapPauseStore stored) {
    pauses = stored;
  }

  /** Sets what selects namespaces by their labels; before {@link #open}. */
  public void follow(SelectedNamespaces selected) {
    factory.follow(selected);
  }

  /** Builds the controllers again whose namespaces have changed. */
  public void namespacesChanged() {
    context.runOnContext(_ -> managed.values().forEach(ManagedController::namespacesChanged));
  }

  /**
   * Builds all controllers and starts those that this replica runs. A controller that needs longer
   * than some seconds starts later, and is not waited for.
   */
  public Future<Void> open() {
    return each(() -> opened = true, START_LIMIT, ManagedController::open);
  }

  /**
   * Replaces the configuration of all controllers, of which only the concurrency and the watched
   * namespaces may have changed.
   */
  public Future<Void> reconfigure(CoxswainConfiguration next) {
    return onContext(() -> {
      factory.reconfigure(next);
      managed
          .values()
          .forEach(one -> {
            one.concurrency.apply();
            one.namespacesChanged();
          });
      return Future.succeededFuture();
    });
  }

  /** Raises or clears a condition of all controllers. */
  public void condition(ConditionType type, @Nullable String message) {
    synchronized (conditions) {
      if (message == null) {
        conditions.remove(type);
      } else {
        conditions.put(type, message);
      }
      for (ManagedController controller : managed.values()) {
        boolean affected = type != ConditionType.REPLICA_SUSPENDED || controller.inSlots();
        controller.conditions().set(type, affected ? message : null);
      }
    }
  }

  /** Returns the number of attempts that were abandoned by stopped controllers. */
  public int abandonedAttempts() {
    return abandoned.get() + managed.values().stream().mapToInt(ManagedController::abandoned).sum();
  }

  /** Stops all controllers. */
  public Future<Void> close() {
    return each(() -> {}, stopLimit(), controller -> controller.close(remaining()));
  }

  /** Starts the drain limit of the host, which is one for all controllers. */
  public void stopping() {
    stopDeadline = clock.nanos() + drainLimit.toNanos();
  }

  /** Returns the state of each controller, for the probes. */
  public List<ControllerState> states() {
    return reports.states();
  }

  /** Returns whether a controller works in slots, or waits to. */
  public boolean needsSlots() {
    return managed.values().stream()
        .anyMatch(one -> one.inSlots() || one.phase() == ControllerPhase.STANDBY);
  }

  /** Returns the running controllers, for the watchdogs of event loops and carriers. */
  public Collection<EventLoopWatchdog.Watched> watched() {
    return reports.watched();
  }

  /**
   * Returns for how long the workers of controllers have been exhausted, without the excluded
   * controllers.
   */
  public Map<String, Duration> exhausted() {
    return reports.exhausted();
  }

  /**
   * One controller, for the probes.
   *
   * @param name its name
   * @param phase its phase
   * @param error the reason why it does not run, or null
   * @param conditions its conditions
   * @param added whether it was added later, as those of plug-ins are
   * @param ran whether it has synced before in this process
   */
  public record ControllerState(
      String name,
      ControllerPhase phase,
      @Nullable String error,
      List<Condition> conditions,
      boolean added,
      boolean ran) {

    /** The state of a controller that was not added later, and has not synced yet. */
    public ControllerState(
        String name, ControllerPhase phase, @Nullable String error, List<Condition> conditions) {
      this(name, phase, error, conditions, false, false);
    }

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
    return reports.running();
  }

  @Override
  public Optional<ControllerHandle> find(String name) {
    return Optional.ofNullable(handleOf(name));
  }

  @Override
  public Snapshot snapshot() {
    return reports.snapshot();
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

  private Future<Void> each(
      Runnable first, Duration limit, Function<ManagedController, Future<Void>> action) {
    return onContext(() -> {
      first.run();
      List<Future<Void>> all = new ArrayList<>();
      managed.values().forEach(one -> all.add(limited(one, limit, action.apply(one))));
      return Future.join(all).mapEmpty();
    });
  }

  private static Future<Void> limited(
      ManagedController controller, Duration limit, Future<Void> action) {
    return action
        .timeout(limit.toMillis(), TimeUnit.MILLISECONDS)
        .onFailure(_ -> late(controller, limit))
        .otherwiseEmpty();
  }

  private <T> Future<T> onContext(Supplier<Future<T>> action) {
    Promise<T> done = Promise.promise();
    context.runOnContext(_ -> {
      try {
        action.get().onComplete(done);
      } catch (Throwable e) { // otherwise its caller would wait for ever
        done.tryFail(e);
      }
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
