// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import dev.coxswain.sharding.internal.slot.SlotChange;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.IntConsumer;

/** One replica of a {@link ScaleSimulation}: its loads, and what it hands over. */
final class ScaleReplica {

  private static final int LEAVE_PART = 3;
  private static final long MAX_PERIOD = 60_000;

  private final ScaleSimulation simulation;
  private final String identity;
  private final int ordinal;
  private final String version;
  private final long listAt;

  private boolean leaving;
  private boolean gone;
  private boolean putting;

  // Loads: one at a time; what is added meanwhile belongs to the next one.
  private final Set<Integer> loaded = new HashSet<>();
  private final Set<Integer> toLoad = new TreeSet<>();
  private boolean loading;

  // What it hands over.
  private final Set<Integer> preparing = new HashSet<>();
  private final Set<Integer> ready = new TreeSet<>();

  ScaleReplica(ScaleSimulation simulation, String identity, int ordinal, String version) {
    this.simulation = simulation;
    this.identity = identity;
    this.ordinal = ordinal;
    this.version = version;
    this.listAt = simulation.below(MAX_PERIOD);
  }

  String identity() {
    return identity;
  }

  int ordinal() {
    return ordinal;
  }

  String version() {
    return version;
  }

  boolean isLeaving() {
    return leaving;
  }

  boolean isGone() {
    return gone;
  }

  /** Returns how long it takes from a time until this replica lists the Leases. */
  long untilNextList(long from) {
    return Math.floorMod(listAt - from, simulation.listPeriod());
  }

  /** Returns how long it takes from a time until it reads the Leases that it observes. */
  long untilNextRead(long from) {
    return Math.floorMod(listAt - from, ScaleSimulation.READ_PERIOD);
  }

  /** The process ends; its Lease remains. */
  void end() {
    gone = true;
  }

  /** Hands its slots over and ends, within the drain limit. */
  void leave() {
    leaving = true;
    simulation.after(2 * simulation.way(), () -> simulation.listAndPlan(this));
    simulation.after(ScaleSimulation.MOVES.leave(), this::leaveAnyway);
  }

  private void leaveAnyway() {
    if (!gone) {
      forEachOwned(simulation::closed);
      release();
    }
  }

  private void release() {
    gone = true;
    simulation.after(simulation.way(), () -> simulation.release(this));
  }

  private boolean forEachOwned(IntConsumer action) {
    boolean any = false;
    SlotMap map = simulation.map();
    for (int slot = 0; slot < map.slots(); slot++) {
      if (map.entry(slot).owner().equals(identity)) {
        any = true;
        action.accept(slot);
      }
    }
    return any;
  }

  /** The map has changed in slots that this replica owns or is to get. */
  void changed(SlotMap map, List<Integer> slots) {
    if (gone) {
      return;
    }
    for (int slot : slots) {
      SlotEntry entry = map.entry(slot);
      if (entry.owner().equals(identity) && entry.isDraining()) {
        prepare(slot);
      } else if (!loaded.contains(slot)) {
        toLoad.add(slot);
      } else if (entry.owner().equals(identity)) {
        simulation.opened(slot);
      }
    }
    load();
  }

  // As the new owner

  private void load() {
    if (loading || toLoad.isEmpty()) {
      return;
    }
    loading = true;
    simulation.counts().loads++;
    List<Integer> slots = List.copyOf(toLoad);
    toLoad.clear();
    simulation.after(
        simulation.load(),
        () -> {
          loading = false;
          if (!gone) {
            loaded.addAll(slots);
            slots.forEach(this::warm);
            load();
          }
        });
  }

  private void warm(int slot) {
    SlotEntry entry = simulation.delivered().map().entry(slot);
    if (entry.isOwnedBy(identity)) {
      simulation.opened(slot);
    } else if (entry.target().equals(identity)) {
      // It renews its Lease at once, and the owner reads it within a second.
      ScaleReplica owner = simulation.replica(entry.owner());
      long renewed = simulation.way() + simulation.way();
      simulation.after(
          renewed + owner.untilNextRead(simulation.now() + renewed), () -> owner.close(slot));
    }
  }

  // As the owner

  private void prepare(int slot) {
    if (preparing.add(slot)) {
      long most = ScaleSimulation.MOVES.prepare();
      simulation.after(
          leaving ? Math.min(most, ScaleSimulation.MOVES.leave() / LEAVE_PART) : most,
          () -> close(slot));
    }
  }

  private void close(int slot) {
    if (!gone && preparing.remove(slot)) {
      simulation.closed(slot);
      simulation.after(
          simulation.attempt(),
          () -> {
            ready.add(slot);
            handOver();
          });
    }
  }

  private void handOver() {
    if (gone || putting || ready.isEmpty()) {
      return;
    }
    put(List.of());
  }

  /** Stores changes of the planner, or what is ready to be handed over; one write at a time. */
  void put(List<SlotChange> planned) {
    if (!putting) {
      putting = true;
      send(simulation.delivered(), planned);
    }
  }

  private void send(StoredSlotMap before, List<SlotChange> planned) {
    List<SlotChange> changes = planned.isEmpty() ? handOvers(before.map()) : planned;
    simulation.after(
        simulation.way(),
        () -> {
          boolean done = simulation.put(before, changes);
          simulation.after(simulation.way(), () -> answered(done));
        });
  }

  private List<SlotChange> handOvers(SlotMap map) {
    List<SlotChange> changes = new ArrayList<>();
    for (int slot : ready) {
      SlotEntry entry = map.entry(slot);
      if (entry.isOwnedBy(identity) && entry.isDraining()) {
        changes.add(new SlotChange.HandOver(slot, identity, entry.epoch(), entry.target()));
      }
    }
    return changes;
  }

  private void answered(boolean done) {
    if (gone) {
      return;
    }
    if (!done) {
      // It reads the map and decides anew; a plan is made again when the map is delivered.
      simulation.after(
          2 * simulation.way(),
          () -> {
            putting = false;
            again(simulation.read());
            simulation.planAfterWrite(this);
          });
      return;
    }
    putting = false;
    SlotMap map = simulation.read().map();
    ready.removeIf(slot -> !map.entry(slot).owner().equals(identity));
    loaded.removeIf(slot -> {
      SlotEntry entry = map.entry(slot);
      return !entry.owner().equals(identity) && !entry.target().equals(identity);
    });
    if (leaving && !forEachOwned(_ -> {})) {
      release();
    } else {
      again(simulation.read());
      simulation.planAfterWrite(this);
    }
  }

  private void again(StoredSlotMap before) {
    if (!gone && !ready.isEmpty()) {
      putting = true;
      send(before, List.of());
    }
  }
}
