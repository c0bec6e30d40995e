// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.vertx.core.Future;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The concurrency of controllers changes in the configuration while they run. */
class ConcurrencyReloadTest extends ControllerManagerFixture {

  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger cancelled = new AtomicInteger();
  private final AtomicInteger done = new AtomicInteger();
  private final Semaphore ends = new Semaphore(0);

  private Controller<Request> work(Ownership ownership) {
    Request[] requests =
        IntStream.range(0, 12).mapToObj(i -> new Request("ns", "n" + i)).toArray(Request[]::new);
    return Controller.named("work")
        .options(options -> options.withOwnership(ownership).withConcurrency(3))
        .watches(source(Future.succeededFuture(), requests))
        .reconciles((request, context) -> {
          running.incrementAndGet();
          try {
            ends.acquire();
          } catch (InterruptedException e) {
            cancelled.incrementAndGet();
            throw e;
          } finally {
            running.decrementAndGet();
          }
          done.incrementAndGet();
          return Result.done();
        });
  }

  private ControllerManager started(Ownership ownership, String... settings) throws Exception {
    ControllerManager manager =
        manager(List.of(definition("work", environment -> work(ownership))), settings);
    manager.open().await();
    return manager;
  }

  private static ControllerHandle handle(ControllerManager manager) {
    return manager.find("work").orElseThrow();
  }

  private void stop(ControllerManager manager) {
    ends.release(1_000);
    manager.close().await();
  }

  @Test
  void aHigherConcurrency_startsMoreAttempts_andALowerOneCancelsNone() throws Exception {
    ControllerManager manager = started(Ownership.EVERYWHERE, "controllers.work.concurrency=2");
    await(() -> running.get() == 2);
    manager.reconfigure(configuration("controllers.work.concurrency=6")).await();
    await(() -> running.get() == 6);
    manager.reconfigure(configuration("controllers.work.concurrency=1")).await();
    await(() -> handle(manager).status().concurrency() == 1);
    assertThat(running).hasValue(6);
    for (int left = 5; left >= 1; left--) {
      ends.release();
      int ended = 6 - left;
      await(() -> done.get() == ended);
      await(() -> handle(manager).status().activeWorkers() == 6 - ended);
      assertThat(running).as("none is started before it is below 1").hasValue(left);
    }
    ends.release();
    await(() -> done.get() == 6);
    await(() -> running.get() == 1); // the next one
    assertThat(cancelled).hasValue(0);
    stop(manager);
  }

  @Test
  void withoutAValue_thatOfTheAuthorHolds() throws Exception {
    ControllerManager manager = started(Ownership.EVERYWHERE, "controllers.work.concurrency=2");
    manager.reconfigure(configuration()).await();
    await(() -> handle(manager).status().concurrency() == 3);
    stop(manager);
  }

  @Test
  void aValueOfTheAdminApi_stays_untilTheControllerIsStartedAgain() throws Exception {
    ControllerManager manager = started(Ownership.LEADER, "controllers.work.concurrency=2");
    lead(manager);
    await(() -> manager.find("work").isPresent());
    handle(manager).setConcurrency(5).await();
    manager.reconfigure(configuration("controllers.work.concurrency=4")).await();
    manager.reconfigure(configuration("controllers.work.concurrency=7")).await();
    assertThat(handle(manager).status().concurrency()).isEqualTo(5);
    ends.release(1_000);
    stopLeading(manager).await();
    await(() -> manager.find("work").isEmpty());
    lead(manager);
    await(() -> manager.find("work").isPresent());
    assertThat(handle(manager).status().concurrency()).isEqualTo(7);
    stop(manager);
  }

  @Test
  void aControllerThatStartsLater_hasTheConcurrencyOfTheLastChange() throws Exception {
    ControllerManager manager = started(Ownership.LEADER, "controllers.work.concurrency=2");
    manager.reconfigure(configuration("controllers.work.concurrency=4")).await();
    lead(manager);
    await(() -> manager.find("work").isPresent());
    assertThat(handle(manager).status().concurrency()).isEqualTo(4);
    stop(manager);
  }
}
