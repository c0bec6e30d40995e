// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import dev.coxswain.sharding.internal.slot.SlotActivity;
import dev.coxswain.sharding.internal.slot.search.Safeguard;
import java.util.ArrayList;
import java.util.List;

/** The attempts of one replica and their writes. */
final class SimulatedAttempts implements SlotActivity {

  private final SlotSimulation simulation;
  private final SimulatedReplica replica;
  private final List<List<Attempt>> running = new ArrayList<>();
  private final int[] unanswered;
  private final long[] lastUnanswered;
  private final boolean[] starting;
  private boolean endless;
  private int refusals;

  /** One attempt. */
  final class Attempt {
    private final String identity;
    private final int slot;
    private final long epoch;
    private final long version;
    private int left;
    private boolean closed;
    private int refused;

    Attempt(String identity, int slot, long epoch, int writes) {
      this.identity = identity;
      this.slot = slot;
      this.epoch = epoch;
      this.left = writes;
      this.version = simulation.options().versioned() ? simulation.server().version(slot) : -1;
    }

    /** Whether the guard of the attempt lets a write pass now. */
    boolean mayWrite() {
      SimulationOptions options = simulation.options();
      if (!options.has(Safeguard.GUARD_OF_WRITES)) {
        return true;
      }
      return replica.mayWrite() && (!closed || !options.has(Safeguard.GUARD_PER_ATTEMPT));
    }

    private void next() {
      long pause =
          simulation.chance(0.002) ? simulation.between(1_000, 30_000) : simulation.between(5, 200);
      replica.later(pause, this::write);
    }

    private void write() {
      if (mayWrite()) {
        left--;
        send(this, version);
        if (!endless && (version >= 0 || left <= 0)) {
          end();
        } else {
          next();
        }
        return;
      }
      refusals++;
      if (!endless && ++refused > (closed ? 3 : 40) && !simulation.chance(0.2)) {
        end();
      } else {
        replica.later(simulation.between(500, 2_000), this::write);
      }
    }

    void end() {
      running.get(slot).remove(this);
      start(slot);
    }
  }

  SimulatedAttempts(SlotSimulation simulation, SimulatedReplica replica, int slots) {
    this.simulation = simulation;
    this.replica = replica;
    this.unanswered = new int[slots];
    this.lastUnanswered = new long[slots];
    this.starting = new boolean[slots];
    for (int slot = 0; slot < slots; slot++) {
      running.add(new ArrayList<>());
    }
  }

  /** Sends a write; it has its effect within the life of a request, or never. */
  void send(Attempt attempt, long version) {
    int slot = attempt.slot;
    if (simulation.server().isOutdated(slot, attempt.epoch)) {
      simulation
          .server()
          .violation(simulation.now(), attempt.identity + " may write in a slot of another owner");
    }
    unanswered[slot]++;
    lastUnanswered[slot] = replica.clock();
    long most = SimulationOptions.TIMES.requestLife() - 1;
    replica.call(
        most,
        replica.writeDelay(),
        () ->
            simulation
                .server()
                .write(slot, attempt.epoch, attempt.identity, version, simulation.now()),
        done -> unanswered[slot]--,
        () -> {});
  }

  /**
   * Stops an attempt between its guard and its first byte: it has passed the guard now, and sends
   * its write later.
   */
  boolean stopBeforeBytes(int slot, long time) {
    for (Attempt attempt : running.get(slot)) {
      if (attempt.mayWrite()) {
        simulation.after(time, () -> send(attempt, attempt.version));
        return true;
      }
    }
    return false;
  }

  void start(int slot) {
    if (!starting[slot]) {
      starting[slot] = true;
      replica.later(simulation.between(20, 300), () -> tryStart(slot));
    }
  }

  private void tryStart(int slot) {
    starting[slot] = false;
    if (!running.get(slot).isEmpty()) {
      return; // the end of that one starts the next
    }
    if (replica.mayStart(slot)) {
      int writes = simulation.chance(0.01) ? 40 : 1 + simulation.random().nextInt(5);
      Attempt attempt = new Attempt(replica.identity(), slot, replica.epoch(slot), writes);
      running.get(slot).add(attempt);
      attempt.next();
    } else if (replica.holds(slot)) {
      starting[slot] = true;
      replica.later(500, () -> tryStart(slot));
    }
  }

  /** From now on attempts ignore that they are cancelled and do not end, or end as usual again. */
  void endless(boolean on) {
    endless = on;
  }

  /** Returns how many writes the guard has refused. */
  int refusals() {
    return refusals;
  }

  /** Closes the guards of a slot for good. */
  void revoke(int slot) {
    running.get(slot).forEach(attempt -> attempt.closed = true);
  }

  @Override
  public int attempts(int slot) {
    return running.get(slot).size();
  }

  @Override
  public int unanswered(int slot) {
    return simulation.options().has(Safeguard.UNANSWERED_WRITES) ? unanswered[slot] : 0;
  }

  @Override
  public long lastUnanswered(int slot) {
    return lastUnanswered[slot];
  }
}
