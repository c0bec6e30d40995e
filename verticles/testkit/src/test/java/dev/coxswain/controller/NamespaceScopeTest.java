// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.internal.engine.ControllerEngine;
import dev.coxswain.internal.engine.SilentSource;
import dev.coxswain.internal.loop.EngineThreads;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.retry.RetryBudget;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.spi.MovedItem;
import dev.coxswain.spi.MovedSlot;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.Explanation;
import dev.coxswain.view.ItemId;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Requests of namespaces that a deployment does not watch are never reconciled, and say why. */
class NamespaceScopeTest {

  private final VirtualTime time = new VirtualTime();
  private final List<Request> started = new ArrayList<>();
  private final ControllerEngine<Request> engine =
      new ControllerEngine<>(
          Controller.named("scoped")
              .watches(new SilentSource())
              .options(options -> options.withOwnership(Ownership.SHARDED))
              .reconcilesAsync((request, context) -> {
                started.add(request);
                return Future.succeededFuture(Result.done());
              }),
          new ControllerRuntime(
                  name ->
                      new LocalRetryBudget(
                          name, RetryBudget.DEFAULT_RATE, RetryBudget.DEFAULT_BURST, time),
                  name -> ControllerTelemetry.NONE,
                  time,
                  Duration.ofSeconds(1))
              .withSlots(new ShardedControllerFixture.Cluster())
              .withNamespaces(Set.of("0")),
          new EngineThreads(time, time, time, Runnable::run));

  NamespaceScopeTest() {
    engine.start();
    time.settle();
    done(slots().open(List.of(term(0), term(1))).map(_ -> true));
  }

  private SlotHandle slots() {
    return engine.slots().orElseThrow();
  }

  private static ShardedControllerFixture.Term term(int slot) {
    return new ShardedControllerFixture.Term(slot, 1);
  }

  private <T> T done(Future<T> future) {
    time.settle();
    assertThat(future.succeeded()).isTrue();
    return Objects.requireNonNull(future.result());
  }

  @Test
  void aRequestOfASource_isDropped_andItsExplanationNamesTheNamespace() {
    engine.sink().add(Request.of("0", "in"));
    engine.sink().add(Request.of("1", "out"));
    time.settle();
    assertThat(started).containsExactly(Request.of("0", "in"));
    assertThat(done(engine.sink().offer(Request.of("1", "out")))).isFalse();
    Explanation why = done(engine.handle().explain(new ItemId("1", "out")));
    assertThat(why.reason()).isEqualTo(Explanation.Reason.LEFT_OUT);
    assertThat(why.message()).contains("does not watch namespace \"1\"", "watchNamespaces");
  }

  @Test
  void anOperator_isRefused_withTheReason() {
    ActionResult result = done(engine.handle().add(new ItemId("1", "out"), Duration.ZERO));
    assertThat(result).isInstanceOf(ActionResult.Refused.class);
    assertThat(((ActionResult.Refused) result).reason()).contains("does not watch namespace \"1\"");
    assertThat(done(engine.handle().add(new ItemId("0", "in"), Duration.ZERO)))
        .isInstanceOf(ActionResult.Applied.class);
  }

  /** Until all replicas have read their files, a former owner may watch more. */
  @Test
  void whatAFormerOwnerHandsOver_isDropped() {
    done(slots().drop(List.of(0, 1)).map(_ -> true));
    for (int slot = 0; slot < 2; slot++) {
      MovedItem item =
          new MovedItem("" + slot, "moved", 3, true, Duration.ofSeconds(1), 0, "no", null);
      done(
          slots()
              .openMoved(
                  new ShardedControllerFixture.Term(slot, 2),
                  new MovedSlot(List.of(item), List.of("7")))
              .map(_ -> true));
    }
    time.advance(Duration.ofMinutes(1));
    assertThat(started).containsExactly(Request.of("0", "moved"));
  }
}
