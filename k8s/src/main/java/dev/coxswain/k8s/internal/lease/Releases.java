// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.lease;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.spi.Clock;
import java.util.Optional;

/** Gives a Lease back to which its holder does not know the stored version. */
public final class Releases {

  /** How often a conflict leads to another look; then the Lease is left to expire. */
  public static final int ATTEMPTS = 5;

  private Releases() {}

  /**
   * Reads the Lease and releases it when {@code identity} holds it. Each try compares the holder
   * anew and replaces exactly the version that was read, so the Lease of another holder is never
   * touched.
   *
   * @throws ApiStatusException when the server does not answer, refuses, or has answered each of
   *     {@link #ATTEMPTS} tries with a conflict
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
