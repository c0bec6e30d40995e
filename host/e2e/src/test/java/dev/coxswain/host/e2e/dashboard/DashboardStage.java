// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.dashboard;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.retry.Backoff;
import dev.coxswain.source.EventSink;
import dev.coxswain.source.EventSource;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Controllers with something to look at in the dashboard, hostile names and errors included. */
public final class DashboardStage {

  static final int FAILING = 312;
  static final String HOSTILE_NAME = "<img src=x onerror=\"document.title='hacked'\">";
  static final String HOSTILE_ERROR = "<script>document.title='hacked'</script> & \"quotes\"";

  private DashboardStage() {}

  /** Fails for every request and tries again in an hour, so that its queue keeps still. */
  public static final class Checkout implements ControllerDefinition {

    /** Creates the definition; called by the host. */
    public Checkout() {}

    @Override
    public String name() {
      return "checkout";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      List<Request> requests = new ArrayList<>();
      requests.add(new Request("payments", HOSTILE_NAME));
      for (int i = 1; i < FAILING; i++) {
        requests.add(new Request(i % 3 == 0 ? "shop" : "payments", "order-" + i));
      }
      return Controller.named(name())
          .options(options ->
              options
                  .withOwnership(Ownership.EVERYWHERE)
                  .withConcurrency(10)
                  .withBackoff(Backoff.exponential(Duration.ofHours(1), Duration.ofHours(2), 0)))
          .watches(new Requests("orders", requests))
          .reconcilesAsync((request, context) ->
              Future.failedFuture(
                  request.name().equals(HOSTILE_NAME)
                      ? HOSTILE_ERROR
                      : "the vendor answered 503 to " + request.name()));
    }
  }

  /** Succeeds, and looks again in an hour. */
  public static final class Invoices implements ControllerDefinition {

    /** Creates the definition; called by the host. */
    public Invoices() {}

    @Override
    public String name() {
      return "invoices";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      List<Request> requests = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        requests.add(new Request("billing", "invoice-" + i));
      }
      return Controller.named(name())
          .options(options -> options.withOwnership(Ownership.EVERYWHERE))
          .watches(new Requests("invoices", requests))
          .reconcilesAsync((request, context) ->
              Future.succeededFuture(Result.requeueAfter(Duration.ofHours(1))));
    }
  }

  private record Requests(String describe, List<Request> requests) implements EventSource<Request> {
    @Override
    public Future<Void> start(EventSink<Request> sink) {
      requests.forEach(sink::add);
      return Future.succeededFuture();
    }

    @Override
    public Future<Void> stop() {
      return Future.succeededFuture();
    }
  }
}
