// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.fleet;

import dev.coxswain.controller.Controller;
import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.LimiterSpec;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.limiter.internal.budget.SharedRetryBudget;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.RetryAfterException;
import dev.coxswain.retry.Composition;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.retry.WindowChecker;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import io.vertx.core.Future;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The machines of a fleet during an outage of the vendor and after it, on the production engine and
 * the production limiters, in virtual time. All machines get a new version when the outage begins.
 *
 * <p>Thread rule: one thread.
 */
final class HerdSimulation {

  static final int MACHINES = 10_000;
  static final int SECONDS = 9_000;
  static final int OUTAGE_SECONDS = 600;
  static final double RATE = 50;
  static final int BURST = 100;
  static final int REPLICAS = 3;

  private static final int VENDOR_RATE = 500;
  private static final int CONCURRENCY = 100;
  private static final Duration LATENCY = Duration.ofMillis(50);
  private static final Duration POOL_TRIP = Duration.ofMillis(1);
  private static final Duration LEASE = Duration.ofSeconds(15);
  private static final double NANOS_PER_SECOND = 1e9;

  private final VirtualTime time = new VirtualTime(0);
  private final Vendor vendor = new Vendor();
  private final MemoryPool pool = new MemoryPool(time, POOL_TRIP);

  /** The vendor in virtual time, with the limit of the real server. */
  private final class Vendor {
    private final VendorLimit limit = new VendorLimit(VENDOR_RATE);
    private int refused;
    private int limited;

    Future<Result> call() {
      return time.after(LATENCY).compose(done -> answer());
    }

    private Future<Result> answer() {
      if (time.elapsed().toSeconds() < OUTAGE_SECONDS) {
        refused++;
        return Future.failedFuture(new IOException("outage"));
      }
      if (!limit.tryAcquire(time.nanos())) {
        limited++;
        return Future.failedFuture(
            new RetryAfterException(Duration.ofSeconds(1), "too many requests"));
      }
      return Future.succeededFuture(Result.done());
    }
  }

  /** The retries that were started, of one controller or of several. */
  static final class Starts {
    private long[] times = new long[1 << 14];
    private int count;
    private long served;
    private int missing;

    void add(long nanos) {
      if (count == times.length) {
        times = Arrays.copyOf(times, 2 * count);
      }
      times[count++] = nanos;
    }

    int count() {
      return count;
    }

    /** Returns how many retries were started in each second. */
    int[] perSecond() {
      int[] seconds = new int[SECONDS];
      for (int i = 0; i < count; i++) {
        seconds[(int) (times[i] / 1_000_000_000L)]++;
      }
      return seconds;
    }

    int most() {
      return Arrays.stream(perSecond()).max().orElse(0);
    }

    /** Returns by how much the worst window exceeds the cap; negative when none does. */
    double excess(double rate, int burst) {
      return WindowChecker.worst(times, count, rate, burst).excess();
    }

    /** Returns when the last machine got its version, in seconds after the outage; -1 for never. */
    long servedAfter() {
      return missing > 0 ? -1 : Math.round(served / NANOS_PER_SECOND) - OUTAGE_SECONDS;
    }
  }

  /**
   * What happened.
   *
   * @param retries the retries of the controllers that call this vendor
   * @param refused requests during the outage
   * @param limited requests that the vendor refused afterwards because there were too many
   */
  record Report(Starts retries, int refused, int limited) {}

  Starts controllers(String name, int machines, Composition composition, RetryBudget... budgets) {
    return add(new Starts(), name, machines, composition, budgets);
  }

  /** Adds a controller with a replica for each budget, which share its machines. */
  Starts add(
      Starts starts, String name, int machines, Composition composition, RetryBudget... budgets) {
    starts.missing += machines;
    List<ControllerTestKit<Request>> replicas = new ArrayList<>();
    for (RetryBudget budget : budgets) {
      Controller<Request> controller =
          Controller.named(name)
              .options(options ->
                  options
                      .withConcurrency(CONCURRENCY)
                      .withComposition(composition)
                      .withBudget(budget.name()))
              .reconcilesAsync((request, context) -> attempt(context, starts));
      replicas.add(ControllerTestKit.of(controller, time, budget));
    }
    for (int i = 0; i < machines; i++) {
      replicas.get(i % replicas.size()).sink().add(Request.of("default", name + "." + i));
    }
    return starts;
  }

  private Future<Result> attempt(ReconcileContext context, Starts starts) {
    if (context.failures() > 0) {
      starts.add(time.nanos());
    }
    return vendor
        .call()
        .onSuccess(result -> {
          starts.missing--;
          starts.served = time.nanos();
        });
  }

  RetryBudget local(String name) {
    return new LocalRetryBudget(name, RATE, BURST, time);
  }

  /** Returns the budgets of the replicas, which share one pool. */
  RetryBudget[] shared(String name) {
    RetryBudget[] budgets = new RetryBudget[REPLICAS];
    for (int i = 0; i < REPLICAS; i++) {
      budgets[i] =
          new SharedRetryBudget(
              new LimiterSpec(name, RATE, BURST),
              new ClusterShape(REPLICAS, 0.1),
              ReplicaView.fixed(new ReplicaView.Lease(i, time.nanos()), REPLICAS),
              time,
              pool,
              Runnable::run,
              LEASE.toNanos());
    }
    return budgets;
  }

  Report run(Starts starts) {
    time.advance(Duration.ofSeconds(SECONDS).minusNanos(1));
    return new Report(starts, vendor.refused, vendor.limited);
  }
}
