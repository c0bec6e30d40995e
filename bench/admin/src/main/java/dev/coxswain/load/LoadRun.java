// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * The whole measurement: with the queues full, each kind of call beside the busy controller.
 *
 * <p>Thread rule: one thread; calls block.
 */
final class LoadRun {
  private static final String PARKED = "/api/v1/controllers/parked";
  private static final String PAGE = PARKED + "/items?limit=100";

  private static final Map<String, String> READS = new LinkedHashMap<>();

  static {
    READS.put("first page of 100", PAGE);
    READS.put("page of one namespace", PAGE + "&namespace=team-7");
    READS.put("counts of all controllers", "/api/v1/controllers");
    READS.put("counts of one controller", PARKED);
  }

  /** A caller may read 50 times a second, and what the others ask for the caller counts, too. */
  private static final long PERIOD_NANOS = 70_000_000;

  private static final long FILL_LIMIT_NANOS = 300_000_000_000L;
  private static final int MOST_AFFECTED = 100_000;
  private static final int PACE = 5_000;

  private final Options options;
  private final PrintStream out;
  private final List<AdminCalls> replicas;
  private final List<Path> probes;
  private final List<Part> parts = new ArrayList<>();

  LoadRun(Options options, DevCluster cluster, List<AdminCalls> replicas, PrintStream out) {
    this.options = options;
    this.out = out;
    this.replicas = replicas;
    this.probes = cluster.replicas().stream().map(DevCluster.Replica::probe).toList();
  }

  void run() throws IOException {
    long all = awaitItems();
    out.printf(Locale.ROOT, "%d items over %d replicas%n%n", all, options.replicas());
    warmUp();
    out.println("| call | calls | p50 | p99 | longest |\n|---|---:|---:|---:|---:|");
    for (Map.Entry<String, String> read : READS.entrySet()) {
      calls(read.getKey(), read.getValue());
    }
    out.println();
    dumps();
    stop();
    out.println();
    out.println(Part.head());
    parts.forEach(part -> out.println(part.row()));
    out.println("\nLooks that found more than 5 ms of work:");
    parts.forEach(part -> part.held().forEach(held -> out.println("- " + held)));
  }

  /**
   * Does everything once for as long as a part lasts, so that the parts measure compiled code; what
   * the very first call takes is told, too.
   */
  private void warmUp() throws IOException {
    for (Map.Entry<String, String> read : READS.entrySet()) {
      long begin = System.nanoTime();
      replicas.getLast().get(read.getValue());
      out.printf(
          Locale.ROOT,
          "the very first call for the %s: %.0f ms%n",
          read.getKey(),
          (System.nanoTime() - begin) / 1e6);
    }
    long began = System.nanoTime();
    preview(replicas.getFirst(), flush());
    out.printf(
        Locale.ROOT,
        "the very first preview of a flush: %.0f ms%n",
        (System.nanoTime() - began) / 1e6);
    began = System.nanoTime();
    JsonObject first = begin(replicas.getFirst(), forget());
    out.printf(
        Locale.ROOT,
        "the very first preview of a forget and its begin: %.0f ms%n",
        (System.nanoTime() - began) / 1e6);
    stop(replicas.getFirst(), first);
    for (String path : READS.values()) {
      long end = System.nanoTime() + options.seconds() * 1_000_000_000L;
      onAll(replica -> paced(replica, path, end, new Latencies()));
    }
    for (AdminCalls replica : replicas) {
      dump(replica, options.items() / options.replicas());
      stop(replica, begin(replica, forget()));
    }
    out.println();
  }

  /** Waits until everything is there. */
  private long awaitItems() throws IOException {
    long wanted = (long) options.items() / options.replicas() * options.replicas();
    long limit = System.nanoTime() + FILL_LIMIT_NANOS;
    while (total() < wanted) {
      if (System.nanoTime() > limit) {
        throw new IOException(total() + " of " + wanted + " items after five minutes");
      }
      Part.pause(500);
    }
    // The compilers and the collector have been busy with it.
    Part.pause(options.seconds() * 500L);
    return total();
  }

  private long total() throws IOException {
    return replicas.getFirst().get(PARKED).getLong("total", 0L);
  }

  private void calls(String name, String path) throws IOException {
    Latencies latencies = new Latencies();
    measure(name, end -> onAll(replica -> paced(replica, path, end, latencies)));
    out.printf(
        Locale.ROOT,
        "| %s | %d | %.1f ms | %.1f ms | %.1f ms |%n",
        name,
        latencies.count(),
        latencies.millis(0.5),
        latencies.millis(0.99),
        latencies.millis(1));
  }

