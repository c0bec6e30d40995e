// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import dev.coxswain.sharding.internal.lease.LeaseRules;
import dev.coxswain.sharding.internal.slot.ReplicaSlots.Followed;
import dev.coxswain.sharding.internal.slot.ReplicaSlots.HeldSlot;
import dev.coxswain.sharding.internal.slot.ReplicaSlots.Stage;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** One step of {@link ReplicaSlots}. */
final class ReplicaSlotsRun {

  /** A leaving replica waits for a target for at most a third of the time that it has. */
  private static final int LEAVE_PART = 3;

  /**
   * A closed slot is without an owner until it is handed over, the longer the more move with it. So
   * at most this part of the slots is closed at the same time, or {@link #CLOSED_AT_ONCE} if that is
   * more. One that an attempt keeps from being handed over soon does not count.
   */
  private static final int CLOSED_PART = 8;

  private static final int CLOSED_AT_ONCE = 4;

  private final SlotContext context;
  private final SlotTimes times;
  private final MoveTimes moves;
  private final long now;
  private final List<SlotAction> actions;

  private String identity;
  private ReplicaPhase phase;
  private long since;
  private Followed followed;
  private final Map<Integer, HeldSlot> held;
  private String problem;
  private boolean cancelled;

  /** The number of slots that may be closed in this step; -1 while it is not computed. */
  private int closable = -1;

  ReplicaSlotsRun(
      ReplicaSlots before,
      SlotContext context,
      SlotTimes times,
      MoveTimes moves,
      long now,
      List<SlotAction> actions) {
    this.context = context;
    this.times = times;
    this.moves = moves;
    this.now = now;
    this.actions = actions;
    this.identity = before.identity();
    this.phase = before.phase();
    this.since = before.since();
    this.followed = before.followed();
    this.held = new TreeMap<>(before.held());
    this.problem = before.problem();
    this.cancelled = before.cancelled();
  }

  ReplicaSlots next() {
    if (phase != ReplicaPhase.ENDED && !lost()) {
      phase();
      map();
      if (phase == ReplicaPhase.LEAVING) {
        leave();
      }
    }
    return new ReplicaSlots(identity, phase, since, followed, held, problem, cancelled);
  }

  /** Ends an identity whose Lease is lost, with all its slots; returns whether it is. */
  private boolean lost() {
    SlotContext.Lease lease = context.lease();
    boolean same = lease.identity().equals(identity);
    if (same && (phase == ReplicaPhase.LOST || (!lease.held() && isHolder()))) {
      enter(context.leaving() ? ReplicaPhase.ENDED : ReplicaPhase.LOST);
    } else if (!same && isHolder()) {
      enter(context.leaving() ? ReplicaPhase.ENDED : ReplicaPhase.JOINING);
    } else {
      if (!same) {
        enter(ReplicaPhase.JOINING);
      }
      identity = lease.identity();
      return false;
    }
    revokeAll();
    followed = new Followed(followed.uid(), false, followed.last());
    identity = lease.identity();
    if (phase == ReplicaPhase.LOST) {
      actions.add(new SlotAction.Rejoin());
    }
    return true;
  }

  private boolean isHolder() {
    return phase == ReplicaPhase.HOLDING
        || phase == ReplicaPhase.SUSPENDED
        || phase == ReplicaPhase.LEAVING;
  }

  private void phase() {
    SlotContext.Lease lease = context.lease();
    if (!lease.held()) {
      enter(context.leaving() ? ReplicaPhase.ENDED : ReplicaPhase.JOINING);
    } else if (context.leaving()) {
      enter(ReplicaPhase.LEAVING);
    } else if (mayAct()) {
      enter(ReplicaPhase.HOLDING);
      cancelled = false;
    } else {
      enter(ReplicaPhase.SUSPENDED);
    }
    if (lease.held()
        && !mayAct()
        && !cancelled
        && !LeaseRules.mayAct(lease.writeDeadline() + times.grace(), now)) {
      cancelled = true;
      actions.add(new SlotAction.CancelAttempts());
    }
  }

  private void enter(ReplicaPhase next) {
    if (phase != next) {
      phase = next;
      since = now;
    }
  }

  private boolean mayAct() {
    return LeaseRules.mayAct(context.lease().writeDeadline(), now);
  }

