// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import dev.coxswain.sharding.internal.slot.ReplicaPhase;
import dev.coxswain.sharding.internal.slot.ReplicaSlots;
import dev.coxswain.sharding.internal.slot.SlotContext;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.StoredSlotMap;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * All actions of one replica in a state. Each may come at any time or never, so a stopped process, a
 * lost request and a cut are schedules in which some do not come.
 */
final class Actions {
  // Requests
  //
  // A read takes no time: one that takes longer is the same as a replica that has read and does
  // nothing for a while. A write of the map has its effect at any time after it was sent, until the
  // map changes, and its response is received at that time or never. The write of a Lease has its
  // effect when it is sent: the deadline counts from then, so a later effect only shortens the time
  // in which the holder acts. A write of an object has its effect at any time until it is answered
  // or over.

  /**
   * One action of one replica, and its effect on the replica and the server. Both are in the names
   * and epochs that are valid after it.
   *
   * @param label what happens
   * @param effect what it means to the other replicas
   * @param violation which invariant is violated; empty for none
   */
  record Local(
      String label, ModelReplica replica, ModelServer server, Effect effect, String violation) {

    /**
     * What an action means to other replicas.
     *
     * @param mapChanged whether writes of the map in flight fail
     * @param shifted the slots that got another owner, a bit each
     * @param leases the Leases that changed, a bit each
     * @param renewed whether the replica has a new identity
     * @param ended identities that are taken to have ended
     */
    record Effect(boolean mapChanged, int shifted, int leases, boolean renewed, Set<String> ended) {
      static final Effect NONE = new Effect(false, 0, 0, false, Set.of());

      static Effect lease(int ordinal) {
        return new Effect(false, 0, 1 << ordinal, false, Set.of());
      }

      static Effect renewed(int leases) {
        return new Effect(false, 0, leases, true, Set.of());
      }
    }
  }

  private static final long NOW = Names.NOW;

  private static final String RENEWS = "renews, ";

  /** What a round without a further effect is called. */
  static final String ROUND = RENEWS + Planning.LISTS;

  private final SearchOptions options;
  private final Driver driver;
  private final Planning planning;

  private final List<Local> found = new ArrayList<>();
  private final Reduction reduction;
  private final ModelReplica present;

  private ModelReplica r;
  private ModelServer s;
  private int me;

  Actions(SearchOptions options, ModelReplica r, ModelServer s, int me) {
    this.options = options;
    this.driver = new Driver(options);
    this.planning = new Planning(options);
    this.reduction = new Reduction(options);
    this.present = r;
    this.r = r;
    this.s = s;
    this.me = me;
  }

  List<Local> all() {
    for (ModelReplica variant : reduction.variants(present)) {
      r = variant;
      one();
    }
    return found;
  }

  private void one() {
    attempts();
    steps("steps", r, s, Local.Effect.NONE);
    targets();
    if (!r.leaving() && s.left().permits(options, Fault.LEAVE) && r.lease().held()) {
      steps("begins to leave", r.toLeave(), s.after(Fault.LEAVE), Local.Effect.NONE);
    }
    restart();
    if (s.isUp()) {
      if (r.slots().phase() == ReplicaPhase.ENDED) {
        release();
      } else if (r.lease().held()) {
        renew();
      } else {
        acquire();
      }
      put();
      if (r.slots().phase() != ReplicaPhase.ENDED) {
        if (r.lease().held()) {
          read();
        }
        if (r.silent() || !r.lease().held()) {
          planning.list(r, s, me).forEach(this::listed);
        }
      }
    }
  }

  private String name() {
    return Names.present(me);
  }

  private void add(
      String label, ModelReplica next, ModelServer server, Local.Effect effect, String violation) {
    ModelReplica normal =
        options.reduced() ? reduction.normal(next) : Transform.shift(0, options.gap()).apply(next);
    if (violation.isEmpty()
        && effect.equals(Local.Effect.NONE)
        && server.equals(s)
        && normal.equals(present)) {
      return;
    }
    found.add(new Local(name() + " " + label, normal, server, effect, violation));
  }

