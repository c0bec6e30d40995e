// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.EventExecutor;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeploymentsTest {

  private static final int LOOPS = 4;

  private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(LOOPS));
  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void close() {
    release.countDown();
    vertx.close().await();
  }

  /** What was deployed later passed through the event loop that Vert.x gave to the first caller. */
  @Test
  void aBlockedEventLoop_holdsUpOnlyTheVerticlesOnIt() throws Exception {
    Deployments deployments = new Deployments(vertx);
    deployments.deploy(new Idle()).await(1, TimeUnit.MINUTES);
    CountDownLatch blocked = new CountDownLatch(1);
    vertx
        .getOrCreateContext()
        .runOnContext(_ -> { // the loop of this thread
          blocked.countDown();
          try {
            release.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    assertThat(blocked.await(1, TimeUnit.MINUTES)).isTrue();
    List<Future<String>> all = new ArrayList<>();
    for (int i = 0; i < LOOPS; i++) {
      all.add(deployments.deploy(new Idle()));
    }
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (all.stream().filter(Future::succeeded).count() < LOOPS - 1
        && System.nanoTime() < deadline) {
      LockSupport.parkNanos(1_000_000);
    }
    assertThat(all.stream().filter(Future::succeeded).count()).isEqualTo(LOOPS - 1);
  }

  /**
   * Vert.x registers its listener after it has scheduled the start. Without a deferred start, a
   * controller that blocked its loop in its first attempt was never reported as deployed.
   */
  @Test
  void aVerticleStarts_onlyWhenVertxWaitsForItsStart() throws Exception {
    AtomicInteger started = new AtomicInteger();
    AtomicInteger startedTooEarly = new AtomicInteger();
    Vertx late =
        (Vertx)
            Proxy.newProxyInstance(
                Vertx.class.getClassLoader(),
                new Class<?>[] {Vertx.class},
                (_, method, arguments) -> {
                  Object result = method.invoke(vertx, arguments);
                  if (method.getName().equals("deployVerticle") && arguments.length == 1) {
                    passEveryLoop(); // whatever Vert.x has scheduled has run
                    startedTooEarly.addAndGet(started.get());
                  }
                  return result;
                });
    Deployments deployments = new Deployments(late);

    deployments
        .deploy(
            new VerticleBase() {
              @Override
              public Future<?> start() {
                started.incrementAndGet();
                return Future.succeededFuture();
              }
            })
        .await(1, TimeUnit.MINUTES);

    assertThat(started).hasValue(1);
    assertThat(startedTooEarly).hasValue(0);
  }

  private void passEveryLoop() throws InterruptedException {
    CountDownLatch passed = new CountDownLatch(LOOPS);
    for (EventExecutor loop : ((VertxInternal) vertx).nettyEventLoopGroup()) {
      loop.execute(passed::countDown);
    }
    assertThat(passed.await(1, TimeUnit.MINUTES)).isTrue();
  }

  private static final class Idle extends VerticleBase {}
}
