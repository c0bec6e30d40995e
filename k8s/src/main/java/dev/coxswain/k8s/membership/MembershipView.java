// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.membership;

import dev.coxswain.k8s.membership.ReplicaLeaseStatus.Taken;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The held Leases in the last list.
 *
 * <p>Thread rule: immutable.
 *
 * @param live the largest number of held Leases during the last lease duration, at least 1
 * @param entries the held Leases
 */
record MembershipView(int live, List<Entry> entries) {

  /** Before the first list. */
  static final MembershipView EMPTY = new MembershipView(1, List.of());

  /** One held Lease; {@code seenAt} is when this process first observed its holder. */
  record Entry(
      int ordinal,
      String identity,
      @Nullable Instant since,
      String generation,
      boolean pool,
      long seenAt,
      Map<String, String> addresses) {}

  MembershipView {
    entries = List.copyOf(entries);
  }

  List<Taken> taken(long now, Duration settle) {
    return entries.stream()
        .map(entry ->
            new Taken(
                entry.ordinal,
                entry.identity,
                entry.since,
                entry.generation,
                entry.pool,
                now - entry.seenAt >= settle.toNanos(),
                entry.addresses))
        .toList();
  }

  String holders() {
    return entries.stream().map(Entry::identity).collect(Collectors.joining(", "));
  }

  String otherThan(String generation) {
    return entries.stream()
        .filter(entry -> !entry.generation.equals(generation))
        .map(entry -> entry.identity + " (" + entry.generation + ")")
        .collect(Collectors.joining(", "));
  }
}
