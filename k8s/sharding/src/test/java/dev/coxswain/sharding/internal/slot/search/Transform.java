// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import dev.coxswain.sharding.internal.slot.ReplicaPhase;
import dev.coxswain.sharding.internal.slot.ReplicaSlots;
import dev.coxswain.sharding.internal.slot.ReplicaSlots.Followed;
import dev.coxswain.sharding.internal.slot.ReplicaSlots.HeldSlot;
import dev.coxswain.sharding.internal.slot.ReplicaSlots.Stage;
import dev.coxswain.sharding.internal.slot.SlotChange;
import dev.coxswain.sharding.internal.slot.SlotContext;
import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.SlotMap;
import dev.coxswain.sharding.internal.slot.SlotObservation;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntToLongFunction;
import java.util.function.UnaryOperator;

/**
 * A change of all names, epochs or times in a part of a state, and the form in which states that
 * behave alike are equal.
 *
 * @param names maps identities
 * @param ordinal maps the indexes of replicas, new to old
 * @param shifted the slots that have got another owner, a bit each
 * @param ticks by how many units the time advances
 * @param gap the longest time without a list that does not matter
 */
record Transform(
    UnaryOperator<String> names, List<Integer> ordinal, int shifted, int ticks, long gap) {

  private static final long NOW = Names.NOW;

  static Transform tick(long gap) {
    return new Transform(UnaryOperator.identity(), List.of(), 0, 1, gap);
  }

  static Transform shift(int slots, long gap) {
    return new Transform(UnaryOperator.identity(), List.of(), slots, 0, gap);
  }

  /** The present identity of a replica becomes an earlier one. */
  static Transform renewed(int replica, long gap) {
    return new Transform(
        name ->
            name.isEmpty() || Names.replica(name) != replica
                ? name
                : Names.name(replica, Names.age(name) + 1),
        List.of(),
        0,
        0,
        gap);
  }

  /** Replica {@code i} becomes {@code to[i]}. */
  static Transform permuted(int[] to, long gap) {
    List<Integer> from = Arrays.stream(Names.inverse(to)).boxed().toList();
    return new Transform(
        name -> name.isEmpty() ? name : Names.name(to[Names.replica(name)], Names.age(name)),
        from,
        0,
        0,
        gap);
  }

  ModelServer apply(ModelServer s) {
    List<ModelServer.StoredLease> leases = new ArrayList<>();
    for (ModelServer.StoredLease lease : ordered(s.leases())) {
      leases.add(
          new ModelServer.StoredLease(
              lease.exists(),
              names.apply(lease.holder()),
              names.apply(lease.last()),
              lease.follows(),
              lease.leaving()));
    }
    // The epochs of the server are the newest ones by definition.
    Optional<SlotMap> map = s.map().map(m -> map(m, slot -> 0));
    int down = s.isUp() ? s.down() : (int) Math.min(gap + 1, s.down() + ticks);
    int up = Math.min((int) SearchOptions.TIMES.leaseDuration(), s.up() + ticks);
    return new ModelServer(map, s.maps(), List.copyOf(leases), s.left(), down, up);
  }

  private <T> List<T> ordered(List<T> list) {
    if (ordinal.isEmpty()) {
      return list;
    }
    List<T> next = new ArrayList<>();
    for (int from : ordinal) {
      next.add(list.get(from));
    }
    return List.copyOf(next);
  }

  /**
   * A replica reads the map anew before it plans, so of the map that it has read only the slots
   * that name it matter.
   */
  private StoredSlotMap masked(StoredSlotMap stored, String identity) {
    List<SlotEntry> entries = new ArrayList<>();
    for (SlotEntry entry : stored.map().entries()) {
      boolean named = entry.owner().equals(identity) || entry.target().equals(identity);
      entries.add(named ? entry : SlotEntry.free(Names.OLDEST));
    }
    return new StoredSlotMap(
        stored.uid(), 0, new SlotMap(SlotDivision.KEY, 0, entries), stored.sent());
  }

  private SlotMap map(SlotMap map, IntToLongFunction shift) {
    List<SlotEntry> entries = new ArrayList<>();
    for (int slot = 0; slot < map.slots(); slot++) {
      SlotEntry entry = map.entry(slot);
      entries.add(
          new SlotEntry(
              names.apply(entry.owner()),
              Math.max(Names.OLDEST, entry.epoch() - shift.applyAsLong(slot)),
              names.apply(entry.target())));
    }
    return new SlotMap(SlotDivision.KEY, 0, entries);
  }

  private long shift(int slot) {
    return shifted >> slot & 1;
  }

  /** Whether a map was read after the announcement of its uid matters until that is confirmed. */
  private StoredSlotMap stored(
      StoredSlotMap stored, String identity, String announced, boolean confirmed) {
    boolean after = stored.sent() >= NOW && stored.uid().equals(announced);
    long sent = confirmed || after ? NOW : NOW - 1;
    StoredSlotMap next = new StoredSlotMap(stored.uid(), 0, map(stored.map(), this::shift), sent);
    return masked(next, identity);
  }

  ModelReplica apply(ModelReplica r) {
    SlotContext.Lease lease = lease(r.lease());
    ReplicaSlots slots = slots(r.slots(), lease);
    List<ModelReplica.Attempt> attempts = new ArrayList<>();
    List<ModelReplica.Write> writes = new ArrayList<>();
    for (int slot = 0; slot < r.attempts().size(); slot++) {
      attempts.add(attempt(slot, r.attempts().get(slot)));
      writes.add(write(slot, r.writes().get(slot)));
    }
    List<Integer> ages = ages(r.ages(), isForgotten(r.observed()));
    SlotObservation observed = observed(r.observed(), ages, r.silent(), r.attempts().size());
    return new ModelReplica(
        slots,
        lease,
        r.pending(),
        r.leaving(),
        r.known()
            .map(known ->
                stored(known, lease.identity(), lease.announced(), slots.followed().confirmed())),
        observed,
        ages,
        r.put().map(this::put),
        List.copyOf(attempts),
        List.copyOf(writes),
        r.silent());
  }

  private SlotContext.Lease lease(SlotContext.Lease lease) {
    long deadline = Math.max(NOW, lease.writeDeadline() - ticks);
    return new SlotContext.Lease(
        names.apply(lease.identity()), lease.held(), deadline, lease.announced(), NOW);
  }

  private ReplicaSlots slots(ReplicaSlots r, SlotContext.Lease lease) {
    ReplicaPhase phase = r.phase();
    boolean acts = lease.held() && lease.writeDeadline() > NOW;
    if (phase == ReplicaPhase.HOLDING && !acts) {
      phase = ReplicaPhase.SUSPENDED; // what the next step does in any case
    }
    long since =
        phase == ReplicaPhase.LEAVING ? since(r.since(), SearchOptions.MOVES.leave()) : NOW;
    Followed followed = r.followed();
    Map<Integer, HeldSlot> held = new HashMap<>();
    r.held().forEach((slot, one) -> held.put(slot, held(slot, one)));
    return new ReplicaSlots(
        names.apply(r.identity()),
        phase,
        since,
        new Followed(
            followed.uid(),
            followed.confirmed(),
            followed
                .last()
                .map(last ->
                    stored(last, lease.identity(), lease.announced(), followed.confirmed()))),
        held,
        r.problem(),
        // Attempts end at any time in a search, so nothing depends on their cancellation.
        phase == ReplicaPhase.SUSPENDED || phase == ReplicaPhase.LEAVING);
  }

  private HeldSlot held(int slot, HeldSlot one) {
    long since =
        switch (one.stage()) {
          case INCOMING, OPEN -> NOW;
          case PREPARING -> since(one.since(), SearchOptions.MOVES.prepare());
          case CLOSING -> since(one.since(), SearchOptions.MOVES.close());
        };
    return new HeldSlot(Math.max(Names.OLDEST, one.epoch() - shift(slot)), one.stage(), since);
  }

  /** Time that has passed; what is longer than {@code most} is not told apart. */
  private long since(long since, long most) {
    return NOW - Math.min(most, NOW - since + ticks);
  }

  private ModelReplica.Attempt attempt(int slot, ModelReplica.Attempt attempt) {
    return attempt.open()
        ? new ModelReplica.Attempt(
            names.apply(attempt.identity()),
            Math.max(Names.OLDEST, attempt.epoch() - shift(slot)),
            true)
        : attempt;
  }

  private ModelReplica.Write write(int slot, ModelReplica.Write write) {
    return write.age() + ticks >= SearchOptions.TIMES.requestLife()
            || write.age() < 0
            || write.equals(ModelReplica.Write.NONE)
        ? ModelReplica.Write.NONE
        : new ModelReplica.Write(
            Math.max(Names.OLDEST, write.epoch() - shift(slot)), write.age() + ticks);
  }

  private boolean isForgotten(SlotObservation o) {
    return o.listed() == SlotObservation.NONE.listed() || NOW - o.listed() + ticks > gap;
  }

  private SlotObservation observed(
      SlotObservation o, List<Integer> ages, boolean silent, int slots) {
    long lease = SearchOptions.TIMES.leaseDuration();
    // The time of a list matters only to what has been observed since.
    boolean forgotten =
        isForgotten(o)
            || (silent
                && o.absent().isEmpty()
                && ages.stream().allMatch(age -> age == ModelReplica.CHANGED));
    Map<String, Long> absent = new HashMap<>();
    boolean others = shifted != 0 && shifted == (1 << slots) - 1;
    if (!forgotten && !others) {
      o.absent().forEach((name, since) -> absent.put(names.apply(name), since(since, lease)));
    }
    Set<String> ended = new HashSet<>();
    if (!others) {
      o.ended().forEach(name -> ended.add(names.apply(name)));
    }
    return new SlotObservation(
        absent,
        ended,
        List.of(),
        NOW,
        o.map()
            .map(map ->
                new SlotObservation.Uid(
                    map.uid(), map.replaced() ? since(map.since(), lease) : NOW, map.replaced())),
        forgotten ? SlotObservation.NONE.listed() : o.listed() - ticks);
  }

  private List<Integer> ages(List<Integer> ages, boolean forgotten) {
    List<Integer> next = new ArrayList<>();
    for (int age : ordered(ages)) {
      next.add(
          age < 0 || forgotten
              ? ModelReplica.CHANGED
              : Math.min((int) SearchOptions.TIMES.leaseDuration(), age + ticks));
    }
    return List.copyOf(next);
  }

  private ModelReplica.Put put(ModelReplica.Put put) {
    return new ModelReplica.Put(
        put.changes().stream()
            .map(this::change)
            .sorted(Comparator.comparingInt(SlotChange::slot))
            .toList(),
        put.confirms());
  }

  /** A write in flight is for the present map, so its epochs do not change. */
  SlotChange change(SlotChange change) {
    return switch (change) {
      case SlotChange.Assign c -> new SlotChange.Assign(c.slot(), names.apply(c.to()));
      case SlotChange.Drain c ->
          new SlotChange.Drain(c.slot(), names.apply(c.from()), names.apply(c.to()));
      case SlotChange.HandOver c ->
          new SlotChange.HandOver(c.slot(), names.apply(c.from()), c.epoch(), names.apply(c.to()));
      case SlotChange.Keep c -> new SlotChange.Keep(c.slot(), names.apply(c.from()), c.epoch());
      case SlotChange.TakeOver c ->
          new SlotChange.TakeOver(c.slot(), names.apply(c.from()), names.apply(c.to()));
    };
  }

  /** Returns whether an attempt may start in a stage. */
  static boolean starts(Stage stage) {
    return stage == Stage.OPEN || stage == Stage.PREPARING;
  }
}
