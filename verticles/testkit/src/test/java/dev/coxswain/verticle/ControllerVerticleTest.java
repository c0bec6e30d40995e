// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.verticle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.Phase;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.ThreadingModel;
import io.vertx.core.Vertx;
import io.vertx.junit5.VertxExtension;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** A controller on a real event loop, with real threads and real time. */
@ExtendWith(VertxExtension.class)
class ControllerVerticleTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  /** Hands its sink to the test. */
  private static final class TestSource implements EventSource<Request> {
    final Promise<EventSink<Request>> sink = Promise.promise();
    final Promise<Void> synced = Promise.promise();
    final AtomicBoolean stopped = new AtomicBoolean();

    @Override
    public String describe() {
      return "test";
    }

    @Override
    public Future<Void> start(EventSink<Request> target) {
      sink.complete(target);
      return synced.future();
    }

    @Override
    public Future<Void> stop() {
      stopped.set(true);
      return Future.succeededFuture();
    }
  }

  private final TestSource source = new TestSource();
  private ControllerTelemetry telemetry = ControllerTelemetry.NONE;
  private Duration drainLimit = Duration.ofSeconds(10);

  private <K> ControllerVerticle<K> verticle(Controller<K> controller) {
    RetryBudget budget =
        new LocalRetryBudget(
            "default", RetryBudget.DEFAULT_RATE, RetryBudget.DEFAULT_BURST, Clock.system());
    return new ControllerVerticle<>(
        controller,
        new ControllerRuntime(name -> budget, name -> telemetry, Clock.system(), drainLimit));
  }

  private static <T> T await(Future<T> future) throws Exception {
    return future
        .toCompletionStage()
        .toCompletableFuture()
        .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void aControllerThatBeginsPaused_startsNothing_untilItIsResumed(Vertx vertx) throws Exception {
    Set<Request> seen = ConcurrentHashMap.newKeySet();
    ControllerVerticle<Request> verticle =
        verticle(
            Controller.named("paused")
                .watches(source)
                .reconciles((request, context) -> {
                  seen.add(request);
                  return Result.done();
                }));
    verticle.beforeStart(handle -> handle.pause("INC-1", null));
    source.synced.complete();
    await(vertx.deployVerticle(verticle));
    await(source.sink.future()).add(Request.of("ns", "a"));
    await(verticle.synced());
    assertThat(await(verticle.handle().list(ItemFilter.ALL, null, 10)).items()).hasSize(1);
    assertThat(java.util.Objects.requireNonNull(verticle.handle().status().pause()).reason())
        .isEqualTo("INC-1");
    assertThat(seen).isEmpty();
    await(verticle.handle().resume());
    long end = System.nanoTime() + LIMIT.toNanos();
    while (seen.isEmpty() && System.nanoTime() - end < 0) {
      java.util.concurrent.locks.LockSupport.parkNanos(1_000_000);
    }
    assertThat(seen).containsExactly(Request.of("ns", "a"));
  }

  @Test
  void manyThreadsAdd_everyKeyIsReconciled_neverTwiceAtOnce_onOneEventLoop(Vertx vertx)
      throws Exception {
    int keys = 500;
    Set<Request> runningNow = ConcurrentHashMap.newKeySet();
    Set<Request> seen = ConcurrentHashMap.newKeySet();
    AtomicInteger overlaps = new AtomicInteger();
    AtomicInteger onPlatformThread = new AtomicInteger();
    Set<Thread> loops = ConcurrentHashMap.newKeySet();
    telemetry =
        new ControllerTelemetry() {
          @Override
          public void started(long readyNanos) {
            loops.add(Thread.currentThread());
          }

          @Override
          public void merged(Phase phase) {
            loops.add(Thread.currentThread());
          }
        };
    ControllerVerticle<Request> verticle =
        verticle(
            Controller.named("busy")
                .watches(source)
                .options(options -> options.withConcurrency(8))
                .reconciles((request, context) -> {
                  if (!runningNow.add(request)) {
                    overlaps.incrementAndGet();
                  }
                  if (!Thread.currentThread().isVirtual()) {
                    onPlatformThread.incrementAndGet();
                  }
                  seen.add(request);
                  runningNow.remove(request);
                  return Result.done();
                }));
    await(vertx.deployVerticle(verticle));
    EventSink<Request> sink = await(source.sink.future());
    assertThat(seen).as("nothing runs before the sources have synced").isEmpty();
    assertThat(verticle.handle().status().state()).isEqualTo(ControllerStatus.State.SYNCING);
    source.synced.complete();
    await(verticle.synced());
    List<Thread> producers = new ArrayList<>();
    for (int p = 0; p < 8; p++) {
      producers.add(
          Thread.ofVirtual()
              .start(() -> {
                for (int i = 0; i < 20_000; i++) {
                  sink.add(Request.of("ns", "k" + i % keys));
                }
              }));
    }
    for (Thread producer : producers) {
      producer.join();
    }
    awaitEmpty(vertx, verticle.handle());
    assertThat(seen).hasSize(keys);
    assertThat(overlaps).hasValue(0);
    assertThat(onPlatformThread).as("blocking reconcilers never run on the event loop").hasValue(0);
    assertThat(loops).as("the queue is confined to one event loop").hasSize(1);
  }

  /** Waits until the queue has nothing left, looking once for each answer of the controller. */
  private static void awaitEmpty(Vertx vertx, ControllerHandle handle) throws Exception {
    long end = System.nanoTime() + LIMIT.toNanos();
    while (System.nanoTime() < end) {
      await(handle.list(ItemFilter.ALL, null, 1)); // a turn of the controller's loop has passed
      if (handle.snapshot().total() == 0) {
        return;
      }
      await(vertx.timer(2, TimeUnit.MILLISECONDS));
    }
    throw new AssertionError("still " + handle.snapshot());
  }

  @Test
  void realDelays_areNeverEarly_andAllFire(Vertx vertx) throws Exception {
    int count = 2_000;
    CountDownLatch fired = new CountDownLatch(count);
    AtomicInteger early = new AtomicInteger();
    ControllerVerticle<String> verticle =
        verticle(
            Controller.named(
                    "delays",
                    dev.coxswain.reconcile.RequestFormat.<String>of(key -> key, text -> text))
                .watches(new StringSource(source))
                .reconcilesAsync((request, context) -> {
                  if (System.nanoTime()
                          - Long.parseLong(request.substring(request.indexOf(':') + 1))
                      < 0) {
                    early.incrementAndGet();
                  }
                  fired.countDown();
                  return Future.succeededFuture(Result.done());
                }));
    source.synced.complete();
    await(vertx.deployVerticle(verticle));
    EventSink<String> sink = StringSource.sinkOf(source);
    for (int i = 0; i < count; i++) {
      Duration delay = Duration.ofNanos(100_000L * (i % 1_000) + 1);
      String key = i + ":" + (System.nanoTime() + delay.toNanos());
      sink.addAfter(key, delay, 0, Trigger.EVENT);
    }
    assertThat(fired.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(early).hasValue(0);
  }

  /** Lets a source of requests feed a controller of texts. */
  private static final class StringSource implements EventSource<String> {
    private static final java.util.Map<TestSource, EventSink<String>> SINKS =
        new ConcurrentHashMap<>();
    private final TestSource source;

    StringSource(TestSource source) {
      this.source = source;
    }

    static EventSink<String> sinkOf(TestSource source) {
      return java.util.Objects.requireNonNull(SINKS.get(source));
    }

    @Override
    public String describe() {
      return "texts";
    }

    @Override
    public Future<Void> start(EventSink<String> sink) {
      SINKS.put(source, sink);
      return source.synced.future();
    }

    @Override
    public Future<Void> stop() {
      return Future.succeededFuture();
    }
  }

  @Test
  void timeoutOfABlockingReconciler_interruptsItsThread(Vertx vertx) throws Exception {
    CountDownLatch interrupted = new CountDownLatch(1);
    ControllerVerticle<Request> verticle =
        verticle(
            Controller.named("stuck")
                .watches(source)
                .options(options -> options.withReconcileTimeout(Duration.ofMillis(50)))
                .reconciles((request, context) -> {
                  try {
                    new CountDownLatch(1).await();
                  } catch (InterruptedException e) {
                    interrupted.countDown();
                    throw e;
                  }
                  return Result.done();
                }));
    source.synced.complete();
    await(vertx.deployVerticle(verticle));
    await(source.sink.future()).add(Request.of("ns", "a"));
    assertThat(interrupted.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void undeploy_waitsForRunningAttempts_stopsTheSources_andRunsNothingMore(Vertx vertx)
      throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch finish = new CountDownLatch(1);
    AtomicInteger ended = new AtomicInteger();
    ControllerVerticle<Request> verticle =
        verticle(
            Controller.named("draining")
                .watches(source)
                .reconciles((request, context) -> {
                  running.countDown();
                  finish.await();
                  ended.incrementAndGet();
                  return Result.done();
                }));
    source.synced.complete();
    String id = await(vertx.deployVerticle(verticle));
    EventSink<Request> sink = await(source.sink.future());
    sink.add(Request.of("ns", "a"));
    sink.add(Request.of("ns", "b"));
    assertThat(running.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();

    Future<Void> undeployed = vertx.undeploy(id);
    await(vertx.timer(20, TimeUnit.MILLISECONDS));
    assertThat(undeployed.isComplete()).isFalse();
    finish.countDown();
    await(undeployed);

    assertThat(ended).as("b is left in the queue").hasValue(1);
    assertThat(source.stopped).isTrue();
    assertThat(verticle.handle().snapshot().ready()).isEqualTo(1);
  }

  @Test
  void undeploy_attemptThatIgnoresItsCancellation_isLeftBehindAfterTheLimit(Vertx vertx)
      throws Exception {
    drainLimit = Duration.ofMillis(50);
    CountDownLatch running = new CountDownLatch(1);
    ControllerVerticle<Request> verticle =
        verticle(
            Controller.named("stubborn")
                .watches(source)
                .reconcilesAsync((request, context) -> {
                  running.countDown();
                  return Promise.<Result>promise().future();
                }));
    source.synced.complete();
    String id = await(vertx.deployVerticle(verticle));
    await(source.sink.future()).add(Request.of("ns", "a"));
    assertThat(running.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    await(vertx.undeploy(id)); // bounded by the limit and a moment
    assertThat(verticle.handle().status().state()).isEqualTo(ControllerStatus.State.STOPPED);
  }

  @Test
  void sourceThatCannotStart_failsTheStartNamingIt(Vertx vertx) throws Exception {
    ControllerVerticle<Request> verticle =
        verticle(
            Controller.named("broken").watches(source).reconciles((r, context) -> Result.done()));
    await(vertx.deployVerticle(verticle));
    source.synced.fail("no such host");
    assertThatThrownBy(() -> await(verticle.synced()))
        .hasMessageContaining("source \"test\" did not start")
        .hasMessageContaining("no such host");
  }

  @Test
  void unknownBudget_failsTheDeployment(Vertx vertx) {
    ControllerVerticle<Request> verticle =
        new ControllerVerticle<>(
            Controller.named("no-budget").reconciles((r, context) -> Result.done()),
            new ControllerRuntime(
                name -> {
                  throw new IllegalArgumentException("no limiter named \"" + name + "\"");
                },
                name -> ControllerTelemetry.NONE,
                Clock.system(),
                drainLimit));
    assertThatThrownBy(() -> await(vertx.deployVerticle(verticle)))
        .hasMessageContaining("no limiter named \"default\"");
  }

  @Test
  void workerThreadingModel_isRefused(Vertx vertx) {
    ControllerVerticle<Request> verticle =
        verticle(Controller.named("worker").reconciles((r, context) -> Result.done()));
    assertThatThrownBy(() ->
            await(
                vertx.deployVerticle(
                    verticle, new DeploymentOptions().setThreadingModel(ThreadingModel.WORKER))))
        .hasMessageContaining("must be deployed on an event loop");
  }
}
