// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.internal.engine.ControllerEngine;
import dev.coxswain.internal.loop.EngineThreads;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.reconcile.Result;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.verticle.ControllerVerticle;
import dev.coxswain.view.DrainReport;
import dev.coxswain.view.ItemId;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Starts that fail half-way, and ends that must come. */
class ShutdownTest {
  private final VirtualTime time = new VirtualTime();
  private final LocalRetryBudget budget = new LocalRetryBudget("default", 10, 100, time);

  private static final class Source implements EventSource<Request> {
    final Supplier<Future<Void>> start;
    final Supplier<Future<Void>> stop;
    final AtomicInteger stops = new AtomicInteger();

    Source(Supplier<Future<Void>> start, Supplier<Future<Void>> stop) {
      this.start = start;
      this.stop = stop;
    }

    @Override
    public String describe() {
      return "source";
    }

    @Override
    public Future<Void> start(EventSink<Request> sink) {
      return start.get();
    }

    @Override
    public Future<Void> stop() {
      stops.incrementAndGet();
      return stop.get();
    }
  }

  private ControllerRuntime runtime() {
    return new ControllerRuntime(
        name -> budget, name -> ControllerTelemetry.NONE, time, Duration.ofSeconds(30));
  }

  private EngineThreads threads() {
    return new EngineThreads(time, time, time, Runnable::run);
  }

  private static Controller.Builder<Request> named() {
    return Controller.named("c");
  }

  @Test
  void sourceWhoseStopNeverCompletes_doesNotHoldUpTheEndForEver() {
    Source source = new Source(Future::succeededFuture, () -> Promise.<Void>promise().future());
    ControllerTestKit<Request> kit =
        ControllerTestKit.of(
            named().watches(source).reconciles((request, context) -> Result.done()), time);
    assertThat(kit.stop(Duration.ofSeconds(1)).finished())
        .isZero(); // waits an hour of virtual time
  }

  @Test
  void sourceWhoseStopThrowsAnError_theOthersAreStillStopped() {
    Source bad =
        new Source(
            Future::succeededFuture,
            () -> {
              throw new NoClassDefFoundError("plug-in");
            });
    Source good = new Source(Future::succeededFuture, Future::succeededFuture);
    ControllerTestKit<Request> kit =
        ControllerTestKit.of(
            named().watches(bad).watches(good).reconciles((request, context) -> Result.done()),
            time);
    try {
      kit.stop(Duration.ofSeconds(1));
    } catch (IllegalStateException e) {
      // the failure may be reported
    }
    assertThat(good.stops).hasValue(1);
  }

  @Test
  @SuppressWarnings("NullAway") // the point of the test
  void startThatThrows_leavesNoSourceRunningAndNoLaneOpen() {
    Source good = new Source(Future::succeededFuture, Future::succeededFuture);
    Source bad = new Source(() -> null, Future::succeededFuture);
    ControllerEngine<Request> engine =
        new ControllerEngine<>(
            named().watches(good).watches(bad).reconciles((request, context) -> Result.done()),
            runtime(),
            threads());
    boolean threw = false;
    try {
      engine.start();
    } catch (RuntimeException e) {
      threw = true; // ControllerVerticle.start throws the same: the deployment fails, no stop()
    }
    time.settle();
    assertThat(threw && good.stops.get() == 0)
        .as("start threw and a started source runs on")
        .isFalse();
  }

  @Test
  void durationsBeyondAYear_areRefusedWithTheirName() {
    assertThatThrownBy(() ->
            ControllerOptions.DEFAULT.withReconcileTimeout(Duration.ofSeconds(Long.MAX_VALUE)))
        .hasMessageContaining("reconcileTimeout must not be negative and not longer than");
  }

