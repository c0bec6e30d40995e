// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

/**
 * One change of one slot. {@link #appliesTo} is the precondition in the map; what must be true
 * outside the map is noted at each change. Changes are stored with a precondition on the version and
 * the uid of the map that was read, so one that is decided on an old map fails.
 *
 * <p>T1, a new map, is {@link SlotMap#initial}; T7, twice the slots, is {@link SlotMap#doubled}.
 *
 * <p>Thread rule: immutable.
 */
public sealed interface SlotChange {

  /** The number of the slot. */
  int slot();

  /** Returns whether the precondition in the map is met. */
  boolean appliesTo(SlotEntry before);

  /** Returns the entry after the change, when the precondition is met. */
  SlotEntry after(SlotEntry before);

  /**
   * Returns the entry after the change.
   *
   * @throws IllegalStateException if the precondition is not met
   */
  default SlotEntry apply(SlotEntry before) {
    if (!appliesTo(before)) {
      throw new IllegalStateException(this + " does not apply to " + before);
    }
    return after(before);
  }

  /**
   * T2, by the planner: a free slot gets an owner.
   *
   * <p>Outside the map: {@code to} was live in the planner's list, and every live Lease announced
   * this map or none. {@link SlotPlanner} checks both.
   */
  record Assign(int slot, String to) implements SlotChange {
    @Override
    public boolean appliesTo(SlotEntry before) {
      return before.isFree();
    }

    @Override
    public SlotEntry after(SlotEntry before) {
      return SlotEntry.owned(to, before.epoch() + 1);
    }
  }

  /** T3, by the planner: the owner is to hand the slot over. Safe at any time. */
  record Drain(int slot, String from, String to) implements SlotChange {
    @Override
    public boolean appliesTo(SlotEntry before) {
      return before.isOwnedBy(from) && !before.isDraining() && !to.equals(from);
    }

    @Override
    public SlotEntry after(SlotEntry before) {
      return new SlotEntry(from, before.epoch(), to);
    }
  }

  /**
   * T4, by the owner alone: the target becomes the owner.
   *
   * <p>Outside the map: the slot is closed in every controller of the owner, none of its attempts
   * runs, its writes are answered or too old to arrive, and the write deadline is open when the
   * request is sent. {@link ReplicaSlots} checks all four.
   */
  record HandOver(int slot, String from, long epoch, String to) implements SlotChange {
    @Override
    public boolean appliesTo(SlotEntry before) {
      return before.equals(new SlotEntry(from, epoch, to));
    }

    @Override
    public SlotEntry after(SlotEntry before) {
      return SlotEntry.owned(to, epoch + 1);
    }
  }

  /** T5, by the owner alone: it keeps the slot and its epoch. Safe at any time. */
  record Keep(int slot, String from, long epoch) implements SlotChange {
    @Override
    public boolean appliesTo(SlotEntry before) {
      return before.isOwnedBy(from) && before.epoch() == epoch && before.isDraining();
    }

    @Override
    public SlotEntry after(SlotEntry before) {
      return SlotEntry.owned(from, epoch);
    }
  }

  /**
   * T6, by the planner: the slot of an ended owner gets another one.
   *
   * <p>Outside the map: {@code from} has ended, see {@link SlotObservation#ended}.
   */
  record TakeOver(int slot, String from, String to) implements SlotChange {
    @Override
    public boolean appliesTo(SlotEntry before) {
      return before.isOwnedBy(from) && !to.equals(from);
    }

    @Override
    public SlotEntry after(SlotEntry before) {
      return SlotEntry.owned(to, before.epoch() + 1);
    }
  }
}
