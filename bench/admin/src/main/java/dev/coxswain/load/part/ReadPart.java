// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load.part;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** One kind of read, of all replicas at once, by one caller each. */
public record ReadPart(String name, String path, List<AdminCalls> replicas) implements Part {
  /** A caller may read 50 times a second, and what the others ask for the caller counts, too. */
  private static final long PERIOD_NANOS = 70_000_000;

  private static final String PAGE = Items.PARKED + "/items?limit=100";

  public static List<ReadPart> all(List<AdminCalls> replicas) {
    return List.of(
        new ReadPart(FIRST_PAGE, PAGE, replicas),
        new ReadPart(NAMESPACE_PAGE, PAGE + "&namespace=team-7", replicas),
        new ReadPart(ALL_COUNTS, "/api/v1/controllers", replicas),
        new ReadPart(ONE_COUNTS, Items.PARKED, replicas));
  }

  @Override
  public Map<Figure, Double> until(long end) throws IOException {
    Latencies latencies = new Latencies();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> running = new ArrayList<>();
      for (AdminCalls replica : replicas) {
        running.add(
            threads.submit(() -> {
              paced(replica, end, latencies);
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
    return Map.of(
        Figure.CALLS, (double) latencies.count(),
        Figure.P50, latencies.millis(0.5),
        Figure.P99, latencies.millis(0.99),
        Figure.LONGEST, latencies.millis(1));
  }

  /** Calls of one caller; callers do not go in step, so the time between two calls varies. */
  private void paced(AdminCalls replica, long end, Latencies latencies) throws IOException {
    SplittableRandom random = new SplittableRandom(replicas.indexOf(replica));
    long next = System.nanoTime() + random.nextLong(PERIOD_NANOS);
    while (next < end) {
      Pause.millis(Math.max(0, (next - System.nanoTime()) / 1_000_000));
      long begin = System.nanoTime();
      replica.get(path);
      latencies.add(System.nanoTime() - begin);
      // A late one is not made up for: that would be more than the rate.
      next = Math.max(next, begin) + random.nextLong(PERIOD_NANOS / 2, PERIOD_NANOS * 3 / 2);
    }
  }
}