  @Test
  void formatThatThrowsWhileAbandonedKeysAreNamed_theDrainStillEnds() {
    RequestFormat<String> format =
        new RequestFormat<>() {
          @Override
          public String namespace(String request) {
            return "";
          }

          @Override
          public String name(String request) {
            throw new IllegalStateException("no name");
          }

          @Override
          public Optional<String> parse(String namespace, String name) {
            return Optional.of(name);
          }
        };
    ControllerTestKit<String> kit =
        ControllerTestKit.of(
            Controller.named("c", format)
                .reconcilesAsync((request, context) -> Promise.<Result>promise().future()),
            time);
    kit.add("a");
    Future<DrainReport> drained = kit.handle().drain(Duration.ofSeconds(1));
    for (int i = 0; i < 5; i++) {
      try {
        time.advance(Duration.ofSeconds(10));
      } catch (IllegalStateException e) {
        // an event loop goes on with its next task
      }
    }
    assertThat(drained.isComplete()).isTrue();
  }

  /** Acceptance is decided where the item enters the queue: it was acknowledged and dropped. */
  @Test
  void offersAreAccepted_untilTheDrainBegins_andRefusedAfterwards() {
    ControllerTestKit<Request> kit =
        ControllerTestKit.of(
            named().reconcilesAsync((request, context) -> Promise.<Result>promise().future()),
            time);
    assertThat(kit.await(kit.sink().offer(Request.of("a")))).isTrue();
    assertThat(kit.await(kit.sink().offer(Request.of("b"), ""))).isTrue();
    Future<DrainReport> drained = kit.handle().drain(Duration.ofMinutes(1));
    time.settle();
    assertThat(drained.isComplete()).as("an attempt is in flight").isFalse();
    assertThat(kit.await(kit.sink().offer(Request.of("a")))).isFalse();
    assertThat(kit.await(kit.sink().offer(Request.of("c"), ""))).isFalse();
    time.advance(Duration.ofMinutes(2));
    assertThat(kit.await(drained).remaining().values().stream().mapToInt(n -> n).sum())
        .as("what was accepted and not finished is reported")
        .isEqualTo(2);
  }

  @Test
  void stopAfterADrainWithALongerLimit_keepsItsOwnLimit() {
    ControllerTestKit<Request> kit =
        ControllerTestKit.of(
            named().reconcilesAsync((request, context) -> Promise.<Result>promise().future()),
            time);
    kit.add(Request.of("a"));
    kit.handle().drain(Duration.ofMinutes(50));
    time.settle();
    DrainReport report = kit.stop(Duration.ofSeconds(1));
    assertThat(report.took()).isLessThan(Duration.ofSeconds(5));
  }

  @Test
  @Timeout(180)
  void afterVertxHasClosed_handleAndSinkDoNotThrow() throws Exception {
    Vertx vertx = Vertx.vertx();
    ControllerVerticle<Request> verticle =
        new ControllerVerticle<>(
            named().reconciles((request, context) -> Result.done()),
            new ControllerRuntime(
                name -> new LocalRetryBudget(name, 10, 1, dev.coxswain.spi.Clock.system()),
                name -> ControllerTelemetry.NONE,
                dev.coxswain.spi.Clock.system(),
                Duration.ofSeconds(1)));
    vertx
        .deployVerticle(verticle)
        .toCompletionStage()
        .toCompletableFuture()
        .get(60, TimeUnit.SECONDS);
    ControllerHandle handle = verticle.handle();
    vertx.close().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
    Future<?> asked = handle.item(new ItemId("ns", "a"));
    asked.otherwiseEmpty().toCompletionStage().toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  @Test
  void attemptId_isUniqueWithinTheProcess() {
    long[] ids = new long[2];
    for (int i = 0; i < 2; i++) {
      int number = i;
      ControllerTestKit<Request> kit =
          ControllerTestKit.of(
              Controller.named("c" + i)
                  .reconciles((request, context) -> {
                    ids[number] = context.attemptId();
                    return Result.done();
                  }),
              time);
      kit.add(Request.of("a"));
    }
    assertThat(ids[0]).isNotEqualTo(ids[1]);
  }
}