  /** Calls of one caller; callers do not go in step, so the time between two calls varies. */
  private void paced(AdminCalls replica, String path, long end, Latencies latencies)
      throws IOException {
    SplittableRandom random = new SplittableRandom(replicas.indexOf(replica));
    long next = System.nanoTime() + random.nextLong(PERIOD_NANOS);
    while (next < end) {
      Part.pause(Math.max(0, (next - System.nanoTime()) / 1_000_000));
      long begin = System.nanoTime();
      replica.get(path);
      latencies.add(System.nanoTime() - begin);
      // A late one is not made up for: that would be more than the rate.
      next = Math.max(next, begin) + random.nextLong(PERIOD_NANOS / 2, PERIOD_NANOS * 3 / 2);
    }
  }

  private void dumps() throws IOException {
    int each = options.items() / options.replicas();
    List<Double> rates = new ArrayList<>();
    measure(
        "dumps, one replica at a time",
        end -> {
          for (int i = 0; System.nanoTime() < end; i++) {
            rates.add(dump(replicas.get(i % replicas.size()), each));
          }
        });
    rates.sort(null);
    out.printf(
        Locale.ROOT,
        "dumps of %d items, one replica at a time: %d, median %.0f items/s, slowest %.0f%n",
        each,
        rates.size(),
        rates.get(rates.size() / 2),
        rates.getFirst());
  }

  private static double dump(AdminCalls replica, int items) throws IOException {
    long begin = System.nanoTime();
    long lines = replica.countLines(PARKED + "/items?scope=local");
    if (lines != items + 2) {
      throw new IOException("a dump of " + items + " items had " + lines + " lines");
    }
    return items * 1e9 / (System.nanoTime() - begin);
  }

  /** Stops a flush in the middle. */
  private void stop() throws IOException {
    AdminCalls replica = replicas.getFirst();
    long before = total();
    JsonObject preview = preview(replica, flush());
    JsonObject order = flush().put("confirmToken", preview.getString("confirmToken"));
    JsonObject[] ended = new JsonObject[1];
    long[] took = new long[1];
    measure(
        "flush, stopped in the middle",
        end -> {
          JsonObject operation = replica.post(PARKED + "/operations", order);
          Part.pause(options.seconds() * 500L);
          long begin = System.nanoTime();
          ended[0] = stop(replica, operation);
          took[0] = System.nanoTime() - begin;
          Part.pause(Math.max(0, (end - System.nanoTime()) / 1_000_000));
        });
    long left = total();
    Part.pause(2_000);
    out.printf(
        Locale.ROOT,
        "flush of %d items: %s after %.0f ms, %d done; %d items gone, %d more 2 s later%n",
        preview.getInteger("matched"),
        ended[0].getString("state"),
        took[0] / 1e6,
        ended[0].getInteger("done"),
        before - left,
        left - total());
  }

  private static JsonObject flush() {
    return order("flush", "object-*9").put("then", "none");
  }

  /** Returns an order that changes as good as nothing: no item has a failure. */
  private static JsonObject forget() {
    return order("forget", "object-*8");
  }

  private static JsonObject order(String action, String name) {
    return new JsonObject()
        .put("action", action)
        .put("selector", new JsonObject().put("name", name))
        .put("maxAffected", MOST_AFFECTED)
        .put("itemsPerSecond", PACE)
        .put("reason", "measured");
  }

  private static JsonObject preview(AdminCalls replica, JsonObject order) throws IOException {
    return replica.post(PARKED + "/operations", order.copy().put("dryRun", true));
  }

  private static JsonObject begin(AdminCalls replica, JsonObject order) throws IOException {
    String token = preview(replica, order).getString("confirmToken");
    return replica.post(PARKED + "/operations", order.copy().put("confirmToken", token));
  }

  private static JsonObject stop(AdminCalls replica, JsonObject operation) throws IOException {
    return replica.delete(
        "/api/v1/operations/" + operation.getString("id"),
        new JsonObject().put("reason", "measured"));
  }

  private void measure(String name, Part.Work work) throws IOException {
    parts.add(Part.measure(name, probes, options.seconds(), work));
  }

  private interface OnReplica {
    void run(AdminCalls replica) throws IOException;
  }

  private void onAll(OnReplica work) throws IOException {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> running = new ArrayList<>();
      for (AdminCalls replica : replicas) {
        running.add(
            threads.submit(() -> {
              work.run(replica);
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
  }
}
