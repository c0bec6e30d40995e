// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Replicas observe the Leases of dead ones, and release those that have expired, one after the other, as {@code
 * ReplicaLeaseHolder} does. Few replicas observe all. Of many each observes the three before its own; once lists have
 * shown that those are not renewed, more.
 */
final class ScaleFences {

  private static final int OBSERVERS = 3;
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
    List<Integer> ordinals = simulation.ordinals();
    renewed.forEach((dead, at) -> {
      long from = begin(observer, dead, at, ordinals);
      if (from >= 0) {
        expiry.put(
            dead, from + observer.untilNextRead(from) + ScaleSimulation.TIMES.leaseDuration());
      }
    });
    next(observer, expiry, simulation.now());
  }

  /** Returns since when a replica can observe the last renewal of a dead one; negative for never. */
  private long begin(ScaleReplica observer, ScaleReplica dead, long at, List<Integer> ordinals) {
    if (!simulation.isLarge()) {
      return at;
    }
    int alive = 0;
    int between = 0;
    int place = ordinals.indexOf(observer.ordinal());
    for (int i = 1; ; i++) {
      int ordinal = ordinals.get(Math.floorMod(place - i, ordinals.size()));
      if (ordinal == dead.ordinal()) {
        break;
      }
      between++;
      boolean silent = renewed.keySet().stream().anyMatch(one -> one.ordinal() == ordinal);
      alive += silent ? 0 : 1;
    }
    if (alive >= OBSERVERS) {
      return -1;
    }
    long silent = at + ScaleSimulation.TIMES.leaseDuration() / 2;
    return between < OBSERVERS
        ? at
        : silent + observer.untilNextList(silent) + simulation.listPeriod();
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
