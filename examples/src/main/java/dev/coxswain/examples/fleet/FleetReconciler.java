// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.fleet;

import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.TerminalException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** Brings one machine to the version of its fleet, or removes it. */
final class FleetReconciler implements Reconciler<Request> {

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
