// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.controller.BulkRequest.Action;
import dev.coxswain.controller.BulkRequest.Then;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.TerminalException;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.retry.Backoff;
import dev.coxswain.retry.Composition;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.testkit.ControllerTestKit;
import dev.coxswain.testkit.VirtualTime;
import dev.coxswain.view.ItemFilter;
import dev.coxswain.view.ItemId;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever happens, no alarm is missed. After every step the controller is looked at without need;
 * if that starts something, an alarm was missing.
 */
@SuppressWarnings("NullAway") // only keys that are there are taken out
class LivenessTest {
  private final VirtualTime time = new VirtualTime();
  private final Map<Request, Promise<Result>> running = new HashMap<>();
  private int starts;
  private boolean calm;

  private Future<Result> reconcile(Request request, ReconcileContext context) {
    starts++;
    if (calm) {
      return Future.succeededFuture(Result.done());
    }
    Promise<Result> promise = Promise.promise();
    assertThat(running.put(request, promise)).as("twice at once").isNull();
    return promise.future();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5, 6, 7})
  void anyOperations_noAlarmIsMissed(int shape) {
    long seed = Long.getLong("coxswain.seed", System.nanoTime());
    Random random = new Random(seed);
    LocalRetryBudget budget = new LocalRetryBudget("default", 2, 3, time);
    List<ControllerTestKit<Request>> kits = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      boolean other = i == 1;
      kits.add(
          ControllerTestKit.of(
              Controller.named("c" + i)
                  .options(o ->
                      o.withConcurrency(2)
                          .withBackoff(
                              Backoff.exponential(Duration.ofMillis(5), Duration.ofSeconds(9)))
                          .withFairFlows((shape & 1) != 0)
                          .withComposition(
                              (shape & 4) != 0 && other
                                  ? Composition.MAX_OF
                                  : Composition.ADMISSION)
                          .withFailureCooldown(
                              (shape & 2) == 0 ? Duration.ZERO : Duration.ofMillis(700))
                          .withReconcileTimeout(Duration.ofSeconds((shape & 2) == 0 ? 0 : 3)))
                  .reconcilesAsync(this::reconcile),
              time,
              budget));
    }
    for (int i = 0; i < 20_000; i++) {
      int number = random.nextInt(2);
      ControllerTestKit<Request> kit = kits.get(number);
      Request key = Request.of("ns" + number + random.nextInt(3), "k" + random.nextInt(8));
      String step = "seed " + seed + ", step " + i + ": " + operate(kit, key, random);
      time.settle();
      if (random.nextInt(3) == 0) {
        time.advance(Duration.ofNanos((long) (random.nextDouble() * 1.5e9)));
      }
      int before = starts;
      for (ControllerTestKit<Request> each : kits) {
        each.handle().item(new ItemId("ns", "nobody"));
      }
      time.settle();
      assertThat(starts).as(step).isEqualTo(before);
    }
    calm = true;
    kits.forEach(kit -> kit.handle().resume());
    kits.forEach(kit -> kit.handle().setConcurrency(2));
    for (int i = 0; i < 100; i++) {
      List.copyOf(running.keySet()).forEach(key -> running.remove(key).complete(Result.done()));
      time.advance(Duration.ofSeconds(60));
    }
    for (ControllerTestKit<Request> kit : kits) {
      assertThat(kit.handle().snapshot().total()).as("seed %s", seed).isZero();
    }
  }

  private String operate(ControllerTestKit<Request> kit, Request key, Random random) {
    ControllerHandle handle = kit.handle();
    ItemId id = new ItemId(key.namespace(), key.name());
    switch (random.nextInt(20)) {
      case 0, 1, 2 -> kit.sink().add(key, random.nextInt(3) * 50 - 100, Trigger.EVENT);
      case 3, 4 ->
          kit.sink().addAfter(key, Duration.ofMillis(random.nextInt(4_000)), 0, Trigger.RESYNC);
      case 5 -> handle.pause("p", random.nextBoolean() ? null : Duration.ofSeconds(2));
      case 6, 7, 8 -> handle.resume();
      case 9 -> handle.setConcurrency(1 + random.nextInt(4));
      case 10 -> handle.retry(id, null);
      case 11 -> handle.forget(id, null, random.nextBoolean());
      case 12 -> handle.requeue(id, null, Duration.ofMillis(random.nextInt(3_000)));
      case 13 -> handle.drop(id, null);
      case 14 ->
          handle.bulk(
              new BulkRequest(
                  Action.values()[random.nextInt(4)],
                  ItemFilter.ALL,
                  false,
                  100,
                  random.nextBoolean(),
                  random.nextBoolean(),
                  Then.REQUEUE_AFTER,
                  Duration.ofMillis(random.nextInt(1_000)),
                  Duration.ofMillis(random.nextInt(1_000))));
      default -> {
        List<Request> keys = new ArrayList<>(running.keySet());
        if (!keys.isEmpty()) {
          Request ended = keys.get(random.nextInt(keys.size()));
          Promise<Result> promise = running.remove(ended);
          switch (random.nextInt(5)) {
            case 0 -> promise.complete(Result.done());
            case 1 ->
                promise.complete(Result.requeueAfter(Duration.ofMillis(random.nextInt(3_000))));
            case 2 -> promise.fail(new TerminalException("t"));
            case 3 -> promise.complete(Result.requeue());
            default -> promise.fail("down");
          }
          return "end " + ended;
        }
      }
    }
    return "operation on " + key;
  }
}
