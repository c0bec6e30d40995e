// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.json;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.internal.value.SizedValue;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.Executor;

/**
 * Writes and reads long JSON on worker threads, because a controller may share the event loop of
 * the admin API: a page of a hundred items takes a millisecond, and ten or more before the JIT has
 * compiled the code. Short JSON is processed at once. The work of a request that has timed out
 * remains queued, so the queue is bounded, and more work is refused. Confined to the admin event
 * loop; the work itself runs on any thread.
 */
public final class JsonWork {

  /** Trees with more nodes, and texts with more bytes, are long. */
  private static final int SHORT_NODES = 400;

  private static final int SHORT_BYTES = 8 * 1024;

  private static final int THREADS = 2;

  /**
   * The queue has room for the responses of 15 other replicas to 64 requests, and for the merged
   * ones.
   */
  static final int MAX_PENDING = 1024;

  private final WorkerExecutor threads;
  private final Executor slices;
  private int pending;

  /**
   * Creates the executor.
   *
   * @param slices runs the continuation of long work, on the admin event loop
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

  /** Returns whether a value or a tree is long. */
  public static boolean isLong(Object json) {
    return json instanceof SizedValue value
        ? isLong(value.entries())
        : json instanceof JsonNode tree && count(tree, 0) > SHORT_NODES;
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
   * Runs some work, on a worker thread if it is long; the future completes on the admin event loop.
   * It fails with a {@link Rejection} when the queue is full.
   *
   * @param work must not return null
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
          Problem.unavailable(
                  "too-many-requests-in-flight",
                  "Too many requests in flight",
                  "this replica has too many long responses to write and to read; try again")
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
