// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.sharding.internal.replica.HostSlots;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.source.Acquisition;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The numbered schedules of the ownership protocol that need controllers with attempts. */
class OwnershipScheduleTest extends ControllerManagerFixture {

  private static final Request REQUEST = Request.of("shop", "x");

  /** A source that holds one request. */
  private static final class OneRequest implements EventSource<Request> {
    private @Nullable EventSink<Request> sink;

    @Override
    public String describe() {
      return "one request";
    }

    @Override
    public Future<Void> start(EventSink<Request> to) {
      sink = to;
      to.add(REQUEST);
      return Future.succeededFuture();
    }

    @Override
    public void redeliver(Acquisition<Request> acquired) {
      if (acquired.unknown().test(REQUEST)) {
        Objects.requireNonNull(sink).add(REQUEST, EventSink.PRIORITY_LOW, Trigger.ACQUIRED);
      }
    }

    @Override
    public Future<Void> stop() {
      return Future.succeededFuture();
    }
  }

  /** The address has no server, so a write that the guard permits fails in another way. */
  private static String write(Kubernetes kubernetes) {
    try {
      kubernetes.resource(V1ConfigMap.class).delete(REQUEST);
      return "answered";
    } catch (LostOwnershipException e) {
      return "refused";
    } catch (ApiStatusException e) {
      return "sent";
    }
  }

  private static void awaitWithoutInterrupts(CountDownLatch latch) {
    boolean done = false;
    while (!done) {
      try {
        latch.await();
        done = true;
      } catch (InterruptedException e) {
        // ignored on purpose, as an attempt that is abandoned does
      }
    }
  }

  /** Schedule 12, with a controller that one replica runs. */
  @Test
  void schedule12_anAttemptThatAnEarlierLeadershipAbandoned_writesNothingInALaterOne()
      throws Exception {
    CountDownLatch started = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    Queue<String> writes = new ConcurrentLinkedQueue<>();
    owned = () -> CurrentAttempt.get().map(ReconcileContext::timeLeft).orElse(Duration.ZERO);
    ControllerManager manager =
        manager(
            List.of(
                definition(
                    "owned",
                    environment -> {
                      Kubernetes kubernetes = environment.get(Kubernetes.class);
                      return Controller.named("owned")
                          .options(options -> options.withOwnership(Ownership.LEADER))
                          .watches(new OneRequest())
                          .reconciles((request, context) -> {
                            long epoch = context.epoch();
                            if (epoch == 1) {
                              started.countDown();
                              awaitWithoutInterrupts(released);
                            }
                            writes.add(epoch + " " + write(kubernetes));
                            return Result.done();
                          });
                    })),
            "drainLimit=100ms");
    manager.open().await();
    manager.slotControllers().begin(new HostSlots(1, SlotDivision.KEY, _ -> Duration.ofHours(1)));
    Term first = new Term(1);
    manager.slotControllers().open(List.of(first));
    started.await();
    first.ended = true;
    manager.slotControllers().cancel(List.of(0));
    manager.slotControllers().drop(List.of(0)); // the second term is of another replica
    await(() -> names(manager).isEmpty()); // or its attempt holds the key
    manager.slotControllers().open(List.of(new Term(3)));
    await(() -> writes.contains("3 sent"));
    released.countDown();
    await(() -> writes.stream().anyMatch(write -> write.startsWith("1 ")));
    assertThat(writes).contains("1 refused").doesNotContain("1 sent");
    manager.close().await();
  }

  /**
   * Schedule 23: the slots of the replica that cannot start a controller stay closed for it, which is
   * reported there, and are open as soon as it has started.
   */
  @Test
  void schedule23_aControllerThatAReplicaCannotStart_isReported_andOwnsItsSlotsWhenItHasStarted()
      throws Exception {
    AtomicBoolean installed = new AtomicBoolean();
    Queue<Long> epochs = new ConcurrentLinkedQueue<>();
    ControllerManager manager =
        manager(
            List.of(
                definition(
                    "partial",
                    environment -> {
                      if (!installed.get()) {
                        throw new IllegalStateException("not installed");
                      }
                      return Controller.named("partial")
                          .options(options -> options.withOwnership(Ownership.SHARDED))
                          .watches(new OneRequest())
                          .reconciles((request, context) -> {
                            epochs.add(context.epoch());
                            return Result.done();
                          });
                    })));
    manager.open().await();
    lead(manager);
    assertThat(manager.snapshot().failed())
        .singleElement()
        .satisfies(failed -> assertThat(failed.error()).isEqualTo("not installed"));
    assertThat(metrics.scrape(null).text())
        .contains("coxswain_controller_up{controller=\"partial\"} 0.0");
    assertThat(epochs).isEmpty();
    installed.set(true);
    await(() -> epochs.contains(1L));
    assertThat(manager.snapshot().failed()).isEmpty();
    manager.close().await();
  }
}
