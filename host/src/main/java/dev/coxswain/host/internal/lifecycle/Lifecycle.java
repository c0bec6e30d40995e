// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.lifecycle;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lifecycle of components, which start group by group and stop in reverse.
 *
 * <ul>
 *   <li>The components of one group start, and stop, at the same time.
 *   <li>A component that is added {@linkplain #addBeside beside} starts with its group, and the next
 *       groups do not wait for it, except {@link Group#OWNED}.
 *   <li>A component that is added to a group that has started is started at once.
 *   <li>Nothing can be added from the moment the stop begins.
 *   <li>When a component cannot be started, what has been started is stopped again.
 *   <li>A component whose start is still going on is stopped when that has ended, and at the latest
 *       after half of the limit to stop.
 *   <li>A start that takes long is logged again and again, with the components that it waits for.
 *   <li>The stop limit holds for each group; a component that takes longer is logged and abandoned.
 * </ul>
 *
 * <p>Thread rule: any thread; the state is confined to one context.
 */
public final class Lifecycle {

  private static final Logger LOG = LoggerFactory.getLogger(Lifecycle.class);
  private static final Group[] GROUPS = Group.values();
  private static final Duration REPORT = Duration.ofSeconds(10);

  /** A started component, with the future of its start. */
  private record Begun(Component component, Future<?> start) {}

  private enum State {
    NEW,
    STARTING,
    RUNNING,
    STOPPING
  }

  private final Vertx vertx;
  private final Context context;
  private final Duration stopLimit;
  private final Duration report;
  private final Promise<Void> stopped = Promise.promise();
  private final Map<Group, List<Component>> components = new EnumMap<>(Group.class);
  private final Map<Group, List<Begun>> begun = new EnumMap<>(Group.class);
  private final Set<Component> beside = Collections.newSetFromMap(new IdentityHashMap<>());
  private final List<Future<?>> besideStarts = new ArrayList<>();
  private final Promise<Void> started = Promise.promise();
  private volatile List<String> waiting = List.of();
  private Consumer<String> listener = _ -> {};
  private State state = State.NEW;
  private int startedGroups;

  /**
   * Creates a lifecycle that has not started.
   *
   * @param vertx its event loop and timers
   * @param stopLimit the time for a group to stop
   */
  public Lifecycle(Vertx vertx, Duration stopLimit) {
    this(vertx, stopLimit, REPORT);
  }

  /** Creates one that logs at other intervals what its start waits for. */
  Lifecycle(Vertx vertx, Duration stopLimit, Duration report) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.stopLimit = stopLimit;
    this.report = report;
    for (Group group : GROUPS) {
      components.put(group, new ArrayList<>());
      begun.put(group, new ArrayList<>());
    }
  }

  /**
   * Adds a component, and starts it when its group has started.
   *
   * @return a future that completes when it has been added and, if it is started at once, has
   *     started; fails with {@link IllegalStateException} when the stop has begun
   */
  public Future<Void> add(Group group, Component component) {
    return onContext(() -> {
      if (state == State.STOPPING) {
        throw new IllegalStateException(
            component.name() + " cannot be added: the host is stopping");
      }
      list(components, group).add(component);
      return group.ordinal() < startedGroups
          ? startMember(group, component).<Void>mapEmpty()
          : Future.succeededFuture();
    });
  }

  /**
   * Adds a component for which the next groups but {@link Group#OWNED} need not wait; before the
   * start.
   *
   * @return a future that completes when it has been added
   */
  public Future<Void> addBeside(Group group, Component component) {
    return onContext(() -> {
      if (state != State.NEW) {
        throw new IllegalStateException(component.name() + " must be added before the start");
      }
      beside.add(component);
      list(components, group).add(component);
      return Future.succeededFuture();
    });
  }

  /** Sets what receives the name of each component that has started, on the context; before the start. */
  public void onStarted(Consumer<String> started) {
    listener = started;
  }

  /** Returns the components that the start waits for, sorted; any thread. */
  public List<String> waiting() {
    return waiting;
  }

  /**
   * Starts the groups in order.
   *
   * @return a future that fails with the first cause when a component cannot be started, after
   *     everything has been stopped again
   */
  public Future<Void> start() {
    return onContext(() -> {
      if (state != State.NEW) {
        throw new IllegalStateException("the host was started more than once");
      }
      state = State.STARTING;
      long timer = vertx.setPeriodic(report.toMillis(), _ -> report());
      Future<Void> all = Future.succeededFuture();
      for (Group group : GROUPS) {
        all = all.compose(_ -> beforeGroup(group)).compose(_ -> startGroup(group));
      }
      all.onComplete(end -> {
        if (end.succeeded()) {
          started.tryComplete();
        } else {
          started.tryFail(end.cause());
        }
      });
      return started
          .future()
          .onComplete(_ -> vertx.cancelTimer(timer))
          .onSuccess(_ -> state = state == State.STARTING ? State.RUNNING : state)
          .recover(cause -> stop().transform(_ -> Future.failedFuture(cause)));
    });
  }

  /**
   * The slots wait for everything: a replica whose admin API cannot start takes none from others, each
   * time that it is started again.
   */
  private Future<?> beforeGroup(Group group) {
    return group == Group.OWNED ? Future.all(besideStarts) : Future.succeededFuture();
  }

  private void report() {
    List<String> components = waiting;
    if (state == State.STARTING && !components.isEmpty()) {
      LOG.atWarn().addKeyValue("components", components).log("start takes long, waiting");
    }
  }

  /** Stops the groups in reverse; later calls return the same future, which never fails. */
  public Future<Void> stop() {
    return onContext(() -> {
      if (state != State.STOPPING) {
        state = State.STOPPING;
        Future<Void> all = Future.succeededFuture();
        for (int i = GROUPS.length - 1; i >= 0; i--) {
          Group group = GROUPS[i];
          all = all.compose(_ -> stopGroup(group));
        }
        all.onComplete(stopped);
      }
      return stopped.future();
    });
  }

  private Future<Void> startGroup(Group group) {
    if (state != State.STARTING) {
      return Future.failedFuture(
          new IllegalStateException("stopped before the start was complete"));
    }
    startedGroups = group.ordinal() + 1;
    List<Future<?>> starts = new ArrayList<>();
    for (Component component : List.copyOf(list(components, group))) {
      Future<?> start = startMember(group, component);
      if (beside.contains(component)) {
        besideStarts.add(start.onFailure(started::tryFail));
      } else {
        starts.add(start);
      }
    }
    return Future.all(starts).mapEmpty();
  }

  private Future<?> startMember(Group group, Component component) {
    Future<?> start = attempt(component::start);
    list(begun, group).add(new Begun(component, start));
    showWaiting();
    Promise<Object> shown = Promise.promise();
    start.onComplete(started ->
        context.runOnContext(_ -> {
          showWaiting();
          if (started.succeeded()) {
            try {
              listener.accept(component.name());
              shown.complete();
            } catch (Throwable e) { // otherwise the start would wait for ever
              shown.fail(e);
            }
          } else {
            shown.fail(started.cause());
          }
        }));
    return shown.future();
  }

  private void showWaiting() {
    waiting =
        begun.values().stream()
            .flatMap(List::stream)
            .filter(one -> !one.start().isComplete())
            .map(one -> one.component().name())
            .sorted()
            .toList();
  }

  private Future<Void> stopGroup(Group group) {
    List<Future<?>> stops = new ArrayList<>();
    for (Begun one : list(begun, group).reversed()) {
      Component component = one.component();
      Future<?> stop =
          one.start().isComplete()
              ? attempt(component::stop)
              : settled(one.start()).compose(_ -> attempt(component::stop));
      stops.add(bounded(component, stop));
    }
    return Future.join(stops).mapEmpty();
  }

  /**
   * Returns a future, on the context, of the end of a start or of the wait for it. A server that is
   * stopped while it starts to listen would keep listening, and Vert.x reports an internal error
   * when a verticle is undeployed while it starts.
   */
  private Future<Void> settled(Future<?> start) {
    Promise<Void> ended = Promise.promise();
    long timer = vertx.setTimer(Math.max(1, stopLimit.toMillis() / 2), _ -> ended.tryComplete());
    start.onComplete(_ -> {
      vertx.cancelTimer(timer);
      context.runOnContext(_ -> ended.tryComplete());
    });
    return ended.future();
  }

  private Future<Void> bounded(Component component, Future<?> stop) {
    Promise<Void> done = Promise.promise();
    long timer =
        vertx.setTimer(
            Math.max(1, stopLimit.toMillis()),
            _ -> {
              if (done.tryComplete()) {
                LOG.atWarn()
                    .addKeyValue("component", component.name())
                    .addKeyValue("limit", stopLimit)
                    .log("component did not stop in time");
              }
            });
    stop.onComplete(
        _ -> {
          vertx.cancelTimer(timer);
          done.tryComplete();
        },
        cause -> {
          vertx.cancelTimer(timer);
          if (done.tryComplete()) {
            LOG.atWarn()
                .addKeyValue("component", component.name())
                .setCause(cause)
                .log("stop failed");
          }
        });
    return done.future();
  }

  private static Future<?> attempt(Callable<Future<?>> action) {
    try {
      Future<?> begun = action.call();
      return begun == null ? Future.failedFuture("it returned null, not a future") : begun;
    } catch (Throwable e) { // also an Error must not keep the others from stopping
      return Future.failedFuture(e);
    }
  }

  private <T> Future<T> onContext(Callable<Future<T>> action) {
    Promise<T> result = Promise.promise();
    context.runOnContext(_ -> {
      try {
        action.call().onComplete(result);
      } catch (Throwable e) { // otherwise its caller would wait for ever
        result.tryFail(e);
      }
    });
    return result.future();
  }

  private static <T> List<T> list(Map<Group, List<T>> of, Group group) {
    List<T> found = of.get(group);
    if (found == null) {
      throw new IllegalStateException("no such group: " + group);
    }
    return found;
  }
}
