// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.lease;

import dev.coxswain.k8s.client.ApiStatusException;
import java.util.Optional;

/**
 * The store of one Lease. All methods block and throw {@link ApiStatusException}.
 *
 * <p>Thread rule: any thread that may block.
 */
public interface LeaseStore {

  /** Returns the Lease, or empty when there is none. */
  Optional<LeaseRecord> get();

  /** Creates the Lease; a conflict when it exists. */
  LeaseRecord create(LeaseRecord lease);

  /** Replaces the Lease; a conflict when its version is not the stored one. */
  LeaseRecord update(LeaseRecord lease);
}
