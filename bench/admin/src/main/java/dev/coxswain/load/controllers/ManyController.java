// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load.controllers;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.vertx.core.Future;
import java.time.Duration;

/**
 * One of many controllers, each a class of its own with nothing in it: {@code many_007} is the
 * controller {@code many-007}. Each has some items, reconciles two of them a second and fails for a
 * few.
 *
 * <p>Thread rule: as every definition, called on a virtual thread.
 */
public abstract class ManyController implements ControllerDefinition {

  private static final int ITEMS = 20;
  private static final int FAILING = 3;
  private static final Duration PERIOD = Duration.ofSeconds(10);

  /** Creates the definition; called by the classes that are made of it. */
  protected ManyController() {}

  @Override
  public final String name() {
    return getClass().getSimpleName().replace('_', '-');
  }

  @Override
  public final Controller<?> create(ControllerEnvironment environment) {
    return Controller.named(name())
        .options(options -> options.withOwnership(Ownership.EVERYWHERE))
        .watches(new Items())
        .reconcilesAsync((request, _) ->
            Integer.parseInt(request.name()) < FAILING
                ? Future.failedFuture("the vendor answered 503")
                : Future.succeededFuture(Result.requeueAfter(PERIOD)));
  }

  private static final class Items implements EventSource<Request> {
    @Override
    public String describe() {
      return ITEMS + " requests that come back";
    }

    @Override
    public Future<Void> start(EventSink<Request> sink) {
      for (int i = 0; i < ITEMS; i++) {
        sink.add(Request.of("team-" + i % 5, Integer.toString(i)));
      }
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> stop() {
      return Future.succeededFuture();
    }
  }
}
