// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin.controllers;

import dev.coxswain.bench.run.BenchConfig;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

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

  /** The name of the controller. */
  public static final String NAME = "busy";

  private static final Result AGAIN = Result.requeueAfter(Duration.ofSeconds(1));

  /** Creates the definition; called by the host. */
  public BusyController() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) throws IOException {
    BenchConfig config = new BenchConfig(NAME, environment);
    LongAdder attempts = new LongAdder();
    LoopProbe probe = new LoopProbe(Path.of(config.text("folder")), attempts);
    return Controller.named(NAME)
        .watches(new Requests(config.number("keys"), probe))
        .reconcilesAsync((_, _) -> {
          attempts.increment();
          return Future.succeededFuture(AGAIN);
        });
  }

  /** Delivers them spread over the first second, so that they go on like that. */
  private static final class Requests implements EventSource<Request> {
    private final int keys;
    private final LoopProbe probe;
    private @Nullable AutoCloseable watching;

    Requests(int keys, LoopProbe probe) {
      this.keys = keys;
      this.probe = probe;
    }

    @Override
    public String describe() {
      return keys + " requests that are due each second";
    }

    @Override
    public Future<Void> start(EventSink<Request> sink) {
      for (int i = 0; i < keys; i++) {
        sink.addAfter(
            Request.of("busy", "object-" + i),
            Duration.ofNanos(i * 1_000_000_000L / keys),
            EventSink.PRIORITY_NORMAL,
            Trigger.EVENT);
      }
      watching = probe.watch(Objects.requireNonNull(Vertx.currentContext()).owner());
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> stop() {
      AutoCloseable running = watching;
      if (running != null) {
        try {
          running.close();
        } catch (Exception e) {
          return Future.failedFuture(e);
        }
      }
      return Future.succeededFuture();
    }
  }
}
