// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;

/**
 * Makes and reads long JSON on threads of its own, because the event loop of the admin API may be
 * that of a controller, too: a page of a hundred items keeps a thread for a millisecond, and for
 * ten and more before it is compiled. What is short is done at once. A request that has been given
 * up leaves its work behind, so what waits for a thread has a bound of its own, and more is
 * refused. Confined to the admin event loop; the work must not be.
 */
public final class JsonWork {

  /** Trees with more nodes, and texts with more bytes, are long. */
  private static final int SHORT_NODES = 400;

  private static final int SHORT_BYTES = 8 * 1024;

  private static final int THREADS = 2;

  /** Enough for what 15 other replicas answer to 64 requests, and for what is made of it. */
  static final int MAX_PENDING = 1024;

  private final WorkerExecutor threads;
  private final Executor slices;
  private int pending;

  /**
   * Begins.
   *
   * @param slices runs what follows long work, on the admin event loop
   */
  public JsonWork(Vertx vertx, Executor slices) {
    this.threads = vertx.createSharedWorkerExecutor("coxswain-admin-json", THREADS);
    this.slices = slices;
  }

  public static boolean isLong(int items) {
    return items * 20 > SHORT_NODES; // an item or a controller has 20 and more nodes
  }

  public static boolean isLongText(int bytes) {
    return bytes > SHORT_BYTES;
  }

  public static boolean isLong(JsonNode tree) {
    return count(tree, 0) > SHORT_NODES;
  }

  private static int count(JsonNode node, int before) {
    int count = before + 1;
    for (JsonNode inner : node) {
      if (count > SHORT_NODES) {
        return count;
      }
      count = inner.isContainerNode() ? count(inner, count) : count + 1;
    }
    return count;
  }

  /**
   * Does some work, elsewhere when it is long; the future completes on the admin event loop. It
   * fails with a {@link Rejection} when too much long work waits.
   *
   * @param work what it returns is not null
   */
  public <T> Future<T> run(boolean isLong, Callable<T> work) {
    if (isLong) {
      return elsewhere(work);
    }
    try {
      return Future.succeededFuture(work.call());
    } catch (Exception e) {
      return Future.failedFuture(e);
    }
  }

  private <T> Future<T> elsewhere(Callable<T> work) {
    if (pending >= MAX_PENDING) {
      return Future.failedFuture(
          Problem.of(
                  503,
                  "too-many-requests-in-flight",
                  "Too many requests in flight",
                  "this replica has too many long answers to write and to read")
              .with("Retry-After", "1")
              .rejection());
    }
    pending++;
    Promise<T> here = Promise.promise();
    threads
        .executeBlocking(work, false)
        .map(Objects::requireNonNull)
        .onComplete((made, failure) -> {
          pending--;
          slices.execute(() -> here.complete(made, failure));
        });
    return here.future();
  }

  public Future<Void> close() {
    return threads.close();
  }
}
