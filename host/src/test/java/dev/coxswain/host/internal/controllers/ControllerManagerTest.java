// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.vertx.core.Future;
import io.vertx.core.VertxOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Start, stop and snapshots of all controllers together. */
class ControllerManagerTest extends ControllerManagerFixture {

  @Test
  void aStop_letsRunningAttemptsEnd_andCancelsThemAtTheLimit() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch cancelled = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    ControllerManager manager =
        manager(
            List.of(
                definition(
                    "slow",
                    environment ->
                        Controller.named("slow")
                            .options(options -> options.withOwnership(Ownership.EVERYWHERE))
                            .watches(source(Future.succeededFuture(), new Request("ns", "one")))
                            .reconciles((request, context) -> {
                              running.countDown();
                              try {
                                never.await();
                              } catch (InterruptedException e) {
                                cancelled.countDown();
                                throw e;
                              }
                              return Result.done();
                            }))),
            "drainLimit=100ms");
    manager.open().await();
    assertThat(running.await(60, TimeUnit.SECONDS)).isTrue();
    long before = System.nanoTime();
    manager.stopping();
    manager.close().await();
    assertThat(Duration.ofNanos(System.nanoTime() - before))
        .isGreaterThanOrEqualTo(Duration.ofMillis(90));
    assertThat(cancelled.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(manager.controllers()).isEmpty();
  }

  /** Running, failed and idle ones were read one after another, and one could be in none of them. */
  @Test
  void everySnapshot_hasEachControllerOnce_whileTheyStartAndStop() throws Exception {
    ControllerManager manager =
        manager(
            List.of(
                definition("one", environment -> controller("one", Ownership.LEADER)),
                definition("two", environment -> controller("two", Ownership.LEADER))));
    AtomicBoolean done = new AtomicBoolean();
    AtomicReference<String> wrong = new AtomicReference<>("");
    Thread reader =
        Thread.ofPlatform()
            .start(() -> {
              while (!done.get()) {
                ControllerDirectory.Snapshot all = manager.snapshot();
                List<String> names = new ArrayList<>();
                all.running().forEach(one -> names.add(one.name()));
                all.failed().forEach(one -> names.add(one.name()));
                all.idle().forEach(one -> names.add(one.name()));
                names.sort(null);
                if (!names.equals(List.of("one", "two"))) {
                  wrong.set(names.toString());
                }
              }
            });
    manager.open().await();
    for (int i = 0; i < 50; i++) {
      lead(manager);
      stopLeading(manager).await();
    }
    done.set(true);
    reader.join();
    assertThat(wrong.get()).isEmpty();
    manager.close().await();
  }

  /** The manager worked on an event loop of the controllers and stood still with it. */
  @Test
  void controllersThatBlockAllEventLoops_holdUpNeitherStartNorLeadershipNorStop() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicInteger blocked = new AtomicInteger();
    int loops = VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE;
    List<ControllerDefinition> definitions = new ArrayList<>();
    definitions.add(definition("owned", environment -> controller("owned", Ownership.LEADER)));
    for (int i = 0; i <= loops; i++) {
      String name = "blocking-" + i;
      definitions.add(definition(name, environment -> blocking(name, blocked, release)));
    }
    ControllerManager manager = manager(definitions, "drainLimit=100ms");
    try {
      finishes(manager.open());
      await(() -> blocked.get() == loops);
      lead(manager);
      finishes(stopLeading(manager));
      manager.stopping();
      finishes(manager.close());
    } finally {
      release.countDown();
    }
    await(() ->
        manager.states().stream().allMatch(state -> state.phase() == ControllerPhase.STOPPED)
            && manager.controllers().isEmpty());
  }

  private static void finishes(Future<Void> future) throws Exception {
    future.toCompletionStage().toCompletableFuture().get(40, TimeUnit.SECONDS);
  }

  private static Controller<Request> blocking(
      String name, AtomicInteger blocked, CountDownLatch release) {
    return Controller.named(name)
        .options(options -> options.withOwnership(Ownership.EVERYWHERE))
        .watches(source(Future.succeededFuture(), new Request("default", "one")))
        .reconcilesAsync((request, context) -> {
          blocked.incrementAndGet();
          try {
            release.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return Future.succeededFuture(Result.done());
        });
  }
}