  /** Adds an action that is followed by steps. */
  private void steps(String label, ModelReplica next, ModelServer server, Local.Effect effect) {
    steps(label, next, server, effect, Set.of());
  }

  private void steps(
      String label,
      ModelReplica next,
      ModelServer server,
      Local.Effect effect,
      Set<String> unavailable) {
    for (Driver.Slip slip : Driver.Slip.values()) {
      Driver.Driven driven = driver.drive(next, server, unavailable, slip);
      if (slip == Driver.Slip.NONE || driven.slipped()) {
        String text =
            switch (slip) {
              case NONE -> label;
              case WRITE -> label + "; meanwhile an attempt sends a write";
              case START -> label + "; meanwhile an attempt starts";
            };
        String sent =
            driven.replica().put().isPresent() && next.put().isEmpty()
                ? ", sends " + driven.replica().put().get().changes()
                : "";
        add(text + sent, driven.replica(), server, effect, driven.violation());
      }
    }
  }

  private void attempts() {
    for (int slot = 0; slot < options.slots(); slot++) {
      if (options.runs(slot) && driver.mayStart(r, slot)) {
        add("starts an attempt in slot " + slot, driver.start(r, slot), s);
      }
      if (driver.mayWrite(r, slot)) {
        add(
            "sends a write of " + r.attempts().get(slot).identity() + " in slot " + slot,
            driver.write(r, slot),
            s);
      }
      if (!r.writes().get(slot).equals(ModelReplica.Write.NONE)) {
        add(
            "receives the answer of its write in slot " + slot,
            r.with(slot, ModelReplica.Write.NONE),
            s);
      }
      ReplicaSlots.HeldSlot one = r.slots().held().get(slot);
      boolean restarts = one != null && Transform.starts(one.stage());
      if (!r.attempts().get(slot).equals(ModelReplica.Attempt.NONE) && !restarts) {
        add("ends its attempt in slot " + slot, r.with(slot, ModelReplica.Attempt.NONE), s);
      }
    }
  }

  private void add(String label, ModelReplica next, ModelServer server) {
    add(label, next, server, Local.Effect.NONE, "");
  }

  /** A target may be known to be gone before it is listed as ended. */
  private void targets() {
    if (r.known().isPresent()) {
      Set<String> targets = new HashSet<>();
      for (SlotEntry entry : r.known().get().map().entries()) {
        if (entry.isOwnedBy(name()) && entry.isDraining()) {
          targets.add(entry.target());
        }
      }
      if (!targets.isEmpty()) {
        steps("finds its target unavailable", r, s, Local.Effect.NONE, targets);
      }
    }
  }

  /** Gives the replica a new identity; returns false when too many are still named. */
  private boolean renewIdentity() {
    String oldest = Names.name(me, Names.KEPT - 1);
    if (References.of(r).contains(oldest) || References.of(s).contains(oldest)) {
      return false;
    }
    Transform renewed = Transform.renewed(me, options.gap());
    r = renewed.apply(r);
    s = renewed.apply(s);
    return true;
  }

  private void restart() {
    boolean ended = r.slots().phase() == ReplicaPhase.ENDED;
    if (r.lease().held() && (ended || s.left().permits(options, Fault.RESTART))) {
      ModelReplica before = r;
      ModelServer server = s;
      if (renewIdentity()) {
        add(
            ended ? "starts after its predecessor left" : "crashes and starts again",
            r.restarted(options, me),
            ended ? s : s.after(Fault.RESTART),
            Local.Effect.renewed(0),
            "");
      }
      r = before;
      s = server;
    }
  }

  private SlotContext.Lease held(String announced) {
    return new SlotContext.Lease(name(), true, planning.deadline(), announced, NOW);
  }

  private ModelServer.StoredLease stored(String last) {
    return new ModelServer.StoredLease(true, name(), last, r.slots().announced(), r.leaving());
  }

