// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.internal.engine.SilentSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.SourceRegistry;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.verticle.ControllerVerticle;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Attempts on many threads add and remove sources of the same names, while the controller stops. */
class AddedSourceThreadsTest {

  private static final int THREADS = 8;
  private static final int CALLS = 500;

  /** How many sources of a name run. */
  private final ConcurrentHashMap<String, AtomicInteger> running = new ConcurrentHashMap<>();

  private final AtomicInteger overlaps = new AtomicInteger();
  private final AtomicInteger reported = new AtomicInteger();
  private final AtomicInteger started = new AtomicInteger();

  private final class Counted extends SilentSource {
    private final AtomicInteger sameName;
    private final int outcome;

    Counted(String name, int outcome) {
      this.sameName = running.computeIfAbsent(name, _ -> new AtomicInteger());
      this.outcome = outcome;
    }

    @Override
    public Future<Void> start(EventSink<Request> sink) {
      started.incrementAndGet();
      if (sameName.incrementAndGet() > 1) {
        overlaps.incrementAndGet();
      }
      Promise<Void> synced = Promise.promise();
      Thread.ofVirtual()
          .start(() -> {
            if (outcome == 0) {
              synced.fail("on purpose");
            } else if (outcome == 1) {
              synced.complete();
            }
          });
      return synced.future();
    }

    @Override
    public Future<Void> stop() {
      sameName.decrementAndGet();
      return super.stop();
    }
  }

  @Test
  void futures_completeOnTheEventLoop() throws Exception {
    Vertx vertx = Vertx.vertx();
    Controller.Builder<Request> builder = Controller.named("busy");
    SourceRegistry<Request> registry = builder.sourceRegistry();
    vertx.deployVerticle(verticle(builder)).await();
    Queue<Boolean> onEventLoop = new ConcurrentLinkedQueue<>();
    Promise<Void> mayStart = Promise.promise();
    Promise<Void> mayEnd = Promise.promise();
    // A listener of a future that is complete is called on the thread that adds it.
    Future<Slow> added =
        registry
            .add("t", () -> new Slow(mayStart.future(), mayEnd.future()))
            .onComplete(_ -> onEventLoop.add(Context.isOnEventLoopThread()));
    mayStart.complete();
    added.await();
    Future<Boolean> removed =
        registry.remove("t").onComplete(_ -> onEventLoop.add(Context.isOnEventLoopThread()));
    mayEnd.complete();
    removed.await();
    vertx.close().await();
    assertThat(onEventLoop).containsExactly(true, true);
  }

  /** A source whose futures complete on threads of its own. */
  private static final class Slow extends SilentSource {
    private final Future<Void> mayStart;
    private final Future<Void> mayEnd;

    Slow(Future<Void> mayStart, Future<Void> mayEnd) {
      this.mayStart = mayStart;
      this.mayEnd = mayEnd;
    }

    private static Future<Void> elsewhere(Future<Void> after) {
      Promise<Void> done = Promise.promise();
      Thread.ofVirtual()
          .start(() -> {
            after.await();
            done.complete();
          });
      return done.future();
    }

    @Override
    public Future<Void> start(EventSink<Request> sink) {
      return elsewhere(mayStart);
    }

    @Override
    public Future<Void> stop() {
      return elsewhere(mayEnd);
    }
  }

  private ControllerVerticle<Request> verticle(Controller.Builder<Request> builder) {
    return new ControllerVerticle<>(
        builder.reconciles((request, context) -> Result.done()),
        new ControllerRuntime(
            name -> new LocalRetryBudget(name, 10, 100, Clock.system()),
            _ ->
                new ControllerTelemetry() {
                  @Override
                  public void userCodeFailed() {
                    reported.incrementAndGet();
                  }
                },
            Clock.system(),
            Duration.ZERO));
  }

  @Test
  void sourceThatIsNotAdded_isReported_sinceNobodyNeedLookAtItsFuture() throws Exception {
    Vertx vertx = Vertx.vertx();
    Controller.Builder<Request> builder = Controller.named("busy");
    SourceRegistry<Request> registry = builder.sourceRegistry();
    vertx.deployVerticle(verticle(builder)).await();
    registry
        .add(
            "broken",
            () -> {
              throw new IllegalArgumentException("on purpose");
            })
        .otherwiseEmpty()
        .await();
    assertThat(reported).hasValue(1);
    registry.add("fails", () -> new Counted("fails", 0)).otherwiseEmpty().await();
    assertThat(reported).hasValue(2);
    for (int i = 0; i < SourceRegistry.MAX_SOURCES; i++) {
      registry.add("t" + i, SilentSource::new).await();
    }
    registry.add("more", SilentSource::new);
    assertThat(reported).hasValue(3);
    vertx.close().await();
  }

  @Test
  void noSourceIsLeft_andNoNameHasTwo() throws Exception {
    Vertx vertx = Vertx.vertx();
    Controller.Builder<Request> builder = Controller.named("busy");
    SourceRegistry<Request> registry = builder.sourceRegistry();
    ControllerVerticle<Request> verticle = verticle(builder);
    String id = vertx.deployVerticle(verticle).await();
    Queue<Future<?>> results = new ConcurrentLinkedQueue<>();
    AtomicInteger calls = new AtomicInteger();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      Random random = new Random(i);
      threads.add(
          Thread.ofVirtual()
              .start(() -> {
                for (int call = 0; call < CALLS; call++) {
                  String name = "t" + random.nextInt(3);
                  int outcome = random.nextInt(3);
                  results.add(
                      random.nextBoolean()
                          ? registry.add(name, () -> new Counted(name, outcome))
                          : registry.remove(name));
                  if (random.nextInt(5) == 0) { // a turn of the event loop
                    verticle.handle().setConcurrency(1).otherwiseEmpty().await();
                  }
                  if (calls.incrementAndGet() == THREADS * CALLS / 2) {
                    results.add(vertx.undeploy(id));
                  }
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    Future.join(List.copyOf(results)).otherwiseEmpty().await();
    vertx.close().await();
    assertThat(started).hasValueGreaterThan(10);
    assertThat(overlaps).hasValue(0);
    assertThat(running.values()).allMatch(count -> count.get() == 0);
    assertThat(registry.names()).isEmpty();
  }
}
