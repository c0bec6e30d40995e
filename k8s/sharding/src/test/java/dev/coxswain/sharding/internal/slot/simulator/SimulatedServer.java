// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot.simulator;

import dev.coxswain.sharding.internal.slot.SlotDivision;
import dev.coxswain.sharding.internal.slot.SlotEntry;
import dev.coxswain.sharding.internal.slot.SlotMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The API server with Leases, the map and one object per slot; it examines each write. */
final class SimulatedServer {

  private static final int ENOUGH = 20;

  private final int slots;
  private final Map<Integer, Lease> leases = new TreeMap<>();
  private final long[] newest;
  private final long[] written;
  private final long[] versions;
  private final Set<String> fenced = new HashSet<>();
  private final List<String> violations = new ArrayList<>();
  private Optional<Stored> map = Optional.empty();
  private long revision = 1;
  private int maps;
  private long writes;
  private int refused;
  private int stale;
  private int older;
  private int moves;

  /** One Lease. */
  record Lease(
      String holder, String last, long version, String follows, boolean leaving, int weight) {}

  /** The map with its version. */
  record Stored(String uid, long version, SlotMap map) {}

  SimulatedServer(int slots) {
    this.slots = slots;
    this.newest = new long[slots];
    this.written = new long[slots];
    this.versions = new long[slots];
  }

  Map<Integer, Lease> leases() {
    return Map.copyOf(leases);
  }

  /** Replaces or creates a Lease at exactly a version, 0 for none; returns the new version. */
  Optional<Lease> put(int ordinal, long version, Lease next) {
    Lease before = leases.get(ordinal);
    if ((before == null ? 0 : before.version()) != version) {
      return Optional.empty();
    }
    String last = next.last();
    if (before != null && !before.holder().equals(next.holder())) {
      last = before.holder().isEmpty() ? before.last() : before.holder();
    }
    Lease stored =
        new Lease(next.holder(), last, ++revision, next.follows(), next.leaving(), next.weight());
    leases.put(ordinal, stored);
    return Optional.of(stored);
  }

  /** Ends a Lease at exactly a version, because it has expired. */
  void fence(int ordinal, Lease seen) {
    if (put(ordinal, seen.version(), new Lease("", "", 0, "", false, seen.weight())).isPresent()) {
      fenced.add(seen.holder());
    }
  }

  void deleteLease(int ordinal) {
    leases.remove(ordinal);
    revision++;
  }

  void deleteMap() {
    map = Optional.empty();
    revision++;
  }

  Optional<Stored> map() {
    return map;
  }

  long revision() {
    return revision;
  }

  Optional<Stored> create(long base) {
    if (map.isPresent()) {
      return Optional.empty();
    }
    map =
        Optional.of(
            new Stored("u" + ++maps, ++revision, SlotMap.initial(SlotDivision.KEY, slots, base)));
    return map;
  }

  Optional<Stored> put(String uid, long version, SlotMap next, long now) {
    if (map.isEmpty() || !map.get().uid().equals(uid) || map.get().version() != version) {
      return Optional.empty();
    }
    SlotMap before = map.get().map();
    for (int slot = 0; slot < slots; slot++) {
      SlotEntry entry = next.entry(slot);
      if (!entry.owner().equals(before.entry(slot).owner())) {
        moves++;
        if (entry.epoch() <= newest[slot]) {
          violation(now, "slot " + slot + " got the epoch " + entry.epoch() + " again");
        }
        newest[slot] = entry.epoch();
      }
    }
    map = Optional.of(new Stored(uid, ++revision, next));
    return map;
  }

  long version(int slot) {
    return versions[slot];
  }

  /**
   * Writes an object.
   *
   * @param version a precondition; negative for none
   */
  boolean write(int slot, long epoch, String identity, long version, long now) {
    if (version >= 0 && version != versions[slot]) {
      refused++;
      return false;
    }
    writes++;
    versions[slot] = ++revision;
    if (epoch != newest[slot]) {
      stale++;
      violation(
          now, identity + " wrote in slot " + slot + " with epoch " + epoch + " < " + newest[slot]);
    }
    if (epoch < written[slot]) {
      older++;
      violation(now, identity + " wrote in slot " + slot + " after a newer epoch");
    }
    written[slot] = Math.max(written[slot], epoch);
    return true;
  }

  void violation(long now, String text) {
    if (violations.size() < ENOUGH) {
      violations.add(now + " ms: " + text);
    }
  }

  /** Whether an identity is not the newest owner of a slot, so it must not write. */
  boolean isOutdated(int slot, long epoch) {
    return epoch < newest[slot];
  }

  List<String> violations() {
    return violations;
  }

  long writes() {
    return writes;
  }

  /** How many writes did not meet their precondition. */
  int refused() {
    return refused;
  }

  int stale() {
    return stale;
  }

  int older() {
    return older;
  }

  int moves() {
    return moves;
  }

  Set<String> fenced() {
    return fenced;
  }

  @Override
  public String toString() {
    return writes
        + " writes, "
        + stale
        + " stale, "
        + older
        + " after a newer epoch, "
        + moves
        + " changes of owners, "
        + fenced.size()
        + " fences, maps "
        + maps
        + ", epochs up to "
        + Arrays.stream(newest).max().orElse(0);
  }
}
