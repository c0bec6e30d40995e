// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import dev.coxswain.sharding.internal.lease.LeaseRules;
import dev.coxswain.sharding.internal.slot.SlotChange;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.SlotObservation;
import dev.coxswain.sharding.internal.slot.SlotPlanner;
import dev.coxswain.sharding.internal.slot.SlotReplicas;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import dev.coxswain.sharding.internal.slot.search.Safeguard;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** What one process has read of the Leases and the map, and its plans. */
final class SimulatedPlanner {

  private final SlotSimulation simulation;
  private final SimulatedReplica replica;
  private final SlotPlanner planner;
  private final Map<Integer, Seen> seen = new HashMap<>();
  private Map<Integer, SimulatedServer.Lease> leases = new TreeMap<>();
  private Optional<StoredSlotMap> known = Optional.empty();
  private SlotObservation observed = SlotObservation.NONE;
  private SlotReplicas list = new SlotReplicas(List.of(), Set.of(), 0, 0);
  private Set<String> leavers = Set.of();
  private long listed = Long.MIN_VALUE;
  private long wantedSince = -1;
  private boolean reading;
  private boolean putting;
  private long mapLagUntil;
  private Optional<SimulatedServer.Stored> oldMap = Optional.empty();
  private long oldMapUntil;
  private Optional<Map<Integer, SimulatedServer.Lease>> staleLeases = Optional.empty();

  /** Since when a version of a Lease has been observed. */
  private record Seen(long version, long since) {}

  SimulatedPlanner(SlotSimulation simulation, SimulatedReplica replica) {
    this.simulation = simulation;
    this.replica = replica;
    this.planner = new SlotPlanner(SimulationOptions.TIMES, simulation.options().moves());
  }

  Optional<StoredSlotMap> known() {
    return known;
  }

  SlotObservation observed() {
    return observed;
  }

  Set<String> unavailable() {
    Set<String> all = new HashSet<>(observed.ended());
    all.addAll(leavers);
    return all;
  }

  /** Reads of the map are not answered for a while. */
  void lag(long time) {
    mapLagUntil = simulation.now() + time;
  }

  /** Reads of the map are served for a while from a cache that no longer changes. */
  void serveOldMap(long time) {
    oldMap = simulation.server().map();
    oldMapUntil = simulation.now() + time;
  }

  /** Lists are served from a cache that no longer changes. */
  void serveStale() {
    staleLeases = Optional.of(simulation.server().leases());
  }

  boolean holds(String identity) {
    return leases.values().stream().anyMatch(lease -> lease.holder().equals(identity));
  }

  int free(String identity) {
    for (int ordinal = 0; ; ordinal++) {
      SimulatedServer.Lease lease = leases.get(ordinal);
      if (lease == null || lease.holder().isEmpty() || lease.holder().equals(identity)) {
        return ordinal;
      }
    }
  }

  long version(int ordinal) {
    SimulatedServer.Lease lease = leases.get(ordinal);
    return lease == null ? 0 : lease.version();
  }

  /** Reads the map. */
  void read() {
    if (reading || simulation.now() < mapLagUntil) {
      return;
    }
    reading = true;
    long sent = replica.clock();
    replica.call(
        25_000,
        () -> simulation.now() < oldMapUntil ? oldMap : simulation.server().map(),
        found -> {
          reading = false;
          found.ifPresent(stored -> known(stored, sent));
          if (found.isEmpty() && replica.ordinal() >= 0) {
            create();
          }
          replica.drive();
        },
        () -> reading = false);
  }

  private void create() {
    // The revision of a list of the Leases that is read after the map was missing.
    replica.call(
        3_000,
        () -> simulation.server().revision(),
        base -> replica.call(3_000, () -> simulation.server().create(base), stored -> {}, () -> {}),
        () -> {});
  }

  private void known(SimulatedServer.Stored stored, long sent) {
    boolean late =
        known.isPresent()
            && known.get().uid().equals(stored.uid())
            && known.get().version() > stored.version();
    if (!late) {
      StoredSlotMap read = new StoredSlotMap(stored.uid(), stored.version(), stored.map(), sent);
      known = Optional.of(read);
      observed = observed.read(read, replica.clock());
    }
  }

  /** Lists the Leases, fences, and plans. */
  void list(Runnable then, Runnable failure) {
    long sent = replica.clock();
    replica.call(
        25_000,
        () -> staleLeases.orElseGet(() -> simulation.server().leases()),
        found -> {
          listed(found, sent);
          then.run();
          plan(sent);
          replica.drive();
        },
        failure);
  }

