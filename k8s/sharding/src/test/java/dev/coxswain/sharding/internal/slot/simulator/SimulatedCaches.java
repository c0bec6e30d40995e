// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import dev.coxswain.reconcile.Request;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.sharding.internal.slot.simulator.cache.CacheProcess;
import dev.coxswain.sharding.internal.slot.simulator.cache.CacheVariant;
import dev.coxswain.sharding.internal.slot.simulator.cache.SimulatedCache;
import dev.coxswain.sharding.internal.slot.simulator.cache.SimulatedObjects;
import dev.coxswain.spi.Slots;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/**
 * The caches of all replicas, each of which follows the slots of its replica, and the objects in them. They have random numbers
 * of their own, so that the replicas do the same with any of them.
 */
final class SimulatedCaches {

  private final SlotSimulation simulation;
  private final CacheVariant variant;
  private final SimulatedObjects objects = new SimulatedObjects();
  private final Random random;
  private final List<Owned> all = new ArrayList<>();

  private record Owned(SimulatedReplica replica, SimulatedCache cache) {}

  private record ByNamespace(int count) implements Slots {
    @Override
    public int slotOf(String namespace, String name) {
      return SlotDivision.NAMESPACE.slot(namespace, name, count);
    }

    @Override
    public OptionalInt slotOfNamespace(String namespace) {
      return OptionalInt.of(slotOf(namespace, ""));
    }

    @Override
    public boolean mayStart() {
      return true;
    }
  }

  SimulatedCaches(SlotSimulation simulation, CacheVariant variant, long seed) {
    this.simulation = simulation;
    this.variant = variant;
    this.random = new Random(seed);
    change();
  }

  private void change() {
    if (!objects.isEnded()) {
      objects.step(random);
      simulation.after(random.nextInt(300), this::change);
    }
  }

  /** Starts the cache of a replica. */
  SimulatedCache start(SimulatedReplica replica) {
    CacheProcess process =
        new CacheProcess() {
          @Override
          public void later(long time, Runnable action) {
            replica.later(time, action);
          }

          @Override
          public boolean isCut() {
            return replica.isCut();
          }

          @Override
          public long now() {
            return simulation.now();
          }
        };
    SimulatedCache cache =
        new SimulatedCache(
            process,
            objects,
            variant,
            new ByNamespace(simulation.options().slots()),
            new Random(random.nextLong()));
    all.add(new Owned(replica, cache));
    cache.start();
    return cache;
  }

  /** Nothing changes any more. */
  void end() {
    objects.end();
  }

  /** Returns what breaks the law. */
  List<String> violations() {
    return all.stream()
        .flatMap(
            one -> one.cache.violations().stream().map(text -> one.replica.name() + ", " + text))
        .toList();
  }

  /** Returns the sum of a number of each. */
  int sum(ToIntFunction<SimulatedCache> number) {
    return all.stream().map(Owned::cache).mapToInt(number).sum();
  }

  /** Returns the caches that do not have all objects of their slots, and why. */
  List<String> behind() {
    return all.stream()
        .filter(one -> !one.replica.isGone() && !one.cache.isUpToDate())
        .map(one -> one.replica.name() + " " + one.replica.phase() + ", " + one.cache)
        .toList();
  }

  /** Returns the objects in the cache of each replica that runs, with their versions. */
  Map<String, Map<Request, Long>> contents() {
    Map<String, Map<Request, Long>> contents = new TreeMap<>();
    for (Owned one : all) {
      if (!one.replica.isGone()) {
        contents.put(one.replica.name(), one.cache.contents());
      }
    }
    return contents;
  }

  void close() {
    all.forEach(one -> one.cache.close());
  }
}
