// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.sharding.internal.lease.LeaseRecord;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The Leases that a replica among many reads one by one between two lists: those whose end it is to find, and those of the
 * replicas from which it waits for an attribute.
 *
 * <p>Thread rule: {@link #observe} on the thread of the membership, the rest on any.
 */
final class LeaseReads {

  /** With more of them a list is cheaper. */
  private static final int MAX_READS = 16;

  private final ReplicaLeaseStore store;
  private final ReplicaLeaseTable table;
  private final Clock clock;

  private volatile Set<String> awaited = Set.of();
  private volatile Map<String, Map<String, String>> attributes = Map.of();
  private volatile Duration listPeriod = Duration.ZERO;

  LeaseReads(ReplicaLeaseStore store, ReplicaLeaseTable table, Clock clock) {
    this.store = store;
    this.table = table;
    this.clock = clock;
  }

  /** Sets the holders from which this replica waits for an attribute. */
  void await(Set<String> holders) {
    awaited = Set.copyOf(holders);
  }

  /** Returns the attributes of those that were read since the last list, by holder. */
  Map<String, Map<String, String>> attributes() {
    return attributes;
  }

  /** Returns the time between two lists. */
  Duration listPeriod() {
    return listPeriod;
  }

  /** A list is in the table. */
  void listed() {
    attributes = Map.of();
    listPeriod = table.listPeriod();
  }

  /** Reads the Leases that this replica observes; returns whether no list is needed in place of that. */
  boolean observe(int own) {
    List<String> names = new ArrayList<>(table.observedNames(own));
    for (String holder : awaited) {
      String name = table.nameOf(holder);
      if (name.isEmpty()) {
        return false; // it has joined since the last list
      }
      if (!names.contains(name)) {
        names.add(name);
      }
    }
    if (names.size() > MAX_READS) {
      return false;
    }
    Map<String, Map<String, String>> read = new HashMap<>();
    for (String name : names) {
      long sent = clock.nanos();
      Optional<LeaseRecord> lease = store.lease(name).get();
      if (lease.isEmpty()) {
        return false; // deleted by hand
      }
      table.read(lease.get(), sent, clock.nanos());
      read.put(lease.get().holder(), lease.get().annotations(ReplicaLeaseTable.ATTRIBUTE));
    }
    attributes = Map.copyOf(read);
    return true;
  }
}
