// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.http;

import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.controller.ControllerHandle;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Runs the changes of one controller's settings, or of one limiter, one after another, so that each checks its
 * precondition against the result of the one before. Confined to the admin event loop.
 */
public final class SerialExecutor {

  /** The limit of waiting changes of one controller; more are refused. */
  static final int MAX_WAITING = 16;

  /** What waits, by the identity of a controller or by the name of a limiter. */
  private final Map<Object, ArrayDeque<Runnable>> lines = new HashMap<>();

  public <T> Future<T> inTurn(ControllerHandle controller, Supplier<Future<T>> change) {
    return inTurn(controller, "controller", controller.name(), change);
  }

  /** Runs a change of a limiter when those before it have ended. */
  public <T> Future<T> ofLimiter(String name, Supplier<Future<T>> change) {
    return inTurn(name, "limiter", name, change);
  }

  private <T> Future<T> inTurn(
      Object controller, String kind, String name, Supplier<Future<T>> change) {
    ArrayDeque<Runnable> line = lines.get(controller);
    if (line == null) {
      lines.put(controller, new ArrayDeque<>());
      return run(controller, change);
    }
    if (line.size() >= MAX_WAITING) {
      String detail =
          MAX_WAITING + " changes of " + kind + " \"" + name + "\" are waiting; try again";
      throw (kind.equals("limiter")
              ? Problem.unavailable("limiter-busy", "Limiter busy", detail)
              : Problem.unavailable("controller-busy", "Controller busy", detail))
          .rejection();
    }
    Promise<T> later = Promise.promise();
    line.addLast(() -> run(controller, change).onComplete(later));
    return later.future();
  }

  private <T> Future<T> run(Object controller, Supplier<Future<T>> change) {
    Future<T> done;
    try {
      done = change.get();
    } catch (RuntimeException e) {
      done = Future.failedFuture(e);
    }
    return done.onComplete(over -> next(controller));
  }

  private void next(Object controller) {
    ArrayDeque<Runnable> line = lines.get(controller);
    Runnable waiting = line == null ? null : line.pollFirst();
    if (waiting == null) {
      lines.remove(controller);
    } else {
      waiting.run();
    }
  }
}
