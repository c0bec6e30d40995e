// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import dev.coxswain.sharding.internal.lease.LeaseRules;
import dev.coxswain.sharding.internal.slot.SlotChange;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.SlotObservation;
import dev.coxswain.sharding.internal.slot.SlotPlanner;
import dev.coxswain.sharding.internal.slot.SlotReplicas;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Lists of Leases, fences and changes of the map. */
final class Planning {

  private static final long NOW = Names.NOW;

  static final String LISTS = "lists the Leases";

  private final SearchOptions options;
  private final SlotPlanner planner = new SlotPlanner(SearchOptions.TIMES, SearchOptions.MOVES);

  /** What follows a list. */
  record Listed(
      String label,
      ModelReplica replica,
      ModelServer server,
      Actions.Local.Effect effect,
      String violation) {}

  /** The server after a write of the map. */
  record Stored(ModelServer server, Actions.Local.Effect effect, String violation) {}

  Planning(SearchOptions options) {
    this.options = options;
  }

  /** Returns the deadline after a renewal that is sent now. */
  long deadline() {
    return options.has(Safeguard.GRACE)
        ? SearchOptions.TIMES.writeDeadline(NOW)
        : NOW + SearchOptions.TIMES.leaseDuration();
  }

  /** Returns the replica after a read of the present map. */
  ModelReplica knows(ModelReplica r, ModelServer s, long sent) {
    StoredSlotMap read = new StoredSlotMap(s.uid(), 0, s.map().orElseThrow(), sent);
    return r.with(read, r.observed().read(read, NOW));
  }

  List<Listed> list(ModelReplica before, ModelServer s, int me) {
    if (!before.lease().held() && s.leases().get(me).holder().isEmpty()) {
      return List.of();
    }
    // A plan is stored only if the map has not changed since it was read, so it is read now.
    ModelReplica r =
        before.lease().held() && s.map().isPresent()
            ? knows(before, s, before.lease().announced().equals(s.uid()) ? NOW : NOW - 1)
            : before;
    List<Integer> expired = expired(r, s, me);
    List<Listed> all = new ArrayList<>();
    if (expired.isEmpty() || r.silent() || !options.has(Safeguard.FENCE)) {
      observe(LISTS, r, s, s, me, Actions.Local.Effect.NONE, expired, all);
    }
    if (!expired.isEmpty() && options.has(Safeguard.FENCE)) {
      ModelServer fenced = s;
      int changed = 0;
      StringBuilder label = new StringBuilder(LISTS + ", fences");
      String violation = "";
      for (int ordinal : expired) {
        ModelServer.StoredLease lease = s.leases().get(ordinal);
        label.append(' ').append(lease.holder());
        fenced = fenced.with(ordinal, lease.released());
        changed |= 1 << ordinal;
        if (s.up() < SearchOptions.TIMES.leaseDuration()) {
          violation = "after an outage, " + lease.holder() + " is fenced before it could renew";
        }
      }
      Actions.Local.Effect effect = new Actions.Local.Effect(false, 0, changed, false, Set.of());
      if (violation.isEmpty()) {
        observe(label.toString(), r, s, fenced, me, effect, List.of(), all);
      } else {
        all.add(new Listed(label.toString(), r, fenced, effect, violation));
      }
    }
    return all;
  }

  private List<Integer> expired(ModelReplica r, ModelServer s, int me) {
    List<Integer> expired = new ArrayList<>();
    List<Integer> ages = ages(r, s, me);
    for (int ordinal = 0; ordinal < ages.size(); ordinal++) {
      long since = NOW - ages.get(ordinal);
      if (ages.get(ordinal) >= 0
          && LeaseRules.left(since, SearchOptions.TIMES.leaseDuration(), NOW) == 0) {
        expired.add(ordinal);
      }
    }
    return expired;
  }

  /** For how long each Lease has been observed, in a list that is received now. */
  private List<Integer> ages(ModelReplica r, ModelServer s, int me) {
    long last = r.observed().listed();
    boolean away =
        last == SlotObservation.NONE.listed() || LeaseRules.wasAway(last, NOW, NOW, options.gap());
    List<Integer> ages = new ArrayList<>();
    for (int ordinal = 0; ordinal < s.leases().size(); ordinal++) {
      String holder = s.leases().get(ordinal).holder();
      int age = r.ages().get(ordinal);
      // One without a Lease waits only for that of its predecessor.
      boolean other = ordinal != me && !r.lease().held();
      if (holder.isEmpty() || holder.equals(Names.present(me)) || other) {
        ages.add(ModelReplica.CHANGED);
      } else {
        boolean anew = away || age == ModelReplica.CHANGED;
        ages.add((int) (NOW - LeaseRules.observedSince(NOW - age, anew, NOW)));
      }
    }
    return ages;
  }

