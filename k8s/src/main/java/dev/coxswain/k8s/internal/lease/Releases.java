// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.lease;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.spi.Clock;
import java.util.Optional;

/** Release of a Lease whose stored version the holder does not have. */
public final class Releases {

  /** How often a conflict leads to a retry; then the Lease is left to expire. */
  public static final int ATTEMPTS = 5;

  private Releases() {}

  /**
   * Reads the Lease and releases it when {@code identity} holds it. Each try compares the holder
   * anew and replaces exactly the version that was read, so the Lease of another holder is never
   * touched.
   *
   * @throws ApiStatusException when the request fails, or each of {@link #ATTEMPTS} tries ended
   *     with a conflict
   */
  public static void release(LeaseStore store, String identity, Clock clock) {
    for (int attempt = 1; ; attempt++) {
      Optional<LeaseRecord> found = store.get();
      if (found.isEmpty() || !found.get().holder().equals(identity)) {
        return;
      }
      try {
        store.update(found.get().released(clock.instant()));
        return;
      } catch (ApiStatusException e) {
        if (!e.isConflict() || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }
}
