// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.internal.engine.ControllerEngine;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.testkit.RecordingTelemetry;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.DrainReport;
import dev.coxswain.view.Phase;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * User code that throws, or leaves its thread interrupted, does not stop the controller. Once, some
 * places caught only certain throwables, and any other ended their thread.
 */
class UserCodeTest {

  private static final Key BAD = new Key("bad");
  private static final Key GOOD = new Key("good");

  private record Key(String text) {}

  private final VirtualTime time = new VirtualTime();
  private final RecordingTelemetry telemetry = new RecordingTelemetry();
  private final List<Object> ran = new ArrayList<>();

  @AfterEach
  @SuppressWarnings("Interruption") // the thread of the test is used by other tests
  void theEventLoop_isNotInterrupted() {
    assertThat(Thread.interrupted()).as("the flag of the event loop").isFalse();
  }

  private ControllerEngine<Key> engine(Controller<Key> controller, ControllerTelemetry to) {
    return Engines.of(controller, to, time);
  }

  private ControllerEngine<Key> started(Controller<Key> controller) {
    ControllerEngine<Key> engine = engine(controller, telemetry);
    engine.start();
    time.settle();
    return engine;
  }

  private Result ran(Key key) {
    ran.add(key);
    return Result.done();
  }

  private Controller.Builder<Key> controller() {
    return Controller.named("c", RequestFormat.of(Key::text, Key::new));
  }

  private void deliver(ControllerEngine<Key> engine, Key... keys) {
    for (Key key : keys) {
      engine.sink().add(key);
    }
    time.settle();
  }

