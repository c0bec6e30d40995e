// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.host.internal.HostSetup;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.limiter.RetryBudgets;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.tracing.Tracing;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.WriteGuard;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.sharding.internal.ownership.ControllerGate;
import dev.coxswain.sharding.internal.replica.HostSlots;
import dev.coxswain.sharding.internal.replica.ShardedControllers.Share;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.sharding.internal.view.SlotOwners;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.SlotTerm;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;

/** A manager of controllers that have no API server, with what its tests share. */
abstract class ControllerManagerFixture {

  private static final long LIMIT_NANOS = Duration.ofSeconds(60).toNanos();

  final Vertx vertx = Vertx.vertx();
  final Vertx host = Vertx.vertx();
  final HostMetrics metrics = new HostMetrics("test");

  Clock clock = Clock.system();

  /** The writes of controllers that not every replica runs. */
  volatile WriteGuard owned = WriteGuard.OPEN;

  /** The owners of controllers that one replica runs. */
  volatile Function<String, Optional<SlotOwners.Owner>> owners = _ -> Optional.empty();

  private final HostSlots slots = new HostSlots(1, SlotDivision.KEY, _ -> Duration.ofHours(1));
  private long epoch;

  final Kubernetes nowhere = HostSetup.nowhere();

  @AfterEach
  void close() {
    vertx.close().await();
    host.close().await();
    metrics.close();
    nowhere.close();
  }

  ControllerManager manager(List<ControllerDefinition> definitions, String... settings)
      throws Exception {
    CoxswainConfiguration configuration = configuration(settings);
    return new ControllerManager(
        vertx,
        host,
        configuration,
        definitions,
        Map.of(Vertx.class, vertx, Kubernetes.class, nowhere),
        RetryBudgets.local(configuration, Clock.system()),
        new Share(
            () -> owned.timeLeft(), ControllerGate.OPEN, controller -> owners.apply(controller)),
        metrics,
        Tracing.OFF,
        clock);
  }

  /** Gives this replica its only slot, with all controllers that one replica runs. */
  void lead(ControllerManager manager) {
    if (epoch == 0) {
      manager.slotControllers().begin(slots);
    }
    manager.slotControllers().open(List.of(new Term(++epoch)));
  }

  /** Takes the slot away; completes when no attempt of it runs. */
  Future<Void> stopLeading(ControllerManager manager) {
    return manager
        .slotControllers()
        .close(0)
        .onComplete(_ -> manager.slotControllers().drop(List.of(0)));
  }

  /** A term of the only slot, which lasts until a test ends it. */
  static final class Term implements SlotTerm {
    private final long epoch;
    volatile boolean ended;

    Term(long epoch) {
      this.epoch = epoch;
    }

    @Override
    public int slot() {
      return 0;
    }

    @Override
    public long epoch() {
      return epoch;
    }

    @Override
    public Duration timeLeft() {
      return ended ? Duration.ZERO : Duration.ofHours(1);
    }
  }

  static CoxswainConfiguration configuration(String... settings) throws Exception {
    return ConfigurationLoader.load(null, Map.of(), List.of(settings));
  }

  static ControllerDefinition definition(
      String name, Function<ControllerEnvironment, Controller<?>> create) {
    return new HostSetup.Definition(name, create);
  }

  static Controller<Request> controller(String name, Ownership ownership) {
    return Controller.named(name)
        .options(options -> options.withOwnership(ownership))
        .watches(source(Future.succeededFuture()))
        .reconciles((request, context) -> Result.done());
  }

  static EventSource<Request> source(Future<Void> synced, Request... requests) {
    return new EventSource<>() {
      @Override
      public String describe() {
        return "test";
      }

      @Override
      public Future<Void> start(EventSink<Request> sink) {
        for (Request request : requests) {
          sink.add(request);
        }
        Promise<Void> promise = Promise.promise();
        synced.onComplete(promise);
        return promise.future();
      }

      @Override
      public Future<Void> stop() {
        return Future.succeededFuture();
      }
    };
  }

  static List<String> names(ControllerManager manager) {
    return manager.controllers().stream().map(ControllerHandle::name).sorted().toList();
  }

  static void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + LIMIT_NANOS;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("waited too long").isLessThan(deadline);
      LockSupport.parkNanos(1_000_000);
    }
  }
}
