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
 * Asks controllers and brings their answers back to the admin event loop, so that nothing is
 * rendered on a controller's. A controller that does not answer can keep only so many questions.
 * Confined to the admin event loop.
 */
public final class ControllerCalls {

  /** How many requests may wait for one controller. */
  public static final int MAX_PENDING = 16;

  private final Context context;
  private final Executor slices;
  private final int most;
  private final IdentityHashMap<ControllerHandle, Integer> pending = new IdentityHashMap<>();

  /**
   * Begins.
   *
   * @param context of the admin event loop
   * @param slices runs what follows an answer there
   * @param most more open questions to one controller are refused
   */
  public ControllerCalls(Context context, Executor slices, int most) {
    this.context = context;
    this.slices = slices;
    this.most = most;
  }

  public <T> Future<T> ask(
      ControllerHandle handle, Function<ControllerHandle, Future<T>> question) {
    if (pending.getOrDefault(handle, 0) >= most) {
      throw Problem.of(
              503,
              "controller-busy",
              "Controller busy",
              "controller \"" + handle.name() + "\" has not answered " + most + " earlier requests")
          .with("Retry-After", "1")
          .rejection();
    }
    Problem blocked = blocked(handle);
    if (blocked != null) {
      throw blocked.rejection();
    }
    Future<T> answer = question.apply(handle); // may throw: then nothing is pending
    pending.merge(handle, 1, Integer::sum);
    return here(handle, answer)
        .onComplete(done -> pending.computeIfPresent(handle, (h, n) -> n == 1 ? null : n - 1));
  }

  /** Returns why a controller cannot answer now; null when it can. */
  private static @Nullable Problem blocked(ControllerHandle handle) {
    for (Condition condition : handle.status().conditions()) {
      if (condition.type() == ConditionType.EVENT_LOOP_BLOCKED) {
        return Problem.of(
                503,
                "controller-blocked",
                "Controller blocked",
                "controller \""
                    + handle.name()
                    + "\" cannot answer since "
                    + Durations.shown(condition.since())
                    + ": "
                    + condition.message())
            .with("Retry-After", "1");
      }
    }
    return null;
  }

  /** Brings an answer to the admin event loop, however long it takes. */
  public <T> Future<T> here(ControllerHandle handle, Future<T> answer) {
    Promise<T> here = Promise.promise();
    answer.onComplete((value, failure) ->
        context.runOnContext(hop ->
            slices.execute(
                () -> here.complete(value, failure == null ? null : translate(handle, failure)))));
    return here.future();
  }

  /** Completes with a future, or after a while without it. */
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
        case SYNCING, RUNNING -> failure;
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

  /**
   * Returns the problem of a controller that does not run here, with what is known of its owner.
   */
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
