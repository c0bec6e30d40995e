// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin.controllers;

import dev.coxswain.bench.run.BenchConfig;
import dev.coxswain.bench.run.StartSource;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.verticle.YieldingExecutor;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Has many items that are due in some hours; {@code keys} in its part of the configuration is their number. When one of them is reconciled, because it was retried, those that have been taken out of the queue are added again.
 *
 * <p>Thread rule: as every definition, called on a virtual thread.
 */
public final class ParkedController implements ControllerDefinition {
  public static final String NAME = "parked";

  private static final int NAMESPACES = 100;
  private static final int SLICE = 250;
  private static final Duration SOONEST = Duration.ofHours(6);

  public ParkedController() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    int keys = new BenchConfig(NAME, environment).number("keys");
    Parking parking = new Parking(keys);
    return Controller.named(NAME)
        .watches(new StartSource<>(keys + " requests that are due in hours", parking::start))
        .reconcilesAsync((_, _) -> parking.addAll().map(Result.requeueAfter(SOONEST)));
  }

  private static final class Parking {
    private final int keys;
    private @Nullable EventSink<Request> sink;

    Parking(int keys) {
      this.keys = keys;
    }

    Future<Void> start(EventSink<Request> started) {
      sink = started;
      return addAll();
    }

    /** Adds all of them; those that are there stay as they are, since they are due sooner. */
    Future<Void> addAll() {
      Promise<Void> all = Promise.promise();
      Executor slices = new YieldingExecutor(Objects.requireNonNull(Vertx.currentContext()));
      feed(slices, Objects.requireNonNull(sink), 0, all);
      return all.future();
    }

    private void feed(Executor slices, EventSink<Request> target, int from, Promise<Void> all) {
      int to = Math.min(keys, from + SLICE);
      for (int i = from; i < to; i++) {
        target.addAfter(
            request(i),
            SOONEST.plusMillis(i % 3_600_000),
            EventSink.PRIORITY_NORMAL,
            Trigger.EVENT);
      }
      if (to == keys) {
        all.complete();
      } else {
        slices.execute(() -> feed(slices, target, to, all));
      }
    }

    private static Request request(int i) {
      return Request.of("team-" + i % NAMESPACES, "object-" + i);
    }
  }
}
