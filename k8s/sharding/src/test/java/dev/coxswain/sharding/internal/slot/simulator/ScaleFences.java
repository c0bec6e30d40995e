// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Replicas observe the Leases of dead ones, each in its own lists, and release those that have
 * expired, one after the other, as {@code ReplicaLeaseHolder} does.
 */
final class ScaleFences {

  private static final long QUICK = ScaleSimulation.RENEW_PERIOD / 10;

  private final ScaleSimulation simulation;

  /** The last renewals of those whose Leases are held. */
  private final Map<ScaleReplica, Long> renewed = new HashMap<>();

  ScaleFences(ScaleSimulation simulation, List<ScaleReplica> dead) {
    this.simulation = simulation;
    for (ScaleReplica one : dead) {
      renewed.put(one, simulation.now() - simulation.below(ScaleSimulation.RENEW_PERIOD));
    }
  }

  /** Another replica observes them from now on. */
  void observe(ScaleReplica observer) {
    Map<ScaleReplica, Long> expiry = new HashMap<>();
    renewed.forEach((dead, at) ->
        expiry.put(dead, at + observer.untilNextList(at) + ScaleSimulation.TIMES.leaseDuration()));
    next(observer, expiry, simulation.now());
  }

  private void next(ScaleReplica observer, Map<ScaleReplica, Long> expiry, long earliest) {
    expiry.keySet().removeIf(dead -> !simulation.holds(dead));
    if (!expiry.isEmpty()) {
      long first = expiry.values().stream().mapToLong(Long::longValue).min().orElseThrow();
      simulation.after(Math.max(first, earliest) - simulation.now(), () -> step(observer, expiry));
    }
  }

  /** Lists the Leases and releases the expired ones. */
  private void step(ScaleReplica observer, Map<ScaleReplica, Long> expiry) {
    long begun = simulation.now();
    simulation.after(
        simulation.way(),
        () -> {
          List<ScaleReplica> expired = new ArrayList<>();
          expiry.forEach((dead, at) -> {
            if (simulation.holds(dead) && at <= simulation.now()) {
              expired.add(dead);
            }
          });
          expired.sort(Comparator.comparingInt(ScaleReplica::ordinal));
          simulation.after(simulation.way(), () -> release(observer, expiry, expired, 0, begun));
        });
  }

  private void release(
      ScaleReplica observer,
      Map<ScaleReplica, Long> expiry,
      List<ScaleReplica> expired,
      int at,
      long begun) {
    if (at == expired.size()) {
      if (at > 0) {
        simulation.fenced(observer);
      }
      next(observer, expiry, begun + QUICK);
      return;
    }
    simulation.after(
        simulation.way(),
        () -> {
          if (simulation.release(expired.get(at))) {
            simulation.counts().fences++;
          } else {
            simulation.counts().refusedFences++;
          }
          simulation.after(
              simulation.way(), () -> release(observer, expiry, expired, at + 1, begun));
        });
  }
}
