// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.sharding.internal.lease.LeaseRecord;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;

/**
 * The annotations that this replica publishes in its Lease: its generation, its use of the pool, an
 * override, and the addresses and attributes that the host adds.
 *
 * <p>Thread rule: any thread.
 */
final class LeaseAnnotations {
  private final MembershipOptions options;
  private final BooleanSupplier mayBeOverridden;

  /** What the host adds, by the whole key. */
  private final Map<String, String> published = new ConcurrentHashMap<>();

  private volatile boolean changed;

  LeaseAnnotations(MembershipOptions options, BooleanSupplier mayBeOverridden) {
    this.options = options;
    this.mayBeOverridden = mayBeOverridden;
  }

  void announce(String key, String value) {
    published.put(ReplicaLeaseTable.ADDRESS + key, value);
    changed = true;
  }

  void publish(String key, String value) {
    published.put(ReplicaLeaseTable.ATTRIBUTE + key, value);
    changed = true;
  }

  /** Requests a renewal, as a change does. */
  void wantRenewal() {
    changed = true;
  }

  /** Returns whether a renewal is wanted since {@link #renewing}. */
  boolean isRenewalWanted() {
    return changed;
  }

  /** Called before {@link #mark}: a later change wants another renewal. */
  void renewing() {
    changed = false;
  }

  /** Returns a Lease with the present annotations. */
  LeaseRecord mark(LeaseRecord lease, String identity, boolean pool) {
    Map<String, String> all = new TreeMap<>(published);
    all.put(ReplicaLeaseTable.GENERATION, options.generation());
    all.put(ReplicaLeaseTable.POOL, pool ? ReplicaLeaseTable.POOL_ON : "off");
    boolean may = mayBeOverridden.getAsBoolean();
    all.put(ReplicaLeaseTable.OVERRIDE, ReplicaLeaseTable.override(may, identity));
    return lease.marked(ReplicaLeaseTable.LABEL, options.prefix(), all);
  }
}
