// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

/**
 * An action of a replica after a step of {@link ReplicaSlots}. Actions are carried out in order and
 * before the next step. {@link Store}, {@link Announce} and {@link ReadMap} are returned again until
 * they have succeeded; a driver that has one under way need not begin another.
 */
public sealed interface SlotAction {

  /** Starts attempts of the slot; each gets a guard of its own for the identity and the epoch. */
  record Open(int slot, long epoch) implements SlotAction {}

  /** Keeps the keys of the slot and starts none: this replica is the target of a move. */
  record Incoming(int slot, String from) implements SlotAction {}

  /** Requests the target to load the slot; attempts go on. */
  record Prepare(int slot, String target) implements SlotAction {}

  /** Starts no more attempts of the slot in any controller; running ones go on. */
  record Close(int slot) implements SlotAction {}

  /**
   * Closes the guards of all attempts of the slot for good, cancels them and drops the keys of the
   * slot.
   */
  record Revoke(int slot) implements SlotAction {}

  /** Cancels all attempts; the slots stay. */
  record CancelAttempts() implements SlotAction {}

  /** Renumbers all slots: slot i becomes the {@code factor} slots from {@code factor * i}. */
  record Split(int factor) implements SlotAction {}

  /**
   * Stores T4 or T5, on exactly the version that the step used. Before T4 the state of retries is
   * sent to the target. Without an answer the map is read again.
   */
  record Store(StoredSlotMap before, SlotChange change) implements SlotAction {}

  /** Renews the Lease with the uid of the map that the replica follows. */
  record Announce(String uid) implements SlotAction {}

  /** Reads the map with a consistent read. */
  record ReadMap() implements SlotAction {}

  /** Draws a new identity and acquires a Lease under it. */
  record Rejoin() implements SlotAction {}

  /** Releases the Lease: everything has stopped. */
  record ReleaseLease() implements SlotAction {}
}
