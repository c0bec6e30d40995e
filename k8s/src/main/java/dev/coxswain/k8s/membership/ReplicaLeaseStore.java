// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.membership;

import dev.coxswain.k8s.internal.lease.LeaseRecord;
import dev.coxswain.k8s.internal.lease.LeaseStore;
import java.util.List;
import java.util.Optional;

/**
 * The store of the replica Leases. All methods block and throw {@link
 * dev.coxswain.k8s.client.ApiStatusException}.
 *
 * <p>Thread rule: any thread that may block.
 */
public interface ReplicaLeaseStore {

  /** Returns the labelled Leases, as they are at one moment, not older. */
  List<LeaseRecord> list();

  /** Returns a Lease, labelled or not, or empty when there is none. */
  Optional<LeaseRecord> get(String name);

  /** Creates a Lease; a conflict when it exists. */
  LeaseRecord create(LeaseRecord lease);

  /** Replaces a Lease; a conflict when its version is not the stored one. */
  LeaseRecord update(LeaseRecord lease);

  /** Returns the store of the one Lease of this name. */
  default LeaseStore lease(String name) {
    ReplicaLeaseStore all = this;
    return new LeaseStore() {
      @Override
      public Optional<LeaseRecord> get() {
        return all.get(name);
      }

      @Override
      public LeaseRecord create(LeaseRecord lease) {
        return all.create(lease);
      }

      @Override
      public LeaseRecord update(LeaseRecord lease) {
        return all.update(lease);
      }
    };
  }
}
