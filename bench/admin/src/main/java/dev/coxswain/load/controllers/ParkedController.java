// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load.controllers;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.Trigger;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Objects;

/**
 * Has many items that are due in some hours; {@code keys} in its part of the configuration says how
 * many.
 *
 * <p>Thread rule: as every definition, called on a virtual thread.
 */
public final class ParkedController implements ControllerDefinition {

  /** The name of the controller. */
  public static final String NAME = "parked";

  private static final int NAMESPACES = 100;
  private static final int SLICE = 1_000;
  private static final Duration SOONEST = Duration.ofHours(6);

  /** Creates the definition; called by the host. */
  public ParkedController() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    int keys = BusyController.number(environment.config(), NAME, "keys");
    return Controller.named(NAME)
        .watches(new Parking(keys))
        .reconcilesAsync((_, _) -> Future.succeededFuture(Result.done()));
  }

  private static final class Parking implements EventSource<Request> {
    private final int keys;

    Parking(int keys) {
      this.keys = keys;
    }

    @Override
    public String describe() {
      return keys + " requests that are due in hours";
    }

    @Override
    public Future<Void> start(EventSink<Request> sink) {
      Promise<Void> all = Promise.promise();
      feed(Objects.requireNonNull(Vertx.currentContext()), sink, 0, all);
      return all.future();
    }

    private void feed(Context context, EventSink<Request> sink, int from, Promise<Void> all) {
      int to = Math.min(keys, from + SLICE);
      for (int i = from; i < to; i++) {
        sink.addAfter(
            request(i),
            SOONEST.plusMillis(i % 3_600_000),
            EventSink.PRIORITY_NORMAL,
            Trigger.EVENT);
      }
      if (to == keys) {
        all.complete();
      } else {
        context.runOnContext(_ -> feed(context, sink, to, all));
      }
    }

    private static Request request(int i) {
      return Request.of("team-" + i % NAMESPACES, "object-" + i);
    }

    @Override
    public Future<Void> stop() {
      return Future.succeededFuture();
    }
  }
}