  /** Follows the map that was read. */
  private void map() {
    if (!context.problem().isEmpty()) {
      block(context.problem());
      return;
    }
    if (context.map().isPresent() && !read(context.map().get())) {
      return;
    }
    confirm();
    StoredSlotMap last = followed.last().orElse(null);
    if (last != null && problem.isEmpty() && context.lease().held() && !isOver()) {
      for (int slot = 0; slot < last.map().slots(); slot++) {
        slot(last, slot, last.map().entry(slot));
      }
    }
  }

  /** Returns whether the slots can be compared with the last version that was read. */
  private boolean read(StoredSlotMap stored) {
    if (!stored.uid().equals(followed.uid())) {
      return replace(stored);
    }
    StoredSlotMap last = followed.last().orElse(stored);
    if (stored.version() < last.version()) {
      return true; // read earlier and delivered late
    }
    Optional<String> regression = stored.map().regressionFrom(last.map());
    if (regression.isPresent()) {
      block("the slot map is older than one that was read: " + regression.get());
      return false;
    }
    problem = "";
    followed = new Followed(followed.uid(), followed.confirmed(), Optional.of(stored));
    int factor = stored.map().slots() / last.map().slots();
    if (factor > 1) {
      split(factor);
      return false;
    }
    return true;
  }

  /** Follows another map when everything of the present one is closed and has ended. */
  private boolean replace(StoredSlotMap stored) {
    for (Map.Entry<Integer, HeldSlot> entry : List.copyOf(held.entrySet())) {
      int slot = entry.getKey();
      Stage stage = entry.getValue().stage();
      if (stage == Stage.INCOMING) {
        revoke(slot);
      } else if (stage != Stage.CLOSING) {
        become(slot, entry.getValue().epoch(), Stage.CLOSING);
        actions.add(new SlotAction.Close(slot));
      } else if (drained(slot)) {
        revoke(slot);
      }
    }
    if (!held.isEmpty() || !answered()) {
      problem = ReplicaSlots.REPLACED;
      return false;
    }
    problem = "";
    followed = new Followed(stored.uid(), false, Optional.of(stored));
    return true;
  }

  /** Announces the map, and reads it again after that. */
  private void confirm() {
    StoredSlotMap last = followed.last().orElse(null);
    if (last == null || followed.confirmed() || !context.lease().held()) {
      return;
    }
    if (!context.lease().announced().equals(followed.uid())) {
      actions.add(new SlotAction.Announce(followed.uid()));
    } else if (last.sent() - context.lease().announcedAt() < 0) {
      actions.add(new SlotAction.ReadMap());
    } else {
      followed = new Followed(followed.uid(), true, followed.last());
    }
  }

  private void slot(StoredSlotMap last, int slot, SlotEntry entry) {
    HeldSlot one = held.get(slot);
    if (!entry.isOwnedBy(identity)) {
      if (entry.target().equals(identity)) {
        incoming(slot, entry, one);
      } else if (one != null) {
        revoke(slot);
      }
      return;
    }
    if (one != null && one.epoch() != entry.epoch()) {
      // The target of a move that is complete, or of one that came back.
      if (one.stage() != Stage.INCOMING) {
        revoke(slot);
        return; // the guards close before the attempts are counted
      }
      one = null;
    }
    if (entry.isDraining()) {
      drain(last, slot, entry, one);
    } else if (one == null || one.stage() != Stage.OPEN) {
      boolean reopen = one != null && one.stage() != Stage.INCOMING;
      // A slot that drained before it was ever opened comes back to a map that is not announced.
      if (followed.confirmed() && (reopen || phase == ReplicaPhase.HOLDING)) {
        become(slot, entry.epoch(), Stage.OPEN);
        actions.add(new SlotAction.Open(slot, entry.epoch()));
      }
    }
  }

  private void incoming(int slot, SlotEntry entry, @Nullable HeldSlot one) {
    if (one != null && one.stage() != Stage.INCOMING) {
      revoke(slot); // handed over and on its way back
    }
    if (one == null || one.stage() != Stage.INCOMING || one.epoch() != entry.epoch()) {
      become(slot, entry.epoch(), Stage.INCOMING);
      actions.add(new SlotAction.Incoming(slot, entry.owner()));
    }
  }

