// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus.Taken;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The held Leases in the last list.
 *
 * <p>Thread rule: immutable.
 *
 * @param live the largest number of held Leases during the last lease duration, at least 1
 * @param entries the held Leases
 * @param lastHolders the last holders that the Leases name
 * @param released the last holders that have released a Lease themselves
 * @param version the highest resource version of the Leases
 * @param sent when the list was requested
 * @param received when the response was received
 */
record MembershipView(
    int live,
    List<Entry> entries,
    Set<String> lastHolders,
    Set<String> released,
    long version,
    long sent,
    long received) {

  /** Before the first list. */
  static final MembershipView EMPTY = new MembershipView(1, List.of(), Set.of(), Set.of(), 0, 0, 0);

  /**
   * One held Lease.
   *
   * @param seenAt when this process first observed its holder
   * @param silent whether half of its duration has passed without an observed renewal
   */
  record Entry(Taken lease, long seenAt, boolean silent) {}

  MembershipView {
    entries = List.copyOf(entries);
    lastHolders = Set.copyOf(lastHolders);
    released = Set.copyOf(released);
  }

  List<Taken> taken(long now, Duration settle) {
    return entries.stream()
        .map(entry -> entry.lease.settled(now - entry.seenAt >= settle.toNanos()))
        .toList();
  }

  /** Returns the holders that have been silent for a while. */
  Set<String> silent() {
    return entries.stream()
        .filter(Entry::silent)
        .map(entry -> entry.lease.identity())
        .collect(Collectors.toSet());
  }

  /** Returns how many Leases with an ordinal below a number are held. */
  long heldBelow(int count) {
    return entries.stream().filter(entry -> entry.lease.ordinal() < count).count();
  }

  String holders() {
    return entries.stream().map(entry -> entry.lease.identity()).collect(Collectors.joining(", "));
  }

  String otherThan(String generation) {
    return entries.stream()
        .map(Entry::lease)
        .filter(lease -> !lease.generation().equals(generation))
        .map(lease -> lease.identity() + " (" + lease.generation() + ")")
        .collect(Collectors.joining(", "));
  }
}
