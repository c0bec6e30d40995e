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
 * The seats that were taken when they were listed last.
 *
 * <p>Thread rule: immutable.
 *
 * @param live the largest number of taken seats during the last lease duration, at least 1
 * @param entries who sits where
 */
record MembershipView(int live, List<Entry> entries) {

  /** Nothing has been listed yet. */
  static final MembershipView EMPTY = new MembershipView(1, List.of());

  /** One taken seat; {@code seenAt} is when this process saw its holder first. */
  record Entry(
      int seat,
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
                entry.seat,
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
