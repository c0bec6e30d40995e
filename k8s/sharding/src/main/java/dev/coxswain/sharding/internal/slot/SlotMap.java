// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The owners of all slots: the content of the ConfigMap that all replicas share. Slots are numbered
 * by {@link SlotDivision}. The map changes only by {@link SlotChange}s that are stored with a
 * precondition on the version that was read.
 *
 * <p>Thread rule: immutable.
 *
 * @param division what decides about the slot of a request
 * @param base the epoch of slots that never had an owner, above every epoch of an earlier map
 * @param entries the slots by number; their count is a power of two up to 4,096
 */
public record SlotMap(SlotDivision division, long base, List<SlotEntry> entries) {

  public SlotMap {
    entries = List.copyOf(entries);
    if (!SlotFunction.isValid(entries.size())) {
      throw new IllegalArgumentException(
          "the number of slots must be a power of two up to "
              + SlotFunction.MAX_SLOTS
              + ": "
              + entries.size());
    }
    for (SlotEntry entry : entries) {
      if (base < 0 || entry.epoch() < base) {
        throw new IllegalArgumentException("a slot has an epoch below the base " + base);
      }
    }
  }

  /**
   * T1: returns a new map in which all slots are free. It may be created after a consistent read
   * found no map.
   *
   * @param base the resource version of a list of the Leases that was read after that. Each change
   *     of an epoch costs one version of the store, so it exceeds every epoch of an earlier map.
   */
  public static SlotMap initial(SlotDivision division, int slots, long base) {
    return new SlotMap(division, base, Collections.nCopies(slots, SlotEntry.free(base)));
  }

  /** Returns the number of slots. */
  public int slots() {
    return entries.size();
  }

  /** Returns the entry of a slot. */
  public SlotEntry entry(int slot) {
    return entries.get(slot);
  }

  /** Returns the owners and targets of all slots. */
  public SortedSet<String> replicas() {
    SortedSet<String> all = new TreeSet<>();
    for (SlotEntry entry : entries) {
      all.add(entry.owner());
      all.add(entry.target());
    }
    all.remove("");
    return all;
  }

  /**
   * Returns the map after some changes, in their order.
   *
   * @throws IllegalStateException if the precondition of a change is not met
   */
  public SlotMap with(Collection<? extends SlotChange> changes) {
    if (changes.isEmpty()) {
      return this;
    }
    List<SlotEntry> next = new ArrayList<>(entries);
    for (SlotChange change : changes) {
      next.set(change.slot(), change.apply(next.get(change.slot())));
    }
    return new SlotMap(division, base, next);
  }

  /**
   * T7: returns the map with each slot split in two. No owner changes, so replicas may see it at
   * different times.
   *
   * @throws IllegalStateException if a slot is draining or the maximum is reached
   */
  public SlotMap doubled() {
    if (entries.stream().anyMatch(SlotEntry::isDraining)) {
      throw new IllegalStateException("a slot is draining; double the map when no slot is");
    }
    if (!SlotFunction.isValid(slots() * 2)) {
      throw new IllegalStateException("the map has the maximum of " + slots() + " slots");
    }
    List<SlotEntry> next = new ArrayList<>();
    for (SlotEntry entry : entries) {
      next.add(entry);
      next.add(entry);
    }
    return new SlotMap(division, base, next);
  }

  /**
   * Returns why this map cannot be a later version of another one, empty when it can: the slots
   * are divided in another way, an epoch has decreased, or an owner changed without its epoch. This is what an older copy looks like.
   */
  public Optional<String> regressionFrom(SlotMap before) {
    if (division != before.division) {
      return Optional.of(
          "the slots are by " + division.label() + " and were by " + before.division.label());
    }
    if (slots() < before.slots()) {
      return Optional.of("the map has " + slots() + " slots and had " + before.slots());
    }
    int split = slots() / before.slots();
    for (int slot = 0; slot < slots(); slot++) {
      SlotEntry now = entry(slot);
      SlotEntry then = before.entry(slot / split);
      if (now.epoch() < then.epoch()) {
        return Optional.of(
            "the epoch of slot " + slot + " went from " + then.epoch() + " to " + now.epoch());
      }
      if (now.epoch() == then.epoch() && !now.owner().equals(then.owner())) {
        return Optional.of("the owner of slot " + slot + " changed and its epoch did not");
      }
    }
    return Optional.empty();
  }

  /** Returns whether a replica with a lower identity is to hand slots over. */
  boolean isDrainedBefore(String identity) {
    return entries.stream()
        .anyMatch(entry -> entry.isDraining() && entry.owner().compareTo(identity) < 0);
  }
}
