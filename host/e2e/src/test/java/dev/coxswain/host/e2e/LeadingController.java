// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.vertx.core.Future;

/** One request, as soon as it runs; with the default ownership. */
public final class LeadingController implements ControllerDefinition {

  static final String NAME = "leading";

  /** Creates the definition; called by the host. */
  public LeadingController() {}

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    return Controller.named(NAME)
        .watches(new OneRequest())
        .reconcilesAsync((request, context) -> Future.succeededFuture(Result.done()));
  }

  private static final class OneRequest implements EventSource<Request> {
    @Override
    public String describe() {
      return "one request";
    }

    @Override
    public Future<Void> start(EventSink<Request> sink) {
      sink.add(new Request("default", "one"));
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> stop() {
      return Future.succeededFuture();
    }
  }
}