  private void listed(Map<Integer, SimulatedServer.Lease> found, long sent) {
    long now = replica.clock();
    boolean away =
        listed == Long.MIN_VALUE
            || LeaseRules.wasAway(listed, sent, now, simulation.options().gap());
    listed = now;
    leases = found;
    seen.keySet()
        .removeIf(ordinal ->
            !found.containsKey(ordinal)
                || found.get(ordinal).holder().isEmpty()
                || found.get(ordinal).holder().equals(replica.identity()));
    List<SlotReplicas.Replica> live = new ArrayList<>();
    Set<String> last = new HashSet<>();
    Set<String> leaving = new HashSet<>();
    found.forEach((ordinal, lease) -> {
      if (!lease.last().isEmpty()) {
        last.add(lease.last());
      }
      if (lease.holder().isEmpty()) {
        return;
      }
      boolean expired = isExpired(ordinal, lease, away, now);
      if (expired && !simulation.options().has(Safeguard.FENCE)) {
        last.add(lease.holder());
        return;
      }
      if (expired) {
        fence(ordinal, lease);
      }
      if (lease.leaving()) {
        leaving.add(lease.holder());
      }
      live.add(
          new SlotReplicas.Replica(
              lease.holder(), ordinal, lease.weight(), lease.leaving(), "1", lease.follows()));
    });
    leavers = leaving;
    Set<String> owners =
        known.map(stored -> (Set<String>) stored.map().replicas()).orElse(Set.of());
    if (!simulation.options().has(Safeguard.ABSENT_LEASE)) {
      owners.stream()
          .filter(owner -> live.stream().noneMatch(one -> one.identity().equals(owner)))
          .forEach(last::add);
    }
    list = new SlotReplicas(live, last, sent, now);
    observed = observed.listed(list, owners, SimulationOptions.TIMES, simulation.options().gap());
  }

  private void fence(int ordinal, SimulatedServer.Lease seen) {
    replica.call(
        25_000,
        () -> {
          simulation.server().fence(ordinal, seen);
          return true;
        },
        done -> list(() -> {}, () -> {}),
        () -> {});
  }

  /** Returns how long it takes until the next Lease can have expired, at most one period. */
  long untilNextExpiry() {
    long now = replica.clock();
    long least = SimulationOptions.PERIOD;
    for (Seen one : seen.values()) {
      long left = LeaseRules.left(one.since, SimulationOptions.TIMES.leaseDuration(), now);
      least = left == 0 ? least : Math.min(least, left);
    }
    return Math.max(least, SimulationOptions.PERIOD / 10);
  }

  private boolean isExpired(int ordinal, SimulatedServer.Lease lease, boolean away, long now) {
    if (lease.holder().equals(replica.identity())) {
      return false;
    }
    Seen before = seen.get(ordinal);
    boolean anew = away || before == null || before.version != lease.version();
    long since = LeaseRules.observedSince(before == null ? now : before.since, anew, now);
    seen.put(ordinal, new Seen(lease.version(), since));
    return LeaseRules.left(since, SimulationOptions.TIMES.leaseDuration(), now) == 0;
  }

  private void plan(long sent) {
    long now = replica.clock();
    if (known.isEmpty() || putting || replica.ordinal() < 0 || !replica.mayWrite()) {
      return;
    }
    SlotPlanner.Plan plan = planner.plan(known.get(), list, observed, now);
    if (plan.changes().isEmpty()) {
      wantedSince = -1;
      return;
    }
    wantedSince = wantedSince < 0 ? sent : wantedSince;
    int rank = replica.isLeaving() ? 0 : list.rank(replica.identity());
    if (now - wantedSince >= rank * simulation.between(500, 1_000)) {
      put(known.get(), plan.changes(), Optional.empty());
    }
  }

  /** Sends a write of the map; returns false while another one has no answer. */
  boolean put(
      StoredSlotMap before,
      List<? extends SlotChange> changes,
      Optional<SimulatedProcess.Delay> scripted) {
    if (putting) {
      return false;
    }
    putting = true;
    SlotMap next = before.map().with(changes);
    long sent = replica.clock();
    replica.call(
        25_000,
        scripted,
        () -> simulation.server().put(before.uid(), before.version(), next, simulation.now()),
        stored -> {
          putting = false;
          stored.ifPresent(found -> known(found, sent));
          read();
          replica.drive();
        },
        () -> {
          putting = false;
          read();
        });
    return true;
  }
}
