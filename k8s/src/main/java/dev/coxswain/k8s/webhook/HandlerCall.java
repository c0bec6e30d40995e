// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import dev.coxswain.internal.thread.UserThreads;
import io.kubernetes.client.common.KubernetesObject;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * One form of handler, called asynchronously and with a time limit. Called on an event loop.
 *
 * @param <T> the class of the objects
 */
@FunctionalInterface
interface HandlerCall<T extends KubernetesObject> {

  /** The most handlers of this process that run at once, also those that ignore their end. */
  int MAX_RUNNING = 256;

  /** The handlers of this process that run. */
  AtomicInteger RUNNING = new AtomicInteger();

  /** Calls the handler; nothing is thrown. */
  Future<AdmissionResponse<T>> call(AdmissionRequest<T> request, Duration limit);

  static <T extends KubernetesObject> HandlerCall<T> blocking(AdmissionHandler<T> handler) {
    return (request, limit) -> onVirtualThread(() -> handler.handle(request), limit);
  }

  static <T extends KubernetesObject> HandlerCall<T> async(AsyncAdmissionHandler<T> handler) {
    return (request, limit) -> {
      Future<AdmissionResponse<T>> called;
      try {
        called = handler.handle(request);
      } catch (Throwable e) {
        return Future.failedFuture(e); // user code
      }
      return called == null
          ? Future.failedFuture(new NullPointerException("the handler returned no future"))
          : onContext(context(), called, limit);
    };
  }

  private static Context context() {
    Context context = Vertx.currentContext();
    if (context == null) {
      throw new IllegalStateException("webhooks are called on an event loop");
    }
    return context;
  }

  /** Completes on a context: the future and its time-out complete on threads of their own. */
  private static <R> Future<R> onContext(Context context, Future<R> called, Duration limit) {
    Promise<R> result = Promise.promise();
    called
        .timeout(limit.toMillis(), TimeUnit.MILLISECONDS)
        .onComplete(done ->
            context.runOnContext(_ -> {
              if (done.succeeded()) {
                result.complete(done.result());
              } else {
                result.fail(done.cause());
              }
            }));
    return result.future();
  }

  /**
   * Runs user code on a virtual thread, which is interrupted at the limit.
   *
   * @return completes on the context of the caller
   */
  static <R> Future<R> onVirtualThread(Callable<R> code, Duration limit) {
    Context context = context();
    if (RUNNING.incrementAndGet() > MAX_RUNNING) {
      RUNNING.decrementAndGet();
      return Future.failedFuture(
          new RejectedExecutionException(
              MAX_RUNNING + " handlers of webhooks run, some of them beyond their limit"));
    }
    Promise<R> result = Promise.promise();
    Thread thread =
        Objects.requireNonNull(
            UserThreads.of("")
                .newThread(() -> {
                  try {
                    result.tryComplete(code.call());
                  } catch (Throwable e) {
                    result.tryFail(e); // user code
                  } finally {
                    RUNNING.decrementAndGet();
                  }
                }));
    thread.setName("webhook");
    thread.start();
    return onContext(context, result.future(), limit).onFailure(_ -> thread.interrupt());
  }
}
