// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.simulator.cache.CacheVariant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.TreeMap;

/**
 * Replicas and an API server in the time of a model, in milliseconds. Each event takes no time; what
 * takes time is the way of a request.
 */
final class SlotSimulation {

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final List<SimulatedReplica> replicas = new ArrayList<>();
  private final SimulationOptions options;
  private final SimulatedServer server;
  private final Random random;
  private long now;
  private long sequence;
  private long downUntil;
  private int started;
  private boolean trouble;
  private double lateness = 0.01;
  private Optional<SimulatedCaches> caches = Optional.empty();

  private record Event(long at, long sequence, Runnable action) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }

  SlotSimulation(SimulationOptions options, long seed) {
    this.options = options;
    this.server = new SimulatedServer(options.slots());
    this.random = new Random(seed);
  }

  SimulationOptions options() {
    return options;
  }

  SimulatedServer server() {
    return server;
  }

  Random random() {
    return random;
  }

  long now() {
    return now;
  }

  void at(long time, Runnable action) {
    events.add(new Event(Math.max(now, time), sequence++, action));
  }

  void after(long time, Runnable action) {
    at(now + time, action);
  }

  /** Returns a time between two, in milliseconds. */
  long between(long from, long to) {
    return from + (long) ((to - from) * random.nextDouble());
  }

  boolean chance(double probability) {
    return random.nextDouble() < probability;
  }

  /** Returns whether something rare happens to a request: it is late, or its answer is lost. */
  boolean isUnlucky() {
    return trouble && chance(lateness);
  }

  /** Sets how often something rare happens. */
  SlotSimulation lateness(double probability) {
    lateness = probability;
    return this;
  }

  boolean isDown() {
    return now < downUntil;
  }

  void outage(long time) {
    downUntil = now + time;
  }

  /** Gives each replica that starts from now on a cache, whose watches are selected by the server. */
  SimulatedCaches withCaches(CacheVariant variant, long seed) {
    SimulatedCaches all = new SimulatedCaches(this, variant, seed);
    caches = Optional.of(all);
    return all;
  }

  Optional<SimulatedCaches> caches() {
    return caches;
  }

  /** Starts a replica with a clock of some rate. */
  SimulatedReplica start() {
    return start(1 + options.drift() * (2 * random.nextDouble() - 1));
  }

  SimulatedReplica start(double rate) {
    SimulatedReplica replica = new SimulatedReplica(this, "r" + ++started, rate);
    replicas.add(replica);
    replica.begin();
    return replica;
  }

  List<SimulatedReplica> alive() {
    replicas.removeIf(SimulatedReplica::isGone);
    return List.copyOf(replicas);
  }

  void run(long time) {
    long end = now + time;
    while (!events.isEmpty() && events.peek().at <= end) {
      Event next = events.remove();
      now = next.at;
      next.action.run();
    }
    now = end;
  }

  /** Runs with faults of all kinds. */
  void runWithTrouble(long time, int most) {
    trouble = true;
    SimulatedTrouble faults = new SimulatedTrouble(this, now + time, most);
    faults.next();
    run(time);
    trouble = false;
    downUntil = 0;
    alive().forEach(SimulatedReplica::recover);
  }

  /** How many slots are open at their owner. */
  int open() {
    int open = 0;
    for (SimulatedReplica replica : alive()) {
      open += replica.open();
    }
    return open;
  }

  Map<String, Integer> shares() {
    Map<String, Integer> shares = new TreeMap<>();
    server
        .map()
        .ifPresent(stored -> {
          for (SlotEntry entry : stored.map().entries()) {
            shares.merge(entry.owner(), 1, Integer::sum);
          }
        });
    return shares;
  }
}
