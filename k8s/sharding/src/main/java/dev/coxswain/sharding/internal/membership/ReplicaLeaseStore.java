// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.sharding.internal.lease.LeaseRecord;
import dev.coxswain.sharding.internal.lease.LeaseStore;
import java.util.List;

/**
 * The store of the replica Leases.
 *
 * <p>Thread rule: any thread that may block.
 */
public interface ReplicaLeaseStore {

  /**
   * Returns the labelled Leases, as they are at one moment, not older. Blocks and throws {@link
   * dev.coxswain.k8s.client.ApiStatusException}.
   */
  List<LeaseRecord> list();

  /** Returns the store of the Lease of this name, labelled or not. */
  LeaseStore lease(String name);
}
