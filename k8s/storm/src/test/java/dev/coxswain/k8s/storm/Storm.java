// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import dev.coxswain.apiserver.Faults;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.CacheStatus;
import dev.coxswain.reconcile.Request;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import dev.coxswain.verticle.ControllerVerticle;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;

/**
 * One run: controllers, writers and faults, from calm to calm.
 *
 * <p>Thread rule: one thread.
 */
final class Storm implements AutoCloseable {

  /** How long everything may take to come to rest. */
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final StormCluster cluster;
  private final Fleet fleet;
  private final long seed;
  private final Consumer<String> out;
  private final Vertx vertx = Vertx.vertx();
  private final Kubernetes controllers;
  private final Kubernetes outside;
  private final Installation installation;
  private final Writers writers;
  private final Captains captains;
  private final Map<String, Tally> tallies = new LinkedHashMap<>();
  private final List<ControllerVerticle<?>> verticles = new ArrayList<>();
  private final List<String> deployments = new ArrayList<>();

  Storm(StormCluster cluster, Fleet fleet, int objects, long seed, Consumer<String> out) {
    this.cluster = cluster;
    this.fleet = fleet;
    this.seed = seed;
    this.out = out;
    controllers = cluster.controllers();
    outside = cluster.outside();
    installation = new Installation(outside, fleet);
    captains = new Captains(controllers, fleet);
    writers = new Writers(outside, fleet, objects, seed, captains::shownChild);
  }

  /** Returns how many watches the controllers need. */
  int watches() {
    return captains.watches();
  }

  /** Creates the namespaces and the definition of the run. */
  void install() {
    installation.create();
  }

  /** Deploys the controllers and waits until they have synced. */
  void start() {
    RetryBudget budget = new LocalRetryBudget("storm", 1_000, 1_000, Clock.system());
    for (Controller<Request> controller : captains.controllers()) {
      Tally tally = new Tally();
      tallies.put(controller.name(), tally);
      ControllerVerticle<Request> verticle =
          new ControllerVerticle<>(
              controller,
              new ControllerRuntime(
                  name -> budget, name -> tally, Clock.system(), Duration.ofSeconds(10)));
      deployments.add(Await.get(vertx.deployVerticle(verticle)));
      verticles.add(verticle);
    }
    verticles.forEach(verticle -> Await.get(verticle.synced()));
  }

  /** Writes while the server breaks. */
  void blow(int round, FaultSchedule schedule, Duration time, int rate) {
    if (cluster.faults().isEmpty()) {
      writers.storm(round, time, rate);
      return;
    }
    Faults faults = cluster.faults().get();
    try (FaultRunner runner = new FaultRunner(faults, schedule, seed + round)) {
      writers.storm(round, time, rate);
      runner.finish();
    }
    faults.reset();
  }

  /** Brings all names back into being, waits until nothing moves any more and returns the truth. */
  Truth calm() {
    writers.fill();
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (true) {
      Truth truth = Truth.of(outside, fleet, writers, captains);
      if (truth.holds() || System.nanoTime() - end > 0) {
        return truth;
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300));
    }
  }

  /** Returns what has happened so far. */
  void report() {
    out.accept("writes acknowledged: " + writers.counts());
    out.accept("writes refused or unanswered, and tried again: " + writers.refused());
    tallies.forEach((name, tally) -> out.accept("reconciles of \"" + name + "\": " + tally));
    captains
        .ledgers()
        .forEach(ledger ->
            out.accept(
                "events told to \""
                    + ledger.name()
                    + "\": "
                    + ledger.events()
                    + ", of them deletes: "
                    + ledger.allDeletes()));
    for (CacheStatus cache : controllers.caches()) {
      out.accept(
          "cache of %s: %d objects, %d lists, %d watches, %d undecodable"
              .formatted(
                  cache.name(),
                  cache.objects(),
                  cache.lists(),
                  cache.watches(),
                  cache.undecodable()));
    }
    out.accept("lists in all: " + sum(CacheStatus::lists));
    out.accept("watches in all: " + sum(CacheStatus::watches));
  }

  private long sum(ToLongFunction<CacheStatus> count) {
    return controllers.caches().stream().mapToLong(count).sum();
  }

  /** Stops the controllers; their caches go with them. */
  void stop() {
    deployments.forEach(deployment -> Await.get(vertx.undeploy(deployment)));
    deployments.clear();
  }

  /** Returns how many caches are running. */
  int caches() {
    return controllers.caches().size();
  }

  /** Stops what runs, and takes everything out of a cluster that remains. */
  @Override
  public void close() {
    try {
      Await.get(vertx.close());
    } finally {
      controllers.close();
      try {
        if (cluster.remains()) {
          installation.remove();
        }
      } finally {
        outside.close();
      }
    }
  }
}
