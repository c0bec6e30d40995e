// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import io.kubernetes.client.common.KubernetesObject;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * One form of handler, called asynchronously and with a time limit. Called on an event loop.
 *
 * @param <T> the class of the objects
 */
@FunctionalInterface
interface HandlerCall<T extends KubernetesObject> {

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
          : called.timeout(limit.toMillis(), TimeUnit.MILLISECONDS);
    };
  }

  /**
   * Runs user code on a virtual thread, which is interrupted at the limit.
   *
   * @return completes on the context of the caller
   */
  static <R> Future<R> onVirtualThread(Callable<R> code, Duration limit) {
    Context context = Vertx.currentContext();
    if (context == null) {
      throw new IllegalStateException("webhooks are called on an event loop");
    }
    Promise<R> result = Promise.promise();
    Thread thread =
        Thread.ofVirtual()
            .name("webhook")
            .start(() -> {
              try {
                R made = code.call();
                context.runOnContext(_ -> result.tryComplete(made));
              } catch (Throwable e) {
                context.runOnContext(_ -> result.tryFail(e)); // user code
              }
            });
    return result
        .future()
        .timeout(limit.toMillis(), TimeUnit.MILLISECONDS)
        .onFailure(_ -> thread.interrupt());
  }
}
