// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The slots of one replica, as a value: {@link #step} returns the next one and what is to be done.
 *
 * <p>The invariants of ownership, which the tests search all short schedules for:
 *
 * <ol>
 *   <li>I1: at most one identity may write for a slot at any instant. Assumptions: clocks drift by
 *       less than the grace exceeds the life of a request; that life is bounded; the monotonic
 *       clock runs on while the process is stopped; Leases and objects are in the same store.
 *   <li>I2: an identity that ended never acts again.
 *   <li>I3: a replica needs the map to start, never to stop. It stops by its own deadline, its own
 *       hand-over or its own failed renewal, so a late view of the map costs time and not safety.
 *   <li>I4: a slot is opened only on a map that names the present identity and is no older copy of
 *       one that was read. A lower epoch, another uid or an unknown function closes all slots.
 *   <li>I5: between two owners of a slot there is either T4 by the source, when nothing of the slot
 *       runs, or proof of the end of the source.
 *   <li>I6: what the target was not given, it lists.
 * </ol>
 *
 * <p>Before the first slot of a map is opened, its uid is in the own Lease, and the map has been
 * read again after that. So a map that was deleted is not followed by a replica whose Lease does not
 * have it, and the planner of another map can wait for all followers of the first.
 *
 * <p>An older copy of the map, applied over it, closes all slots of each replica that has read a newer one,
 * until the map is deleted or is newer again. The death of a replica between both is outside I1.
 *
 * <p>Thread rule: immutable.
 *
 * @param identity the identity that the slots belong to; empty before the first step
 * @param since when the phase began
 * @param followed the map
 * @param held the slots that are not closed, by number
 * @param problem why all slots are closed; empty for no problem
 * @param cancelled whether the attempts of a suspended replica were cancelled
 */
public record ReplicaSlots(
    String identity,
    ReplicaPhase phase,
    long since,
    Followed followed,
    Map<Integer, HeldSlot> held,
    String problem,
    boolean cancelled) {

  /** The stage of a slot that is not closed. */
  public enum Stage {
    /** This replica is the target of a move; no attempts start. */
    INCOMING,
    /** Attempts start. */
    OPEN,
    /** Attempts start until the target is warm. */
    PREPARING,
    /** No attempts start; running ones end before the slot is handed over. */
    CLOSING
  }

  /**
   * A slot that is not closed.
   *
   * @param since when the stage began
   */
  public record HeldSlot(long epoch, Stage stage, long since) {}

  /**
   * The map that this replica follows.
   *
   * @param uid empty for none
   * @param confirmed whether it was read after its uid was in the Lease
   * @param last the last version
   */
  public record Followed(String uid, boolean confirmed, Optional<StoredSlotMap> last) {}

  /** The next value, and what is to be done before the step after it. */
  public record Step(ReplicaSlots next, List<SlotAction> actions) {
    public Step {
      actions = List.copyOf(actions);
    }
  }

  /** The problem while the slots of a map that was replaced are closed. */
  public static final String REPLACED =
      "the slot map was replaced by another one; running attempts are ending";

  /** At the start of a process. */
  public static final ReplicaSlots NONE =
      new ReplicaSlots(
          "",
          ReplicaPhase.JOINING,
          0,
          new Followed("", false, Optional.empty()),
          Map.of(),
          "",
          false);

  public ReplicaSlots {
    held = Map.copyOf(held);
  }

  /**
   * Returns the next value and the actions, in order. A step is due after each change of the context
   * and when a time has passed; a step without a change does no harm.
   */
  public Step step(SlotContext context, SlotTimes times, MoveTimes moves, long now) {
    List<SlotAction> actions = new ArrayList<>();
    ReplicaSlots next = new ReplicaSlotsRun(this, context, times, moves, now, actions).next();
    return new Step(next, actions);
  }

  /** The uid that each renewal of the Lease must contain; empty for none. */
  public String announced() {
    return followed.uid();
  }

  /**
   * Returns whether an attempt of the slot may start: the rule that simulations and searches check. The
   * host has it in {@code HostSlots} and the gates, which the same actions open and close.
   */
  public boolean mayStart(int slot, SlotContext.Lease lease, SlotTimes times, long now) {
    HeldSlot one = held.get(slot);
    return one != null
        && (one.stage() == Stage.OPEN || one.stage() == Stage.PREPARING)
        && isPresent(lease)
        && times.mayStart(lease.writeDeadline(), now);
  }

  /**
   * Returns whether an attempt may write that was started under this identity and epoch: the rule
   * that simulations and searches check. The host ends the term of each attempt at {@link
   * SlotAction.Revoke} instead, and checks the deadline ({@code OwnedTerm}).
   */
  public boolean mayWrite(
      String started, int slot, long epoch, SlotContext.Lease lease, SlotTimes times, long now) {
    HeldSlot one = held.get(slot);
    return one != null
        && one.stage() != Stage.INCOMING
        && one.epoch() == epoch
        && identity.equals(started)
        && isPresent(lease)
        && times.mayWrite(lease.writeDeadline(), now);
  }

  private boolean isPresent(SlotContext.Lease lease) {
    return lease.held() && lease.identity().equals(identity);
  }
}
