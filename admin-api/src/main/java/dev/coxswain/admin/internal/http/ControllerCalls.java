// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import dev.coxswain.admin.internal.json.Durations;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.view.Condition;
import dev.coxswain.view.ConditionType;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Calls controllers, and returns their results on the admin event loop, so that no JSON is written
 * on the loop of a controller. The number of calls that wait for one controller is bounded.
 * Confined to the admin event loop.
 */
public final class ControllerCalls {

  /** The number of calls that may wait for one controller. */
  public static final int MAX_PENDING = 16;

  private final Context context;
  private final Executor slices;
  private final IdentityHashMap<ControllerHandle, Integer> pending = new IdentityHashMap<>();

  /**
   * Creates the calls.
   *
   * @param context of the admin event loop
   * @param slices runs the continuation of a call there
   */
  public ControllerCalls(Context context, Executor slices) {
    this.context = context;
    this.slices = slices;
  }

  public <T> Future<T> call(
      ControllerHandle handle, Function<ControllerHandle, Future<T>> request) {
    if (pending.getOrDefault(handle, 0) >= MAX_PENDING) {
      throw Problem.unavailable(
              "controller-busy",
              "Controller busy",
              "controller \""
                  + handle.name()
                  + "\" has not answered "
                  + MAX_PENDING
                  + " earlier requests; try again")
          .rejection();
    }
    Problem blocked = blocked(handle);
    if (blocked != null) {
      throw blocked.rejection();
    }
    Future<T> answer = request.apply(handle); // may throw: then nothing is pending
    pending.merge(handle, 1, Integer::sum);
    return onAdminLoop(handle, answer)
        .onComplete(done -> pending.computeIfPresent(handle, (h, n) -> n == 1 ? null : n - 1));
  }

  /** Returns the problem of a controller whose event loop is blocked; null for another one. */
  private static @Nullable Problem blocked(ControllerHandle handle) {
    for (Condition condition : handle.status().conditions()) {
      if (condition.type() == ConditionType.EVENT_LOOP_BLOCKED) {
        return Problem.unavailable(
            "controller-blocked",
            "Controller blocked",
            "controller \""
                + handle.name()
                + "\" has not answered since "
                + Durations.shown(condition.since())
                + ": "
                + condition.message());
      }
    }
    return null;
  }

  /** Returns a result on the admin event loop, without a time limit. */
  public <T> Future<T> onAdminLoop(ControllerHandle handle, Future<T> answer) {
    Promise<T> onAdminLoop = Promise.promise();
    answer.onComplete((value, failure) ->
        context.runOnContext(hop ->
            slices.execute(() ->
                onAdminLoop.complete(value, failure == null ? null : translate(handle, failure)))));
    return onAdminLoop.future();
  }

  /** Completes when a future completes or the time limit is over. */
  public Future<Void> atMost(Future<?> what, Duration limit) {
    Promise<Void> over = Promise.promise();
    Vertx vertx = context.owner();
    long timer = vertx.setTimer(limit.toMillis(), late -> over.tryComplete());
    what.onComplete(done -> {
      vertx.cancelTimer(timer);
      over.tryComplete();
    });
    return over.future();
  }

  private static Throwable translate(ControllerHandle handle, Throwable failure) {
    if (!(failure instanceof IllegalStateException)) {
      return failure;
    }
    try {
      return switch (handle.status().state()) {
        case SYNCING, NOT_SYNCED, RUNNING -> failure;
        case DRAINING, STOPPED -> stopped(handle.name()).rejection();
      };
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
      return failure;
    }
  }

  public static Problem stopped(String name) {
    return stopped(name, "");
  }

  /** Returns the problem of a controller that does not run onAdminLoop, with the facts about its owner. */
  public static Problem stopped(String name, String more) {
    return Problem.of(
        503,
        "controller-not-running",
        "Controller not running",
        "controller \""
            + name
            + "\" does not run on this replica now"
            + (more.isEmpty() ? "" : ": " + more));
  }
}
