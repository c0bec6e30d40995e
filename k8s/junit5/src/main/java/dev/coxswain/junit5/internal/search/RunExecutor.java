// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.internal.search;

import dev.coxswain.junit5.internal.run.TestServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;

/**
 * Runs of a scenario at the same time, each on a server of its own.
 *
 * <p>Thread rule: stateless; the runs are on threads of their own.
 */
final class RunExecutor {

  /** The most servers: each has its objects and its threads in this process. */
  private static final int MAX_SERVERS = 8;

  private RunExecutor() {}

  /**
   * Runs something for each item, and returns the results in the order of the items.
   *
   * @param first a server of the caller; further ones are started, and closed at the end
   * @param processors how many run at the same time, up to a limit
   * @throws AssertionError when the thread is interrupted; all runs have ended by then
   */
  static <A, R> List<R> all(
      TestServer first, int processors, List<A> items, BiFunction<TestServer, A, R> run) {
    int count = Math.min(MAX_SERVERS, processors);
    List<TestServer> servers = new ArrayList<>(List.of(first));
    try (ExecutorService threads =
        Executors.newFixedThreadPool(
            count, Thread.ofPlatform().daemon().name("coxswain-test-run-", 0).factory())) {
      while (servers.size() < count) {
        servers.add(first.another());
      }
      BlockingQueue<TestServer> free = new ArrayBlockingQueue<>(count, false, servers);
      List<Callable<R>> tasks = new ArrayList<>();
      for (A item : items) {
        tasks.add(() -> {
          TestServer server = free.take();
          try {
            return run.apply(server, item);
          } finally {
            free.add(server);
          }
        });
      }
      List<R> results = new ArrayList<>();
      for (Future<R> result : threads.invokeAll(tasks)) {
        results.add(result.get());
      }
      return results;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("the exploration was interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AssertionError failure) {
        throw failure;
      }
      throw new IllegalStateException("a run of the scenario has failed", e.getCause());
    } finally {
      servers.stream().skip(1).forEach(TestServer::close);
    }
  }
}
