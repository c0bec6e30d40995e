// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.internal.loop.Inbox;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.retry.Backoff;
import dev.coxswain.retry.Composition;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.verticle.ControllerVerticle;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** Laws of the inbox and of blocking attempts on real threads. */
@Isolated
class ThreadsTest {
  private static final int PRODUCERS = 4;
  private static final int EACH = 250_000;

  @SuppressWarnings("serial") // never serialized
  private static final class Numbered extends Inbox.Node {
    final int number;
    final int[] last;
    final int producer;
    final CountDownLatch done;

    Numbered(int producer, int number, int[] last, CountDownLatch done) {
      this.producer = producer;
      this.number = number;
      this.last = last;
      this.done = done;
    }

    @Override
    public void process(long now) {
      if (last[producer]++ == number) {
        done.countDown(); // only in order
      }
    }
  }

  @Test
  @Timeout(60)
  void inbox_manyProducers_everythingArrivesOnceInOrder_andTheLastWakeUpIsNotLost()
      throws InterruptedException {
    ExecutorService loop = Executors.newSingleThreadExecutor();
    Inbox inbox = new Inbox("test", Clock.system(), loop, loop, () -> {});
    int[] last = new int[PRODUCERS];
    CountDownLatch done = new CountDownLatch(PRODUCERS * EACH);
    List<Thread> threads = new ArrayList<>();
    for (int p = 0; p < PRODUCERS; p++) {
      int producer = p;
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < EACH; i++) {
                  inbox.offer(new Numbered(producer, i, last, done));
                  if ((i & 63) == 0) {
                    LockSupport.parkNanos(1); // let the drain come to an end now and then
                  }
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(done.await(30, TimeUnit.SECONDS)).as("left: %s", done.getCount()).isTrue();
    loop.shutdown();
    assertThat(loop.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
    assertThat(inbox.pending()).isZero();
  }

  @Test
  @Timeout(120)
  void blockingAttemptsAroundTheirTimeLimit_neverTwiceAtOnce_noStrayInterrupt_allEnd()
      throws Exception {
    Vertx vertx = Vertx.vertx();
    Set<Request> running = ConcurrentHashMap.newKeySet();
    AtomicInteger twice = new AtomicInteger();
    AtomicInteger stray = new AtomicInteger();
    AtomicInteger attempts = new AtomicInteger();
    Controller<Request> controller =
        Controller.named("real")
            .options(o ->
                o.withConcurrency(8)
                    .withComposition(Composition.BACKOFF_ONLY)
                    .withBackoff(Backoff.fastSlow(Duration.ofNanos(1), Duration.ofNanos(1), 1))
                    .withReconcileTimeout(Duration.ofMillis(1)))
            .reconciles((request, context) -> {
              if (Thread.currentThread().isInterrupted() && !context.isCancelled()) {
                stray.incrementAndGet();
              }
              if (!running.add(request)) {
                twice.incrementAndGet();
              }
              try {
                LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(1_400_000));
                return attempts.incrementAndGet() > 5_000
                    ? Result.done()
                    : Result.requeueAfter(Duration.ofNanos(1));
              } finally {
                running.remove(request);
              }
            });
    ControllerVerticle<Request> verticle =
        new ControllerVerticle<>(
            controller,
            new ControllerRuntime(
                name -> new LocalRetryBudget(name, 10, 1, Clock.system()),
                name -> ControllerTelemetry.NONE,
                Clock.system(),
                Duration.ofSeconds(5)));
    vertx
        .deployVerticle(verticle)
        .toCompletionStage()
        .toCompletableFuture()
        .get(60, TimeUnit.SECONDS);
    var sink = verticle.handle();
    for (int i = 0; i < 40; i++) {
      sink.add(new dev.coxswain.view.ItemId("ns", "k" + i), Duration.ZERO);
    }
    long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
    while ((attempts.get() < 5_000 || sink.snapshot().total() > 0) && System.nanoTime() < end) {
      LockSupport.parkNanos(5_000_000);
    }
    int left = sink.snapshot().total();
    vertx.close().toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    assertThat(twice).hasValue(0);
    assertThat(stray).hasValue(0);
    assertThat(left).as("attempts %s", attempts).isZero();
  }
}