  private void acquire() {
    ModelServer.StoredLease lease = s.leases().get(me);
    boolean again = lease.holder().equals(name());
    if (!again && !lease.holder().isEmpty()) {
      return;
    }
    ModelReplica before = r;
    ModelServer server = s;
    boolean renewed = r.pending() && !again;
    if (!renewed || renewIdentity()) {
      ModelServer after = s.with(me, stored(s.leases().get(me).last()));
      Local.Effect effect = renewed ? Local.Effect.renewed(1 << me) : Local.Effect.lease(me);
      steps("acquires a Lease", r.with(held(r.slots().announced()), false), after, effect);
      if (r.silent()) {
        add("acquires a Lease without an answer", r.with(r.lease(), true), after, effect, "");
      }
    }
    r = before;
    s = server;
  }

  private void renew() {
    ModelServer.StoredLease lease = s.leases().get(me);
    if (!lease.holder().equals(name())) {
      lose();
      return;
    }
    ModelServer after = s.with(me, stored(lease.last()));
    String announced = r.slots().announced();
    ModelReplica next = r.with(held(announced), false);
    if (!announced.equals(r.lease().announced()) && r.known().isPresent()) {
      // What was read so far was read before the announcement.
      StoredSlotMap known = r.known().get();
      StoredSlotMap earlier = new StoredSlotMap(known.uid(), 0, known.map(), NOW - 1);
      next = next.with(earlier, r.observed());
    }
    if (!r.silent()) {
      round(next, after);
    } else {
      steps("renews its Lease", next, after, Local.Effect.lease(me));
      add("renews its Lease without an answer", r, after, Local.Effect.lease(me), "");
    }
  }

  /** One round of a timely replica: it renews, reads and lists at once. */
  private void round(ModelReplica next, ModelServer after) {
    Driver.Driven driven = driver.drive(next, after, Set.of(), Driver.Slip.NONE);
    if (!driven.violation().isEmpty()) {
      add("renews its Lease", next, after, Local.Effect.lease(me), driven.violation());
      return;
    }
    for (Planning.Listed one : planning.list(driven.replica(), after, me)) {
      Local.Effect effect =
          new Local.Effect(false, 0, one.effect().leases() | 1 << me, false, Set.of());
      listed(
          new Planning.Listed(
              RENEWS + one.label(), one.replica(), one.server(), effect, one.violation()));
    }
  }

  private void lose() {
    ModelReplica before = r;
    ModelServer server = s;
    if (renewIdentity()) {
      SlotContext.Lease lost = new SlotContext.Lease(name(), false, NOW, "", NOW);
      steps("finds its Lease lost", r.with(lost, false), s, Local.Effect.renewed(0));
    }
    r = before;
    s = server;
  }

  private void release() {
    ModelServer.StoredLease lease = s.leases().get(me);
    if (lease.holder().equals(name())) {
      add("releases its Lease", r, s.with(me, lease.released()), Local.Effect.lease(me), "");
    }
  }

  private void read() {
    if (s.map().isEmpty()) {
      if (r.lease().held()) {
        ModelServer created = s.created(options.slots());
        Local.Effect effect = new Local.Effect(true, 0, 0, false, Set.of());
        steps("creates map " + created.uid(), planning.knows(r, created, NOW - 1), created, effect);
      }
      return;
    }
    steps("reads the map", planning.knows(r, s, NOW), s, Local.Effect.NONE);
  }

  private void listed(Planning.Listed one) {
    if (one.violation().isEmpty()) {
      steps(one.label(), one.replica(), one.server(), one.effect());
    } else {
      add(one.label(), one.replica(), one.server(), one.effect(), one.violation());
    }
  }

  private void put() {
    if (r.put().isEmpty()) {
      return;
    }
    ModelReplica.Put put = r.put().get();
    if (r.silent()) {
      add("loses its write of the map", r.with(Optional.empty()), s);
    }
    Planning.Stored stored = planning.stored(r, s, me);
    ModelReplica after =
        Transform.shift(stored.effect().shifted(), options.gap()).apply(r.with(Optional.empty()));
    String label = "stores " + put.changes();
    if (!stored.violation().isEmpty()) {
      add(label, after, stored.server(), stored.effect(), stored.violation());
      return;
    }
    long sent = put.confirms() ? NOW : NOW - 1;
    steps(label, planning.knows(after, stored.server(), sent), stored.server(), stored.effect());
    if (r.silent()) {
      add(label + " without an answer", after, stored.server(), stored.effect(), "");
    }
  }
}
