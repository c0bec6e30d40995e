// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.internal.engine.ControllerEngine;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.RequestFormat;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.RetryAfter;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** User code that throws in an unusual place must not stop the controller for ever. */
class ContainmentTest {
  private static final Request BAD = Request.of("ns", "bad");
  private static final Request GOOD = Request.of("ns", "good");

  private final VirtualTime time = new VirtualTime();
  private final List<Object> ran = new ArrayList<>();

  /** What an event loop does with a task that throws: it goes on with the next one. */
  private void loop(Runnable step) {
    for (int i = 0; i < 10; i++) {
      try {
        step.run();
        return;
      } catch (Throwable e) {
        step = time::settle;
      }
    }
  }

  private ControllerTestKit<Request> failingWith(java.util.function.Supplier<RuntimeException> e) {
    return ControllerTestKit.of(
        Controller.named("c")
            .reconciles((request, context) -> {
              ran.add(request);
              if (request.equals(BAD)) {
                throw e.get();
              }
              return Result.done();
            }),
        time);
  }

  private static final class NullHint extends RuntimeException implements RetryAfter {
    private static final long serialVersionUID = 1;

    @Override
    @SuppressWarnings("NullAway") // the point of the test
    public Duration delay() {
      return null;
    }
  }

  private static final class BadMessage extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("in getMessage");
    }
  }

  @Test
  void control_ordinaryException() {
    ControllerTestKit<Request> kit = failingWith(IllegalStateException::new);
    loop(() -> kit.add(BAD));
    loop(() -> kit.add(GOOD));
    assertThat(ran).contains(GOOD);
    assertThat(kit.handle().snapshot().in(Phase.IN_FLIGHT)).isZero();
  }

  @Test
  void retryAfterWithoutADelay_isAFailureAsAnyOther() {
    ControllerTestKit<Request> kit = failingWith(NullHint::new);
    loop(() -> kit.add(BAD));
    loop(() -> kit.add(GOOD));
    assertThat(ran).as("the controller goes on").contains(GOOD);
    assertThat(kit.handle().snapshot().in(Phase.IN_FLIGHT)).as("no item is stuck").isZero();
  }

  @Test
  void exceptionWhoseMessageThrows_isAFailureAsAnyOther() {
    ControllerTestKit<Request> kit = failingWith(BadMessage::new);
    loop(() -> kit.add(BAD));
    loop(() -> kit.add(GOOD));
    assertThat(ran).as("the controller goes on").contains(GOOD);
    assertThat(kit.handle().snapshot().in(Phase.IN_FLIGHT)).as("no item is stuck").isZero();
  }

  private record Key(String text) {
    @Override
    public int hashCode() {
      if (text.equals("bad")) {
        throw new NoClassDefFoundError("a class missing from a plug-in");
      }
      return text.length();
    }
  }

  @Test
  void hashCodeThatThrowsAnError_doesNotStopTheController() {
    ControllerTestKit<Key> kit =
        ControllerTestKit.of(
            Controller.named("c", RequestFormat.of(Key::text, Key::new))
                .reconciles((request, context) -> {
                  ran.add(request.text());
                  return Result.done();
                }),
            time);
    loop(() -> kit.add(new Key("bad")));
    loop(() -> kit.add(new Key("good")));
    assertThat(ran).containsExactly("good");
  }

  @Test
  void cancelActionThatThrowsAnError_alarmsStillRing() {
    ControllerTestKit<Request> kit =
        ControllerTestKit.of(
            Controller.named("c")
                .options(options -> options.withReconcileTimeout(Duration.ofSeconds(1)))
                .reconcilesAsync((request, context) -> {
                  ran.add(request);
                  context.onCancel(() -> {
                    throw new AssertionError("in the cancel action");
                  });
                  return Promise.<Result>promise().future();
                }),
            time);
    kit.add(BAD);
    kit.sink().addAfter(GOOD, Duration.ofSeconds(5), 0, Trigger.EVENT);
    loop(time::settle);
    loop(() -> time.advance(Duration.ofSeconds(1)));
    loop(() -> time.advance(Duration.ofMinutes(1)));
    assertThat(ran).as("the delayed item runs when it is due").contains(GOOD);
  }

  @Test
  void telemetryThatThrowsOnce_delayedItemsStillRun() {
    int[] calls = new int[1];
    ControllerTelemetry telemetry =
        new ControllerTelemetry() {
          @Override
          public void wokeUp(long lateNanos) {
            if (calls[0]++ == 0) {
              throw new IllegalStateException("a meter was closed");
            }
          }
        };
    ControllerEngine<Request> engine =
        Engines.of(
            Controller.named("c")
                .reconciles((request, context) -> {
                  ran.add(request);
                  return Result.done();
                }),
            telemetry,
            time);
    engine.start();
    engine.sink().addAfter(BAD, Duration.ofSeconds(1), 0, Trigger.EVENT);
    engine.sink().addAfter(GOOD, Duration.ofSeconds(2), 0, Trigger.EVENT);
    loop(time::settle);
    loop(() -> time.advance(Duration.ofSeconds(1)));
    loop(() -> time.advance(Duration.ofHours(1)));
    assertThat(ran).as("neither is lost").contains(GOOD, BAD);
  }

  @Test
  void whoeverAskedThrowsAnError_doesNotStopTheController() {
    ControllerTestKit<Request> kit = failingWith(IllegalStateException::new);
    kit.handle()
        .item(new ItemId("ns", "x"))
        .onComplete(done -> {
          throw new AssertionError("an assertion in the handler of a future");
        });
    loop(time::settle);
    loop(() -> kit.add(GOOD));
    assertThat(ran).contains(GOOD);
  }

  @Test
  void backoffThatThrowsAnError_doesNotStopTheController() {
    ControllerTestKit<Request> kit =
        ControllerTestKit.of(
            Controller.named("c")
                .options(options ->
                    options.withBackoff(failures -> {
                      throw new NoClassDefFoundError("a class missing from a plug-in");
                    }))
                .reconciles((request, context) -> {
                  ran.add(request);
                  if (request.equals(BAD)) {
                    throw new IllegalStateException();
                  }
                  return Result.done();
                }),
            time);
    loop(() -> kit.add(BAD));
    loop(() -> kit.add(GOOD));
    assertThat(ran).contains(GOOD);
  }

  @Test
  void namespaceThatThrowsAnErrorOnce_theRequestRunsWithItsNextEvent() {
    int[] calls = new int[1];
    RequestFormat<String> format =
        new RequestFormat<>() {
          @Override
          public String namespace(String request) {
            if (calls[0]++ == 0) {
              throw new NoClassDefFoundError("a class missing from a plug-in");
            }
            return "";
          }

          @Override
          public String name(String request) {
            return request;
          }

          @Override
          public java.util.Optional<String> parse(String namespace, String name) {
            return java.util.Optional.of(name);
          }
        };
    ControllerTestKit<String> kit =
        ControllerTestKit.of(
            Controller.named("c", format)
                .options(options -> options.withFairFlows(true))
                .reconciles((request, context) -> {
                  ran.add(request);
                  return Result.done();
                }),
            time);
    loop(() -> kit.add("a"));
    loop(() -> kit.add("a"));
    assertThat(ran).contains("a");
  }
}
