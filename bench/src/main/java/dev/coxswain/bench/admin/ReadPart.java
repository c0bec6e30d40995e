// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import dev.coxswain.bench.admin.controllers.FailingControllers;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.process.Commands;
import dev.coxswain.testing.process.HttpCalls;
import dev.coxswain.testing.report.Statistics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * One kind of read, of some replicas at once, by one caller each.
 *
 * @param requests how many requests each replica receives for a call. A caller may read 50 times a
 *     second, and requests between replicas count for the caller, too
 */
record ReadPart(String name, String path, List<HttpCalls> replicas, int requests) implements Part {
  private static final long PERIOD_NANOS = 70_000_000;

  private static final String PAGE = Items.PARKED + "/items?limit=100";

  private ReadPart(String name, String path, List<HttpCalls> replicas) {
    this(name, path, replicas, 1);
  }

  static List<ReadPart> all(List<HttpCalls> replicas) {
    return List.of(
        new ReadPart(FIRST_PAGE, PAGE, replicas),
        new ReadPart(NAMESPACE_PAGE, PAGE + "&namespace=team-7", replicas),
        new ReadPart(ALL_COUNTS, "/api/v1/controllers", replicas),
        new ReadPart(ONE_COUNTS, Items.PARKED, replicas));
  }

  /** Returns the reads of what has failed, which {@code FailingControllers} has. */
  static List<ReadPart> ofFailures(List<HttpCalls> replicas) {
    String controller = "/api/v1/controllers/" + FailingControllers.name(0);
    Request object = FailingControllers.request(7);
    String id =
        Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(
                (object.namespace() + "/" + object.name()).getBytes(StandardCharsets.UTF_8));
    return List.of(
        new ReadPart(ALL_CAUSES_ALONE, "/api/v1/causes", replicas.subList(0, 1), 2),
        new ReadPart(ALL_CAUSES, "/api/v1/causes", replicas, 2),
        new ReadPart(ONE_CAUSES, controller + "/causes", replicas, 2),
        new ReadPart(EXPLANATION, controller + "/items/" + id + "/explain", replicas),
        new ReadPart(
            OBJECT,
            "/api/v1/objects?namespace=" + object.namespace() + "&name=" + object.name(),
            replicas));
  }

  @Override
  public Map<Figure, Double> until(long end) throws IOException {
    List<Long> nanos = Collections.synchronizedList(new ArrayList<>());
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> running = new ArrayList<>();
      for (HttpCalls replica : replicas) {
        running.add(
            threads.submit(() -> {
              paced(replica, end, nanos);
              return null;
            }));
      }
      for (Future<?> one : running) {
        one.get();
      }
    } catch (ExecutionException e) {
      throw new IOException("a call failed", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    long[] sorted = nanos.stream().mapToLong(Long::longValue).sorted().toArray();
    return Map.of(
        Figure.CALLS, (double) sorted.length,
        Figure.P50, Statistics.percentile(sorted, 0.5) / 1e6,
        Figure.P99, Statistics.percentile(sorted, 0.99) / 1e6,
        Figure.LONGEST, Statistics.percentile(sorted, 1) / 1e6);
  }

  /** Calls of one caller; callers do not go in step, so the time between two calls varies. */
  private void paced(HttpCalls replica, long end, List<Long> nanos) throws IOException {
    SplittableRandom random = new SplittableRandom(replicas.indexOf(replica));
    long period = requests * PERIOD_NANOS;
    long next = System.nanoTime() + random.nextLong(period);
    while (next < end) {
      Commands.pause(Math.max(0, (next - System.nanoTime()) / 1_000_000));
      long begin = System.nanoTime();
      replica.get(path);
      nanos.add(System.nanoTime() - begin);
      // A late one is not made up for: that would be more than the rate.
      next = Math.max(next, begin) + random.nextLong(period / 2, period * 3 / 2);
    }
  }
}
