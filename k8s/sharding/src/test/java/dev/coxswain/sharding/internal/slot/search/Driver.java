// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.search;

import dev.coxswain.sharding.internal.lease.LeaseRules;
import dev.coxswain.sharding.internal.slot.ReplicaSlots;
import dev.coxswain.sharding.internal.slot.SlotAction;
import dev.coxswain.sharding.internal.slot.SlotActivity;
import dev.coxswain.sharding.internal.slot.SlotChange;
import dev.coxswain.sharding.internal.slot.SlotContext;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Carries out the steps of one replica, as a host does. */
final class Driver {

  private static final long NOW = Names.NOW;

  private final SearchOptions options;

  /** What an attempt does between the moment at which activity is counted and the actions. */
  enum Slip {
    NONE,
    WRITE,
    START
  }

  /** A replica after its steps. */
  record Driven(ModelReplica replica, boolean slipped, String violation) {}

  Driver(SearchOptions options) {
    this.options = options;
  }

  static boolean mayAct(ModelReplica r) {
    return r.lease().held() && LeaseRules.mayAct(r.lease().writeDeadline(), NOW);
  }

  boolean mayStart(ModelReplica r, int slot) {
    return r.attempts().get(slot).equals(ModelReplica.Attempt.NONE)
        && r.slots().mayStart(slot, r.lease(), SearchOptions.TIMES, NOW);
  }

  /** Both guards that a host may use: the slots, and one that is closed when they are revoked. */
  boolean mayWrite(ModelReplica r, int slot) {
    ModelReplica.Attempt attempt = r.attempts().get(slot);
    if (attempt.equals(ModelReplica.Attempt.NONE)) {
      return false;
    }
    if (!options.has(Safeguard.GUARD_OF_WRITES)) {
      return true;
    }
    if (!options.has(Safeguard.GUARD_PER_ATTEMPT)) {
      return mayAct(r);
    }
    return attempt.open()
        && (mayAct(r)
            || r.slots()
                .mayWrite(
                    attempt.identity(),
                    slot,
                    attempt.epoch(),
                    r.lease(),
                    SearchOptions.TIMES,
                    NOW));
  }

  ModelReplica start(ModelReplica r, int slot) {
    long epoch = Objects.requireNonNull(r.slots().held().get(slot)).epoch();
    return r.with(slot, new ModelReplica.Attempt(r.slots().identity(), epoch, true));
  }

  ModelReplica write(ModelReplica r, int slot) {
    return r.with(slot, new ModelReplica.Write(r.attempts().get(slot).epoch(), 0));
  }

  /** Steps until nothing changes. */
  Driven drive(ModelReplica before, ModelServer s, Set<String> alsoUnavailable, Slip slip) {
    ModelReplica r = before;
    boolean slipped = false;
    boolean first = true;
    for (int i = 0; i < 20; i++) {
      ReplicaSlots.Step step =
          r.slots()
              .step(context(r, alsoUnavailable), SearchOptions.TIMES, SearchOptions.MOVES, NOW);
      if (first && slip != Slip.NONE && closes(step.actions())) {
        ModelReplica next = slip(r, slip);
        slipped = !next.equals(r);
        r = next;
      }
      first = false;
      boolean same = step.next().equals(r.slots());
      String violation = violation(r, step);
      if (!violation.isEmpty()) {
        return new Driven(r, slipped, violation);
      }
      r = carriedOut(r.with(step.next()), s, step.actions());
      if (same) {
        return new Driven(r, slipped, "");
      }
    }
    throw new IllegalStateException("the steps of a replica do not come to an end: " + before);
  }

  private static boolean closes(List<SlotAction> actions) {
    return actions.stream()
        .anyMatch(a ->
            a instanceof SlotAction.Close
                || a instanceof SlotAction.Revoke
                || a instanceof SlotAction.Store
                || a instanceof SlotAction.ReleaseLease);
  }

  private ModelReplica slip(ModelReplica r, Slip slip) {
    ModelReplica next = r;
    for (int slot = 0; slot < options.slots(); slot++) {
      if (slip == Slip.WRITE && mayWrite(r, slot)) {
        next = write(next, slot);
      } else if (slip == Slip.START && options.runs(slot) && mayStart(r, slot)) {
        next = start(next, slot);
      }
    }
    return next;
  }

  private SlotContext context(ModelReplica r, Set<String> alsoUnavailable) {
    Set<String> unavailable = new HashSet<>(r.observed().ended());
    unavailable.addAll(alsoUnavailable);
    return new SlotContext(
        r.lease(), r.known(), "", new Activity(r), unavailable, Set.of(), Set.of(), r.leaving(), 0);
  }

  private ModelReplica carriedOut(ModelReplica before, ModelServer s, List<SlotAction> actions) {
    ModelReplica r = before;
    List<SlotChange> changes = new ArrayList<>();
    for (SlotAction action : actions) {
      switch (action) {
        case SlotAction.Revoke revoke -> {
          boolean runs = r.attempts().get(revoke.slot()).open();
          if (runs
              && options.has(Safeguard.GUARD_OF_WRITES)
              && options.has(Safeguard.GUARD_PER_ATTEMPT)) {
            // It runs on, and can do nothing.
            r = r.with(revoke.slot(), ModelReplica.Attempt.NONE);
          }
        }
        case SlotAction.Store store -> {
          // On another version it would fail.
          if (s.isUp()
              && store.before().uid().equals(s.uid())
              && store.change().appliesTo(s.map().orElseThrow().entry(store.change().slot()))
              && store.before().map().entry(store.change().slot()).epoch() == Names.EPOCH) {
            changes.add(store.change());
          }
        }
        default -> {
          // A search has nothing to prepare; the Lease and the map are read and written at any
          // time.
        }
      }
    }
    if (!changes.isEmpty() && r.put().isEmpty()) {
      boolean confirms = r.known().isPresent() && r.lease().announced().equals(s.uid());
      r = r.with(Optional.of(new ModelReplica.Put(List.copyOf(changes), confirms)));
    }
    return r;
  }

  /** I4: a slot is opened on a map that names the identity, with an epoch not below any seen. */
  private static String violation(ModelReplica r, ReplicaSlots.Step step) {
    for (SlotAction action : step.actions()) {
      if (action instanceof SlotAction.Open open) {
        SlotEntry entry = step.next().followed().last().orElseThrow().map().entry(open.slot());
        long seen =
            r.slots()
                .followed()
                .last()
                .filter(last -> last.uid().equals(step.next().followed().uid()))
                .map(last -> last.map().entry(open.slot()).epoch())
                .orElse(0L);
        if (!entry.isOwnedBy(r.lease().identity())
            || entry.epoch() != open.epoch()
            || open.epoch() < seen
            || !r.lease().announced().equals(step.next().followed().uid())) {
          return "I4: slot " + open.slot() + " is opened on a map that does not allow it";
        }
      }
    }
    return "";
  }

  /** What runs, as the host counts it. */
  private final class Activity implements SlotActivity {
    private final ModelReplica r;

    Activity(ModelReplica r) {
      this.r = r;
    }

    @Override
    public int attempts(int slot) {
      return r.attempts().get(slot).equals(ModelReplica.Attempt.NONE) ? 0 : 1;
    }

    @Override
    public int unanswered(int slot) {
      return options.has(Safeguard.UNANSWERED_WRITES)
              && !r.writes().get(slot).equals(ModelReplica.Write.NONE)
          ? 1
          : 0;
    }

    @Override
    public long lastUnanswered(int slot) {
      return NOW - r.writes().get(slot).age();
    }
  }
}
