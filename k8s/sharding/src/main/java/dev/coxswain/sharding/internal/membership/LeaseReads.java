// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.sharding.internal.lease.LeaseRecord;
import dev.coxswain.spi.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
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

  /** With more of them a list is better: each read takes a while. */
  private static final int MAX_READS = 8;

  private final ReplicaLeaseStore store;
  private final ReplicaLeaseTable table;
  private final Clock clock;

  /** The awaited holders that were in no list, and for which one was made. */
  private final Set<String> listedFor = new HashSet<>();

  private int next;
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

  /**
   * Reads the Leases that this replica observes, as many as there is time for, and the others the next time.
   *
   * @param until when to stop, so that the own Lease is renewed in time also if each request takes long
   * @return false when a list is needed instead
   */
  boolean observe(int own, long until) {
    List<String> names = new ArrayList<>(table.observedNames(own));
    listedFor.retainAll(awaited);
    for (String holder : awaited) {
      String name = table.nameOf(holder);
      if (name.isEmpty()) {
        if (listedFor.add(holder)) {
          return false; // it may have joined since the last list
        }
      } else if (!names.contains(name)) {
        names.add(name);
      }
    }
    if (names.size() > MAX_READS) {
      return false;
    }
    Map<String, Map<String, String>> read = new HashMap<>(attributes);
    for (int i = 0; i < names.size() && clock.nanos() - until < 0; i++) {
      if (!read(names.get(Math.floorMod(next++, names.size())), read)) {
        return false;
      }
    }
    attributes = Map.copyOf(read);
    return true;
  }

  private boolean read(String name, Map<String, Map<String, String>> read) {
    try {
      long sent = clock.nanos();
      Optional<LeaseRecord> lease = store.lease(name).get();
      if (lease.isEmpty() || !table.read(lease.get(), sent, clock.nanos())) {
        return false; // deleted by hand; or released, or held by another replica
      }
      read.put(lease.get().holder(), lease.get().annotations(ReplicaLeaseTable.ATTRIBUTE));
      return true;
    } catch (ApiStatusException e) {
      return false; // the list fails as well, or needs other rights
    }
  }
}
