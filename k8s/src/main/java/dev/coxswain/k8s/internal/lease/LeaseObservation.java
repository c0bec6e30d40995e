// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.internal.lease;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * When this process saw the last change of a Lease, on its own monotonic clock. The times inside
 * the Lease come from another clock and are never looked at.
 *
 * <p>Thread rule: confined to one thread.
 */
public final class LeaseObservation {

  private String version = "";
  private long seenAt;

  /** Notes what is stored, as seen at {@code now}. */
  public void observe(LeaseRecord lease, long now) {
    if (!lease.resourceVersion().equals(version)) {
      version = lease.resourceVersion();
      seenAt = now;
    }
  }

  /**
   * Returns how long the holder must still be believed to hold it; zero when it has expired.
   *
   * @param lease what was observed last
   * @param otherwise for how long a Lease is held that does not say
   */
  public Duration left(LeaseRecord lease, long now, Duration otherwise) {
    long held = TimeUnit.SECONDS.toNanos(lease.durationSeconds(otherwise.toSeconds()));
    return Duration.ofNanos(Math.max(0, held - (now - seenAt)));
  }
}
