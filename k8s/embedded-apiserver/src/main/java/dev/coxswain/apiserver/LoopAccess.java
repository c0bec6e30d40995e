// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import io.vertx.core.Context;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** The way from any thread to the server's event loop and back, with a limit. Any thread. */
final class LoopAccess {
  private final Context context;
  private final Duration limit;

  LoopAccess(Context context, Duration limit) {
    this.limit = limit;
    this.context = context;
  }

  /** Runs a task there and waits for it, unless this is an event-loop thread. */
  void run(Runnable task) {
    if (Context.isOnEventLoopThread()) {
      context.runOnContext(v -> task.run());
    } else {
      Integer done =
          call(() -> {
            task.run();
            return 0;
          });
      assert done == 0;
    }
  }

  /** Runs a task there and waits until it has ended; must not be called on an event-loop thread. */
  void await(Supplier<Future<?>> task) {
    CompletableFuture<Boolean> ended = new CompletableFuture<>();
    run(() ->
        task.get()
            .onComplete(done -> {
              if (done.succeeded()) {
                ended.complete(true);
              } else {
                ended.completeExceptionally(done.cause());
              }
            }));
    get(ended);
  }

  /** Computes something there; must not be called on an event-loop thread. */
  <T> T call(Supplier<T> task) {
    if (Context.isOnEventLoopThread()) {
      throw new IllegalStateException(
          "must not be called on an event-loop thread, because it waits");
    }
    CompletableFuture<T> result = new CompletableFuture<>();
    context.runOnContext(v -> {
      try {
        result.complete(task.get());
      } catch (RuntimeException e) {
        result.completeExceptionally(e);
      }
    });
    return get(result);
  }

  private <T> T get(CompletableFuture<T> result) {
    try {
      return result.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the embedded API server", e);
    } catch (TimeoutException e) {
      throw new IllegalStateException(
          "the embedded API server did not answer within "
              + EmbeddedApiServer.waited(limit)
              + "; is it closed?",
          e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException cause
          ? cause
          : new IllegalStateException(e.getCause());
    }
  }
}
