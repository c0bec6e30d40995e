// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.queue;

import dev.coxswain.bench.run.StartSource;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.reconcile.AsyncReconciler;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.source.EventSink;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.verticle.ControllerVerticle;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A controller deployed on a real event loop, with its sink for the benchmark to feed.
 *
 * <p>Thread rule: created and closed on a thread that may block.
 */
final class ControllerRig<K> implements AutoCloseable {
  private final Vertx vertx;
  private final String deployment;
  private final ControllerHandle handle;
  private final EventSink<K> sink;

  private ControllerRig(Vertx vertx, Controller.Builder<K> builder, Body<K> body) {
    this.vertx = vertx;
    CompletableFuture<EventSink<K>> captured = new CompletableFuture<>();
    RetryBudget budget =
        new LocalRetryBudget(
            "default", RetryBudget.DEFAULT_RATE, RetryBudget.DEFAULT_BURST, Clock.system());
    ControllerVerticle<K> verticle =
        new ControllerVerticle<>(
            body.build(
                builder.watches(
                    new StartSource<K>(
                        "benchmark",
                        sink -> {
                          captured.complete(sink);
                          return Future.succeededFuture();
                        }))),
            new ControllerRuntime(
                name -> budget, name -> ControllerTelemetry.NONE, Clock.system(), Duration.ZERO));
    this.deployment = vertx.deployVerticle(verticle).await();
    verticle.synced().await();
    this.handle = verticle.handle();
    this.sink = captured.join();
  }

  static <K> ControllerRig<K> async(
      Vertx vertx, RequestFormat<K> format, AsyncReconciler<K> reconciler) {
    return new ControllerRig<>(
        vertx, Controller.named("bench", format), b -> b.reconcilesAsync(reconciler));
  }

  static <K> ControllerRig<K> blocking(
      Vertx vertx, RequestFormat<K> format, int concurrency, Reconciler<K> reconciler) {
    return new ControllerRig<>(
        vertx,
        Controller.named("bench", format).options(o -> o.withConcurrency(concurrency)),
        b -> b.reconciles(reconciler));
  }

  EventSink<K> sink() {
    return sink;
  }

  ControllerHandle handle() {
    return handle;
  }

  @Override
  public void close() {
    vertx.undeploy(deployment).await();
  }

  private interface Body<K> {
    Controller<K> build(Controller.Builder<K> builder);
  }
}
