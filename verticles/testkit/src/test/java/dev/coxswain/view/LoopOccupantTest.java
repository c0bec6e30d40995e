// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.BulkRequest;
import dev.coxswain.controller.BulkRequests;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.internal.engine.ControllerEngine;
import dev.coxswain.internal.engine.SilentSource;
import dev.coxswain.internal.loop.EngineThreads;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.source.EventSink;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Whatever of a user's code holds the event loop, the controller is found by it. */
class LoopOccupantTest {

  private final List<String> inside = new ArrayList<>();
  private final AtomicReference<BooleanSupplier> isInside = new AtomicReference<>(() -> false);

  private void note(String place) {
    inside.add(place + " " + isInside.get().getAsBoolean());
  }

  @Test
  void codeOfUsers_runsInATurn_fromTheStartOfASourceToItsStop() {
    VirtualTime time = new VirtualTime();
    SilentSource source =
        new SilentSource() {
          @Override
          public Future<Void> start(EventSink<Request> sink) {
            note("start");
            return super.start(sink);
          }

          @Override
          public Future<Void> stop() {
            note("stop");
            return super.stop();
          }
        };
    ControllerEngine<Request> engine =
        new ControllerEngine<>(
            Controller.named("view")
                .watches(source)
                .reconciles((request, context) -> {
                  note("reconcile");
                  return Result.done();
                }),
            new ControllerRuntime(
                name -> new LocalRetryBudget(name, 10, 10, time),
                name -> ControllerTelemetry.NONE,
                time,
                Duration.ofSeconds(1)),
            new EngineThreads(time, time, time, Runnable::run));
    LoopOccupant occupant = engine.handle().occupant().orElseThrow();
    isInside.set(occupant::isInside);

    engine.start();
    time.settle();
    engine.sink().add(Request.of("ns", "a"));
    time.settle();
    Future<DrainReport> stopped = engine.stop(Duration.ofSeconds(1));
    time.settle();

    assertThat(stopped.succeeded()).isTrue();
    assertThat(inside).containsExactly("start true", "reconcile true", "stop true");
    assertThat(occupant.isInside()).isFalse();
    assertThat(occupant.loop()).isEqualTo(Thread.currentThread());
  }

  @Test
  void attemptThatABulkActionStarts_runsInATurn() {
    VirtualTime time = new VirtualTime();
    ControllerTestKit<Request> kit =
        ControllerTestKit.of(
            Controller.named("view")
                .reconciles((request, context) -> {
                  note("reconcile");
                  return Result.done();
                }),
            time);
    LoopOccupant occupant = kit.handle().occupant().orElseThrow();
    isInside.set(occupant::isInside);
    kit.sink().addAfter(Request.of("ns", "a"), Duration.ofHours(1), 0, Trigger.EVENT);
    kit.sink().addAfter(Request.of("ns", "b"), Duration.ofHours(1), 0, Trigger.EVENT);
    time.settle();

    kit.await(kit.handle().bulk(BulkRequests.of(BulkRequest.Action.RETRY, ItemFilter.ALL, 10, 1)));

    assertThat(inside).containsExactly("reconcile true", "reconcile true");
  }
}
