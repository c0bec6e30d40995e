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
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * Reconciles each of its requests once a second, and has the event loops of its process watched.
 *
 * <p>Its part of the configuration: {@code keys}, how many requests there are; {@code folder},
 * where the watch writes what it sees.
 *
 * <p>Thread rule: as every definition, called on a virtual thread; its reconciler runs on the event
 * loop.
 */
public final class BusyController implements ControllerDefinition {
  public static final String NAME = "busy";

  private static final Result AGAIN = Result.requeueAfter(Duration.ofSeconds(1));

  public BusyController() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) throws IOException {
    BenchConfig config = new BenchConfig(NAME, environment);
    LongAdder attempts = new LongAdder();
    int keys = config.number("keys");
    LoopProbe probe = new LoopProbe(Path.of(config.text("folder")), attempts);
    return Controller.named(NAME)
        .watches(
            new StartSource<>(
                keys + " requests that are due each second",
                sink -> {
                  probe.watch(Objects.requireNonNull(Vertx.currentContext()).owner());
                  return add(sink, keys);
                }))
        .reconcilesAsync((_, _) -> {
          attempts.increment();
          return Future.succeededFuture(AGAIN);
        });
  }

  /** Adds them spread over the first second, so that they go on like that. */
  private static Future<Void> add(EventSink<Request> sink, int keys) {
    for (int i = 0; i < keys; i++) {
      sink.addAfter(
          Request.of("busy", "object-" + i),
          Duration.ofNanos(i * 1_000_000_000L / keys),
          EventSink.PRIORITY_NORMAL,
          Trigger.EVENT);
    }
    return Future.succeededFuture();
  }
}
