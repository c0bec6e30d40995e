// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.lease;

import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.spi.Clock;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Release of a Lease whose stored version the holder does not have. */
public final class Releases {

  /** The number of retries after conflicts; then the Lease is left to expire. */
  public static final int ATTEMPTS = 5;

  private static final Logger log = LoggerFactory.getLogger(Releases.class);

  private Releases() {}

  /**
   * Reads the Lease and releases it when {@code identity} holds it. Each try compares the holder
   * anew and replaces exactly the version that was read, so the Lease of another holder is never
   * touched. After a failed request, or {@link #ATTEMPTS} conflicts, the Lease is left to expire.
   */
  public static void release(LeaseStore store, String identity, Clock clock) {
    for (int attempt = 1; ; attempt++) {
      try {
        Optional<LeaseRecord> found = store.get();
        if (found.isPresent() && found.get().holder().equals(identity)) {
          store.update(found.get().releasedByHolder(clock.instant()));
        }
        return;
      } catch (ApiStatusException e) {
        if (!e.isConflict() || attempt == ATTEMPTS) {
          log.atInfo()
              .addKeyValue("identity", identity)
              .addKeyValue("problem", e.getMessage())
              .log("lease could not be released, it expires");
          return;
        }
      }
    }
  }
}
