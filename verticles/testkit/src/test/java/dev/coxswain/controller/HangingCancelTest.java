// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.internal.engine.ControllerEngine;
import dev.coxswain.internal.loop.EngineThreads;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.testkit.RecordingTelemetry;
import dev.coxswain.testkit.VirtualTime;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An action of {@code onCancel} that does not return held the event loop of its controller. */
@Timeout(60)
class HangingCancelTest {

  private static final Request BAD = Request.of("ns", "bad");
  private static final Request GOOD = Request.of("ns", "good");

  private final VirtualTime time = new VirtualTime();
  private final CountDownLatch hangs = new CountDownLatch(1);
  private final CompletableFuture<Thread> cancelled = new CompletableFuture<>();
  private final List<Request> ran = new ArrayList<>();
  private final List<ReconcileContext> contexts = new ArrayList<>();

  @AfterEach
  void release() {
    hangs.countDown();
  }

  private void hang() {
    cancelled.complete(Thread.currentThread());
    try {
      hangs.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void start(boolean late) {
    ControllerEngine<Request> engine =
        new ControllerEngine<>(
            Controller.named("c")
                .options(options -> options.withReconcileTimeout(Duration.ofSeconds(1)))
                .reconcilesAsync((request, context) -> {
                  ran.add(request);
                  contexts.add(context);
                  if (request.equals(GOOD)) {
                    return Future.succeededFuture(Result.done());
                  }
                  if (!late) {
                    context.onCancel(this::hang);
                  }
                  return Promise.<Result>promise().future();
                }),
            new ControllerRuntime(
                name -> new LocalRetryBudget(name, 10, 100, time),
                name -> new RecordingTelemetry(),
                time,
                Duration.ofSeconds(30)),
            new EngineThreads(time, time, time, task -> Thread.ofVirtual().start(task)));
    engine.start();
    time.settle();
    engine.sink().add(BAD);
    engine.sink().addAfter(GOOD, Duration.ofSeconds(5), 0, Trigger.EVENT);
    time.settle();
    time.advance(Duration.ofSeconds(2));
  }

  @Test
  void aHangingAction_runsOnAThreadOfItsOwn_andTheLoopGoesOn() throws Exception {
    start(false);
    assertThat(cancelled.get(60, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
    time.advance(Duration.ofSeconds(10));
    assertThat(ran).contains(GOOD);
  }

  /** It is registered by code that runs on the event loop, too: a continuation of the attempt. */
  @Test
  void anActionThatIsRegisteredTooLate_runsOnAThreadOfItsOwn_too() throws Exception {
    start(true);
    assertThat(contexts.getFirst().isCancelled()).isTrue();
    contexts.getFirst().onCancel(this::hang);
    assertThat(cancelled.get(60, TimeUnit.SECONDS)).isNotSameAs(Thread.currentThread());
    time.advance(Duration.ofSeconds(10));
    assertThat(ran).contains(GOOD);
  }
}
