// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.internal.engine.ControllerEngine;
import dev.coxswain.reconcile.CurrentAttempt;
import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.TerminalException;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.Origin;
import dev.coxswain.spi.AttemptSpan;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.testkit.VirtualTime;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What the engine reports to a telemetry that records traces. */
class AttemptTraceTest {

  private static final Request KEY = Request.of("shop", "cart");
  private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-";

  private final VirtualTime time = new VirtualTime();
  private final List<String> seen = new ArrayList<>();

  /** Records in the order of the calls. */
  private class Tracing implements ControllerTelemetry {
    @Override
    public boolean traces() {
      return true;
    }

    @Override
    public void started(long readyNanos) {
      seen.add("started");
    }

    @Override
    public void tokenGranted(long waitedNanos) {
      seen.add("token");
    }

    @Override
    public void caused(Object request, String traceParent) {
      seen.add("caused " + request + " " + traceParent.substring(TRACE.length()));
    }

    @Override
    public AttemptSpan begin(Object request, ReconcileContext attempt) {
      seen.add("begin " + attempt.key() + " " + attempt.failures());
      return new AttemptSpan() {
        @Override
        public String traceParent() {
          return TRACE + "01";
        }

        @Override
        public void end(String result, @Nullable String error) {
          seen.add(result + " " + error);
        }
      };
    }
  }

  private ControllerEngine<Request> engine(
      Controller<Request> controller, ControllerTelemetry telemetry) {
    ControllerEngine<Request> engine = Engines.of(controller, telemetry, time);
    engine.start();
    time.settle();
    return engine;
  }

  private void run(Controller<Request> controller) {
    engine(controller, new Tracing()).sink().add(KEY);
    time.settle();
  }

  private void throwing(Exception failure) {
    run(
        Controller.named("one")
            .reconciles((_, _) -> {
              throw failure;
            }));
  }

  @Test
  void anAttempt_beginsAfterItsWaits_andEndsWithItsResult() {
    run(
        Controller.named("one")
            .reconciles(
                (_, context) -> context.failures() == 0 ? Result.requeue() : Result.done()));
    time.advance(Duration.ofSeconds(1));
    assertThat(seen)
        .containsExactly(
            "started",
            "begin shop/cart 0",
            "requeue null",
            "token",
            "started",
            "begin shop/cart 1",
            "success null");
  }

  @Test
  void aFailure_endsItsSpan_withItsKind() {
    throwing(new IllegalStateException("no"));
    throwing(new TerminalException("never"));
    throwing(new LostOwnershipException("gone"));
    assertThat(seen)
        .contains(
            "error IllegalStateException: no",
            "terminal TerminalException: never",
            "lost_ownership LostOwnershipException: gone");
  }

  /** It may never end. */
  @Test
  void aTimeout_endsTheSpan_once() {
    Promise<Result> late = Promise.promise();
    run(
        Controller.named("one")
            .options(options -> options.withReconcileTimeout(Duration.ofSeconds(1)))
            .reconcilesAsync((_, _) -> late.future()));
    time.advance(Duration.ofSeconds(2));
    assertThat(seen)
        .containsExactly(
            "started", "begin shop/cart 0", "timeout the attempt took longer than 1000 ms");
    late.complete(Result.done());
    time.advance(Duration.ofSeconds(1));
    assertThat(seen.subList(3, seen.size()))
        .containsExactly("token", "started", "begin shop/cart 1", "success null");
  }

  @Test
  void anAsynchronousReconciler_isCalledAsAnAttempt_andSoIsABoundTask() {
    List<Optional<ReconcileContext>> found = new ArrayList<>();
    run(
        Controller.named("one")
            .reconcilesAsync((_, context) -> {
              found.add(CurrentAttempt.get());
              time.execute(() -> found.add(CurrentAttempt.get()));
              time.execute(context.bind(() -> found.add(CurrentAttempt.get())));
              return Future.succeededFuture(Result.done());
            }));
    assertThat(found).hasSize(3);
    assertThat(found.get(0)).isPresent().isEqualTo(found.get(2));
    assertThat(found.get(1)).isEmpty();
    assertThat(found.get(0).orElseThrow().traceId()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
  }

  @Test
  void aRequestThatAnAttemptAdds_hasItAsItsCause_andAnotherTheCauseThatIsGiven() {
    EventSink<Request> second =
        engine(Controller.named("two").reconciles((_, _) -> Result.done()), new Tracing()).sink();
    run(
        Controller.named("one")
            .reconciles((request, _) -> {
              second.add(request);
              second.offer(request);
              second.addAfter(request, Duration.ofSeconds(1), 0, Trigger.EVENT);
              return Result.done();
            }));
    assertThat(seen).filteredOn(one -> one.equals("caused shop/cart 01")).hasSize(3);
    seen.clear();
    second.add(KEY);
    second.add(KEY, 0, Trigger.EVENT, Origin.ofTrace(TRACE + "00"));
    second.add(KEY, 0, Trigger.EVENT, Origin.ofTrace("no trace"));
    second.add(KEY, 0, Trigger.EVENT, Origin.ofTrace(TRACE + "03"));
    time.settle();
    assertThat(seen)
        .filteredOn(one -> one.startsWith("caused"))
        .containsExactly("caused shop/cart 03");
  }

  @Test
  void aTracerThatThrows_keepsNoAttemptFromItsEnd() {
    List<Request> ran = new ArrayList<>();
    ControllerEngine<Request> engine =
        engine(
            Controller.named("one")
                .reconciles((request, _) -> {
                  ran.add(request);
                  return Result.done();
                }),
            new Tracing() {
              @Override
              public AttemptSpan begin(Object request, ReconcileContext attempt) {
                if (ran.isEmpty()) {
                  throw new IllegalStateException("on purpose");
                }
                return new AttemptSpan() {
                  @Override
                  public String traceParent() {
                    return "";
                  }

                  @Override
                  public void end(String result, @Nullable String error) {
                    throw new IllegalStateException("on purpose");
                  }
                };
              }
            });
    engine.sink().add(KEY);
    time.settle();
    engine.sink().add(KEY);
    time.settle();
    assertThat(ran).hasSize(2);
    assertThat(engine.handle().snapshot().total()).isZero();
  }

  @Test
  void withoutTraces_anAttemptHasItsKeyAndNoTrace() {
    List<String> found = new ArrayList<>();
    ControllerEngine<Request> engine =
        engine(
            Controller.named("one")
                .reconciles((_, _) -> {
                  ReconcileContext context = CurrentAttempt.get().orElseThrow();
                  found.add(context.key() + context.traceParent() + context.traceId());
                  return Result.done();
                }),
            ControllerTelemetry.NONE);
    engine.sink().add(KEY);
    time.settle();
    assertThat(found).containsExactly("shop/cart");
  }
}
