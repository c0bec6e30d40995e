// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.lifecycle;

import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts members group by group and stops them in reverse.
 *
 * <ul>
 *   <li>The members of one group start, and stop, at the same time.
 *   <li>A member that is added to a group that has started is started at once.
 *   <li>Nothing can be added from the moment the stop begins.
 *   <li>When a member cannot be started, what has been started is stopped again.
 *   <li>A member whose start is still going on is stopped when that has ended, and at the latest
 *       after half of the limit to stop.
 *   <li>Each group has the limit to stop; what takes longer is reported and left behind.
 * </ul>
 *
 * <p>Thread rule: any thread; the state is confined to one context.
 */
public final class Lifecycle {

  private static final Logger LOG = LoggerFactory.getLogger(Lifecycle.class);
  private static final Group[] GROUPS = Group.values();

  /** A member that was started, with the outcome of that. */
  private record Begun(Component member, Future<?> start) {}

  private enum State {
    NEW,
    STARTING,
    RUNNING,
    STOPPING
  }

  private final Vertx vertx;
  private final Context context;
  private final Duration stopLimit;
  private final Promise<Void> stopped = Promise.promise();
  private final Map<Group, List<Component>> members = new EnumMap<>(Group.class);
  private final Map<Group, List<Begun>> begun = new EnumMap<>(Group.class);
  private State state = State.NEW;
  private int startedGroups;

  /**
   * Creates a life that has not begun.
   *
   * @param vertx whose event loop and timers to use
   * @param stopLimit how long a group may take to stop
   */
  public Lifecycle(Vertx vertx, Duration stopLimit) {
    this.vertx = vertx;
    this.context = vertx.getOrCreateContext();
    this.stopLimit = stopLimit;
    for (Group group : GROUPS) {
      members.put(group, new ArrayList<>());
      begun.put(group, new ArrayList<>());
    }
  }

  /**
   * Adds a member, and starts it when its group has started.
   *
   * @return a future that completes when it has been added and, if it is started at once, has
   *     started; fails with {@link IllegalStateException} when the stop has begun
   */
  public Future<Void> add(Group group, Component member) {
    return onContext(() -> {
      if (state == State.STOPPING) {
        throw new IllegalStateException(
            member.name() + " was added while the host stops; nothing can be added then");
      }
      list(members, group).add(member);
      return group.ordinal() < startedGroups
          ? startMember(group, member).<Void>mapEmpty()
          : Future.succeededFuture();
    });
  }

  /**
   * Starts the groups in order.
   *
   * @return a future that fails with the first cause when a member cannot be started, after
   *     everything has been stopped again
   */
  public Future<Void> start() {
    return onContext(() -> {
      if (state != State.NEW) {
        throw new IllegalStateException("the host was started more than once");
      }
      state = State.STARTING;
      Future<Void> all = Future.succeededFuture();
      for (Group group : GROUPS) {
        all = all.compose(_ -> startGroup(group));
      }
      return all.onSuccess(_ -> state = state == State.STARTING ? State.RUNNING : state)
          .recover(cause -> stop().transform(_ -> Future.failedFuture(cause)));
    });
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
    for (Component member : List.copyOf(list(members, group))) {
      starts.add(startMember(group, member));
    }
    return Future.all(starts).mapEmpty();
  }

  private Future<?> startMember(Group group, Component member) {
    Future<?> start = attempt(member::start);
    list(begun, group).add(new Begun(member, start));
    return start;
  }

  private Future<Void> stopGroup(Group group) {
    List<Future<?>> stops = new ArrayList<>();
    for (Begun one : list(begun, group).reversed()) {
      Component member = one.member();
      Future<?> stop =
          one.start().isComplete()
              ? attempt(member::stop)
              : settled(one.start()).compose(_ -> attempt(member::stop));
      stops.add(bounded(member, stop));
    }
    return Future.join(stops).mapEmpty();
  }

  /**
   * Completes on the context when a start has ended, or the wait for it has: a server that is
   * stopped while it begins to listen would go on listening, and Vert.x reports an internal error
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

  private Future<Void> bounded(Component member, Future<?> stop) {
    Promise<Void> done = Promise.promise();
    long timer =
        vertx.setTimer(
            Math.max(1, stopLimit.toMillis()),
            _ -> {
              if (done.tryComplete()) {
                LOG.atWarn()
                    .addKeyValue("member", member.name())
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
            LOG.atWarn().addKeyValue("member", member.name()).setCause(cause).log("stop failed");
          }
        });
    return done.future();
  }

  private static Future<?> attempt(Callable<Future<?>> action) {
    try {
      return action.call();
    } catch (Exception e) {
      return Future.failedFuture(e); // a member that throws is one that fails
    }
  }

  private <T> Future<T> onContext(Callable<Future<T>> action) {
    Promise<T> result = Promise.promise();
    context.runOnContext(_ -> {
      try {
        action.call().onComplete(result);
      } catch (Exception e) {
        result.fail(e);
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
