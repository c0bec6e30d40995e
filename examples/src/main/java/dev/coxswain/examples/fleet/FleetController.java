// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.fleet;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import java.net.URI;

/**
 * Keeps the machines of each {@link Fleet} at a vendor as its spec says.
 *
 * <p>Patterns:
 *
 * <ul>
 *   <li><b>One object, many requests.</b> An event of a fleet leads to one request for each machine,
 *       so each has its own backoff, and replicas share them.
 *   <li><b>Polling.</b> The vendor sends no events: each attempt ends with {@code requeueAfter},
 *       spread so that the machines are not all compared at once.
 *   <li><b>{@code Retry-After}.</b> A 429 becomes a {@code RetryAfterException}.
 *   <li><b>A limiter of its own</b>, by the option {@code budget} of the configuration: see the page
 *       of this example for what it prevents.
 *   <li><b>A source that is a service.</b> Without {@code config.url} the vendor is a server in this
 *       process, which starts and stops with the controller.
 * </ul>
 *
 * <p>Thread rule: as every definition, called on a virtual thread.
 */
public final class FleetController implements ControllerDefinition {

  private static final int CONCURRENCY = 32;

  /** Creates the definition; called by the host. */
  public FleetController() {}

  @Override
  public String name() {
    return "fleet";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    KindSource<Fleet> fleets =
        k8s.kind(Fleet.class).handledBy(Handlers.map(Fleet::machines)).toSource();
    var controller =
        Controller.named(name())
            .options(options -> options.withConcurrency(CONCURRENCY))
            .watches(fleets);
    if (environment.config().get("url") instanceof String url) {
      return controller.reconciles(
          new FleetReconciler(fleets::get, new VendorClient(() -> URI.create(url))));
    }
    VendorSource vendor = new VendorSource();
    return controller
        .watches(vendor)
        .reconciles(new FleetReconciler(fleets::get, new VendorClient(vendor::uri)));
  }
}