  private void observe(
      String label,
      ModelReplica r,
      ModelServer before,
      ModelServer s,
      int me,
      Actions.Local.Effect effect,
      List<Integer> expired,
      List<Listed> all) {
    Set<String> owners =
        !r.lease().held()
            ? Set.of()
            : r.known().map(known -> (Set<String>) known.map().replicas()).orElse(Set.of());
    SlotReplicas list = replicas(s, owners, expired);
    SlotObservation observed =
        r.observed().listed(list, owners, SearchOptions.TIMES, options.gap());
    List<Integer> ages = new ArrayList<>(ages(r, before, me));
    for (int ordinal = 0; ordinal < ages.size(); ordinal++) {
      if (s.leases().get(ordinal).holder().isEmpty()) {
        ages.set(ordinal, ModelReplica.CHANGED);
      }
    }
    ModelReplica next = r.with(observed, List.copyOf(ages));
    Set<List<SlotChange>> plans = plans(next, s, expired);
    if (plans.isEmpty()) {
      all.add(new Listed(label, next, s, effect, ""));
    }
    for (List<SlotChange> plan : plans) {
      boolean confirms = r.lease().announced().equals(s.uid());
      all.add(
          new Listed(
              label + ", sends " + plan,
              next.with(Optional.of(new ModelReplica.Put(plan, confirms))),
              s,
              effect,
              ""));
    }
  }

  private SlotReplicas replicas(ModelServer s, Set<String> owners, List<Integer> expired) {
    List<SlotReplicas.Replica> live = new ArrayList<>();
    Set<String> last = new HashSet<>();
    Set<String> holders = new HashSet<>();
    for (int ordinal = 0; ordinal < s.leases().size(); ordinal++) {
      ModelServer.StoredLease lease = s.leases().get(ordinal);
      if (!lease.last().isEmpty()) {
        last.add(lease.last());
      }
      if (!lease.holder().isEmpty() && expired.contains(ordinal) && !options.has(Safeguard.FENCE)) {
        last.add(lease.holder());
      } else if (!lease.holder().isEmpty()) {
        holders.add(lease.holder());
        live.add(
            new SlotReplicas.Replica(
                lease.holder(), ordinal, 100, lease.leaving(), "1", lease.follows()));
      }
    }
    if (!options.has(Safeguard.ABSENT_LEASE)) {
      owners.stream().filter(owner -> !holders.contains(owner)).forEach(last::add);
    }
    return new SlotReplicas(live, last, NOW, NOW);
  }

  /** All plans that any order of the identities gives, since a planner breaks ties by it. */
  private Set<List<SlotChange>> plans(ModelReplica r, ModelServer s, List<Integer> expired) {
    Set<List<SlotChange>> plans = new LinkedHashSet<>();
    if (s.map().isEmpty() || r.put().isPresent() || !r.lease().held()) {
      return plans;
    }
    for (int[] to : Names.permutations(options.replicas())) {
      Transform there = Transform.permuted(to, options.gap());
      Transform back = Transform.permuted(Names.inverse(to), options.gap());
      ModelReplica renamed = there.apply(r);
      List<Integer> renamedExpired = expired.stream().map(ordinal -> to[ordinal]).toList();
      ModelServer server = there.apply(s);
      SlotMap map = server.map().orElseThrow();
      SlotReplicas list = replicas(server, map.replicas(), renamedExpired);
      StoredSlotMap stored = new StoredSlotMap(s.uid(), 0, map, NOW);
      SlotPlanner.Plan plan = planner.plan(stored, list, renamed.observed(), NOW);
      if (!plan.changes().isEmpty()) {
        plans.add(plan.changes().stream().map(back::change).toList());
      }
    }
    if (options.drains()) {
      plans.addAll(drains(r, s));
    }
    return plans;
  }

  private List<List<SlotChange>> drains(ModelReplica r, ModelServer s) {
    List<List<SlotChange>> plans = new ArrayList<>();
    SlotMap map = r.known().orElseThrow().map();
    for (int slot = 0; slot < map.slots(); slot++) {
      SlotEntry entry = map.entry(slot);
      for (ModelServer.StoredLease lease : s.leases()) {
        if (!entry.isFree()
            && !entry.isDraining()
            && !lease.holder().isEmpty()
            && !lease.holder().equals(entry.owner())) {
          plans.add(List.of(new SlotChange.Drain(slot, entry.owner(), lease.holder())));
        }
      }
    }
    return plans;
  }

  /** Stores the write of the map in flight, and checks I5. */
  Stored stored(ModelReplica r, ModelServer s, int me) {
    SlotMap before = s.map().orElseThrow();
    ModelReplica.Put put = r.put().orElseThrow();
    List<SlotEntry> entries = new ArrayList<>(before.with(put.changes()).entries());
    int shifted = 0;
    Set<String> ended = new HashSet<>();
    String violation = "";
    for (SlotChange change : put.changes()) {
      SlotEntry entry = entries.get(change.slot());
      if (entry.epoch() > Names.EPOCH) {
        shifted |= 1 << change.slot();
        entries.set(change.slot(), new SlotEntry(entry.owner(), Names.EPOCH, entry.target()));
      }
      if (change instanceof SlotChange.TakeOver takeOver) {
        ended.add(takeOver.from());
      }
      if (change instanceof SlotChange.HandOver handOver
          && (!r.writes().get(handOver.slot()).equals(ModelReplica.Write.NONE)
              || new Driver(options).mayWrite(r, handOver.slot()))) {
        violation = "I5: slot " + handOver.slot() + " is handed over while its owner may write";
      }
    }
    return new Stored(
        s.with(Optional.of(new SlotMap(SlotDivision.KEY, 0, entries))),
        new Actions.Local.Effect(true, shifted, 0, false, ended),
        violation);
  }
}