  @ParameterizedTest
  @EnumSource
  void aBlockingReconciler(UserCodeFault fault) {
    ControllerEngine<Key> engine =
        started(
            controller()
                .reconciles((key, context) -> {
                  if (key.equals(BAD) && context.failures() == 0) {
                    fault.run();
                  }
                  return ran(key);
                }));
    deliver(engine, BAD, GOOD);
    time.advance(Duration.ofSeconds(10));
    assertThat(ran).contains(GOOD, BAD);
    assertThat(engine.handle().snapshot().total()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void anAsynchronousReconciler(UserCodeFault fault) {
    List<Boolean> flags = new ArrayList<>();
    ControllerEngine<Key> engine =
        started(
            controller()
                .reconcilesAsync((key, context) -> {
                  flags.add(Thread.currentThread().isInterrupted());
                  if (key.equals(BAD) && context.failures() == 0) {
                    fault.run();
                  }
                  return Future.succeededFuture(ran(key));
                }));
    deliver(engine, BAD, GOOD);
    time.advance(Duration.ofSeconds(10));
    assertThat(ran).contains(GOOD, BAD);
    assertThat(flags).doesNotContain(true);
    assertThat(engine.handle().snapshot().total()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void aBackoff(UserCodeFault fault) {
    boolean[] failed = new boolean[1];
    ControllerEngine<Key> engine =
        started(
            controller()
                .options(options ->
                    options.withBackoff(failures -> {
                      fault.run();
                      return 1;
                    }))
                .reconciles((key, context) -> {
                  if (key.equals(BAD) && !failed[0]) {
                    failed[0] = true;
                    throw new IllegalStateException();
                  }
                  return ran(key);
                }));
    deliver(engine, BAD, GOOD);
    time.advance(Duration.ofHours(1));
    assertThat(ran).contains(GOOD, BAD);
    assertReported(fault);
  }

  @ParameterizedTest
  @EnumSource
  void aCancelAction(UserCodeFault fault) {
    List<String> cancelled = new ArrayList<>();
    ControllerEngine<Key> engine =
        started(
            controller()
                .options(options -> options.withReconcileTimeout(Duration.ofSeconds(1)))
                .reconcilesAsync((key, context) -> {
                  if (key.equals(GOOD)) {
                    return Future.succeededFuture(ran(key));
                  }
                  context.onCancel(fault::run);
                  context.onCancel(() -> cancelled.add("second"));
                  return Promise.<Result>promise().future();
                }));
    deliver(engine, BAD, GOOD);
    time.advance(Duration.ofSeconds(2));
    assertThat(ran).contains(GOOD);
    assertThat(cancelled).containsExactly("second");
    assertReported(fault);
  }

  @ParameterizedTest
  @EnumSource
  void theNamespaceOfARequest(UserCodeFault fault) {
    RequestFormat<Key> format =
        new RequestFormat<>() {
          @Override
          public String namespace(Key key) {
            fault.run();
            return "";
          }

          @Override
          public String name(Key key) {
            return key.text();
          }

          @Override
          public Optional<Key> parse(String namespace, String name) {
            return Optional.of(new Key(name));
          }
        };
    ControllerEngine<Key> engine =
        started(
            Controller.named("c", format)
                .options(options -> options.withFairFlows(true))
                .reconciles((key, context) -> ran(key)));
    deliver(engine, BAD, GOOD);
    assertThat(ran).containsExactlyInAnyOrder(BAD, GOOD);
    assertReported(fault);
  }

  @ParameterizedTest
  @EnumSource
  void telemetryCode(UserCodeFault fault) {
    ControllerTelemetry bad =
        new ControllerTelemetry() {
          @Override
          public void added(int priority) {
            fault.run();
          }

          @Override
          public void started(long readyNanos) {
            fault.run();
          }

          @Override
          public void finished(Outcome outcome, long nanos) {
            fault.run();
          }
        };
    ControllerEngine<Key> engine = engine(controller().reconciles((key, context) -> ran(key)), bad);
    engine.start();
    deliver(engine, BAD, GOOD);
    assertThat(ran).containsExactly(BAD, GOOD);
    assertThat(engine.handle().snapshot().total()).isZero();
  }

  /** A source that fails in all of its methods, in {@code start} only when requested. */
  private static final class BadSource implements EventSource<Key> {
    private final UserCodeFault fault;
    private final boolean atStart;

    BadSource(UserCodeFault fault, boolean atStart) {
      this.fault = fault;
      this.atStart = atStart;
    }

    @Override
    public String describe() {
      fault.run();
      return "described";
    }

    @Override
    public Future<Void> start(EventSink<Key> to) {
      if (atStart) {
        fault.run();
      }
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> stop() {
      fault.run();
      return Future.succeededFuture();
    }

    @Override
    public Optional<String> problem() {
      fault.run();
      return Optional.empty();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aSource(UserCodeFault fault) {
    ControllerEngine<Key> engine =
        started(
            controller().watches(new BadSource(fault, false)).reconciles((key, ctx) -> ran(key)));
    deliver(engine, GOOD);
    assertThat(ran).containsExactly(GOOD);
    ControllerStatus.SourceStatus shown = engine.handle().status().sources().getFirst();
    if (fault != UserCodeFault.INTERRUPT_FLAG) {
      assertThat(shown.description()).isEqualTo(BadSource.class.getName());
      assertThat(shown.problem()).startsWith("its state cannot be read: ");
    }
    assertReported(fault);
    Future<DrainReport> stopped = engine.stop(Duration.ZERO);
    time.advance(Duration.ofSeconds(10));
    assertThat(stopped.succeeded()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void theStartOfASource_isShownAsItsProblem(UserCodeFault fault) {
    ControllerEngine<Key> engine =
        started(
            controller().watches(new BadSource(fault, true)).reconciles((key, ctx) -> ran(key)));
    boolean threw = fault != UserCodeFault.INTERRUPT_FLAG;
    assertThat(engine.synced().failed()).isEqualTo(threw);
    if (threw) {
      assertThat(engine.handle().status().sources().getFirst().problem())
          .startsWith("did not start: ");
    }
  }

  @ParameterizedTest
  @EnumSource
  void equalityOfARequest(UserCodeFault fault) {
    record Odd(String text, @Nullable UserCodeFault of) {
      @Override
      public int hashCode() {
        if (of != null) {
          of.run();
        }
        return text.length();
      }
    }
    List<String> seen = new ArrayList<>();
    ControllerEngine<Odd> engine =
        Engines.of(
            Controller.named("c", RequestFormat.of(Odd::text, text -> new Odd(text, null)))
                .reconciles((key, context) -> {
                  seen.add(key.text());
                  return Result.done();
                }),
            telemetry,
            time);
    engine.start();
    engine.sink().add(new Odd("bad", fault));
    engine.sink().forget(new Odd("bad", fault));
    engine.sink().add(new Odd("good", null), 0, Trigger.EVENT);
    time.settle();
    assertThat(seen).contains("good");
    assertReported(fault);
  }

  /** An exception whose own methods fail. */
  @ParameterizedTest
  @EnumSource
  void methodsOfAnException_andTheTextOfARequest(UserCodeFault fault) {
    class Odd extends RuntimeException {
      private static final long serialVersionUID = 1;

      @Override
      public String getMessage() {
        fault.run();
        return "message";
      }

      @Override
      public synchronized @Nullable Throwable getCause() {
        fault.run();
        return null;
      }

      @Override
      public String toString() {
        fault.run();
        return "text";
      }
    }
    boolean[] failed = new boolean[1];
    ControllerEngine<Key> engine =
        started(
            controller()
                .reconciles((key, context) -> {
                  if (key.equals(BAD) && !failed[0]) {
                    failed[0] = true;
                    throw new Odd();
                  }
                  return ran(key);
                }));
    deliver(engine, BAD, GOOD);
    assertThat(engine.handle().snapshot().in(Phase.DELAYED)).isEqualTo(1);
    time.advance(Duration.ofSeconds(10));
    assertThat(ran).contains(GOOD, BAD);
  }

  private void assertReported(UserCodeFault fault) {
    if (fault != UserCodeFault.INTERRUPT_FLAG) {
      assertThat(telemetry.userCodeFailures()).isPositive();
    }
  }
}