  /** A slot that is to be handed over. */
  private void drain(StoredSlotMap last, int slot, SlotEntry entry, @Nullable HeldSlot one) {
    boolean leaving = phase == ReplicaPhase.LEAVING;
    boolean gone = context.unavailable().contains(entry.target());
    Stage stage = one == null ? Stage.CLOSING : one.stage();
    if (one == null) {
      become(slot, entry.epoch(), Stage.CLOSING); // it was never opened
    } else if (stage == Stage.OPEN && !gone) {
      stage = Stage.PREPARING;
      become(slot, entry.epoch(), stage);
      actions.add(new SlotAction.Prepare(slot, entry.target()));
    }
    long waited = now - Objects.requireNonNull(held.get(slot)).since();
    long patience = context.loading().contains(slot) ? moves.load() : moves.prepare();
    long prepare = leaving ? Math.min(patience, moves.leave() / LEAVE_PART) : patience;
    if (stage == Stage.PREPARING && !gone && (context.warm().contains(slot) || waited >= prepare)) {
      boolean others =
          last.map().isDrainedBefore(identity) || now - context.mapSince() < moves.pause();
      if ((others && waited < moves.turn()) || !mayClose()) {
        return; // it is worked on until others have been handed over
      }
      become(slot, entry.epoch(), Stage.CLOSING);
      actions.add(new SlotAction.Close(slot));
      return; // the gates close before the attempts are counted
    }
    if (!context.lease().held() || !times.mayWrite(context.lease().writeDeadline(), now)) {
      return;
    }
    boolean late = stage == Stage.CLOSING && waited >= moves.close() && !leaving;
    if (gone || (late && context.activity().attempts(slot) > 0)) {
      store(last, new SlotChange.Keep(slot, identity, entry.epoch()));
    } else if (stage == Stage.CLOSING && drained(slot)) {
      store(last, new SlotChange.HandOver(slot, identity, entry.epoch(), entry.target()));
    }
  }

  /** Returns whether one more slot may be closed, and counts it. */
  private boolean mayClose() {
    if (closable < 0) {
      closable = Math.max(CLOSED_AT_ONCE, held.size() / CLOSED_PART);
      held.forEach((slot, one) -> {
        boolean soon = now - one.since() < moves.soon();
        if (one.stage() == Stage.CLOSING && (soon || drained(slot)) && closable > 0) {
          closable--;
        }
      });
    }
    if (closable == 0) {
      return false;
    }
    closable--;
    return true;
  }

  private void store(StoredSlotMap before, SlotChange change) {
    actions.add(new SlotAction.Store(before, change));
  }

  private boolean drained(int slot) {
    return context.activity().attempts(slot) == 0 && answered(slot);
  }

  private boolean answered(int slot) {
    SlotActivity activity = context.activity();
    return activity.unanswered(slot) == 0 || times.isOver(activity.lastUnanswered(slot), now);
  }

  /** Whether no write of any slot can have an effect any more. */
  private boolean answered() {
    int slots = followed.last().map(stored -> stored.map().slots()).orElse(0);
    for (int slot = 0; slot < slots; slot++) {
      if (!answered(slot)) {
        return false;
      }
    }
    return true;
  }

  /** Whether a leaving replica has no time left: it closes everything and hands nothing over. */
  private boolean isOver() {
    return phase == ReplicaPhase.LEAVING && now - since >= moves.leave();
  }

  /** Releases the Lease when everything is handed over, or at the limit. */
  private void leave() {
    SlotMap map = followed.last().map(StoredSlotMap::map).orElse(null);
    if (map == null) {
      end();
      return;
    }
    boolean over = isOver();
    if (over) {
      revokeAll();
    }
    boolean mine = false;
    for (int slot = 0; slot < map.slots(); slot++) {
      // With an unusable map nothing can be handed over, and everything is closed.
      mine |= (problem.isEmpty() && map.entry(slot).isOwnedBy(identity)) || held.containsKey(slot);
    }
    boolean revoked = actions.stream().anyMatch(SlotAction.Revoke.class::isInstance);
    // A guard that closes only now may have let a write pass that was not counted.
    if ((over || !mine) && !revoked && answered()) {
      end();
    }
  }

  private void end() {
    actions.add(new SlotAction.ReleaseLease());
    enter(ReplicaPhase.ENDED);
  }

  private void block(String why) {
    problem = why;
    revokeAll();
  }

  private void split(int factor) {
    Map<Integer, HeldSlot> before = Map.copyOf(held);
    held.clear();
    before.forEach((slot, one) -> {
      for (int i = 0; i < factor; i++) {
        held.put(slot * factor + i, one);
      }
    });
    actions.add(new SlotAction.Split(factor));
  }

  private void become(int slot, long epoch, Stage stage) {
    held.put(slot, new HeldSlot(epoch, stage, now));
  }

  private void revokeAll() {
    List.copyOf(held.keySet()).forEach(this::revoke);
  }

  private void revoke(int slot) {
    held.remove(slot);
    actions.add(new SlotAction.Revoke(slot));
  }
}
