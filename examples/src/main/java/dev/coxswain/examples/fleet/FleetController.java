// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.fleet;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.TerminalException;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

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

  /** The configuration: the address of the vendor, or none. */
  private record Settings(String url) {}

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
    String url = environment.config(new Settings("")).url();
    if (!url.isEmpty()) {
      return controller.reconciles(
          new FleetReconciler(fleets::get, new VendorClient(() -> URI.create(url))));
    }
    VendorSource vendor = new VendorSource();
    return controller
        .watches(vendor)
        .reconciles(new FleetReconciler(fleets::get, new VendorClient(vendor::uri)));
  }

  /** Brings one machine to the version of its fleet, or removes it. */
  private static final class FleetReconciler implements Reconciler<Request> {

    private static final int SPREAD = 1_000;

    private final Function<Request, Optional<Fleet>> fleets;
    private final VendorClient vendor;

    FleetReconciler(Function<Request, Optional<Fleet>> fleets, VendorClient vendor) {
      this.fleets = fleets;
      this.vendor = vendor;
    }

    @Override
    public Result reconcile(Request machine, ReconcileContext context) throws Exception {
      Optional<Fleet.Spec> spec = spec(machine);
      // The vendor's API has no guard of its own against a replica that does not own the machine.
      context.ensureOwned();
      String name = machine.namespace() + "." + machine.name();
      if (spec.isEmpty()) {
        vendor.remove(name);
        return Result.done();
      }
      vendor.bring(name, spec.get().version());
      return Result.requeueAfter(spread(machine, spec.get().check()));
    }

    /** Returns the spec of the fleet that has this machine, or empty when it should not exist. */
    private Optional<Fleet.Spec> spec(Request machine) throws TerminalException {
      try {
        int index = Fleet.index(machine);
        return fleets
            .apply(Fleet.of(machine))
            .filter(fleet -> fleet.getMetadata().getDeletionTimestamp() == null)
            .map(Fleet::spec)
            .filter(found -> index >= 0 && index < found.size());
      } catch (IllegalArgumentException e) {
        // A request that an operator added by hand.
        throw new TerminalException(String.valueOf(e.getMessage()), e);
      }
    }

    /** From once to one and a half times the interval, always the same for one machine. */
    private static Duration spread(Request machine, Duration interval) {
      int part = Math.floorMod(machine.hashCode() * 0x9E37_79B1, SPREAD);
      return interval.plus(interval.multipliedBy(part).dividedBy(2L * SPREAD));
    }
  }
}
