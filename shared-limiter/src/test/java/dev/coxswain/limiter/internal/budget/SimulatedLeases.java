// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal.budget;

import dev.coxswain.limiter.internal.ReplicaView.Lease;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Which replica holds which Lease, by Leases that are renewed, expire and are fenced, and what each
 * of them shows of an override. Replicas are numbers; times are those of the {@link Timeline}.
 *
 * <p>Thread rule: one thread.
 */
final class SimulatedLeases {
  static final long LEASE_NANOS = 1_500_000_000;
  private static final long FENCE_NANOS = 1_200_000_000;
  private static final long SETTLE_NANOS = 600_000_000;

  private final long[] renewedAt;
  private final @Nullable Lease[] held;
  private final long[] freeAt;
  private final boolean[] shown;
  private final boolean[] seen;

  SimulatedLeases(int replicas, int count) {
    this.renewedAt = new long[replicas];
    this.held = new @Nullable Lease[replicas];
    this.freeAt = new long[count];
    this.shown = new boolean[count];
    this.seen = new boolean[replicas];
  }

  /** A replica begins as another process, which has seen nothing. */
  void begin(int replica) {
    seen[replica] = false;
  }

  /** Returns whether a replica has listed the Leases recently; it lists them at each renewal. */
  boolean listed(int replica, long now) {
    return held[replica] != null && now - renewedAt[replica] < SETTLE_NANOS;
  }

  /** Returns whether the Lease of another has shown an override to this process of a replica. */
  boolean overrideSeen(int replica) {
    return seen[replica];
  }

  private void list(int replica, long now) {
    Lease own = held[replica];
    for (int i = 0; i < shown.length; i++) {
      boolean another = freeAt[i] > now && (own == null || own.ordinal() != i);
      seen[replica] |= another && shown[i];
    }
  }

  @Nullable Lease lease(int replica) {
    return held[replica];
  }

  /** Returns whether a replica may do anything: before another can take its Lease it may not. */
  boolean mayAct(int replica, long now) {
    return now - renewedAt[replica] < FENCE_NANOS;
  }

  /**
   * A replica renews its Lease, or acquires a Lease when it has none any more.
   *
   * @param clock what the replica's own clock says
   * @param mayBeOverridden what the replica shows, as of when its Lease is written
   */
  void renew(int replica, long now, long clock, BooleanSupplier mayBeOverridden) {
    if (now - renewedAt[replica] >= LEASE_NANOS || held[replica] == null) {
      // Fenced meanwhile, or new: another Lease, or the same anew.
      expire(replica);
      list(replica, now);
      take(replica, now, clock);
    }
    renewedAt[replica] = now;
    Lease lease = held[replica];
    if (lease != null) {
      shown[lease.ordinal()] = mayBeOverridden.getAsBoolean();
      list(replica, now);
    }
  }

  /** A replica is gone without giving its Lease back: the Lease is free when it has expired. */
  void expire(int replica) {
    Lease lease = held[replica];
    if (lease != null) {
      freeAt[lease.ordinal()] = renewedAt[replica] + LEASE_NANOS;
      held[replica] = null;
    }
  }

  private void take(int replica, long now, long clock) {
    for (int i = 0; i < freeAt.length; i++) {
      if (freeAt[i] <= now) {
        freeAt[i] = Long.MAX_VALUE;
        held[replica] = new Lease(i, clock);
        return;
      }
    }
    for (int other = 0; other < held.length; other++) {
      Lease lease = held[other];
      if (lease != null && now - renewedAt[other] >= LEASE_NANOS) { // it is fenced by that
        held[other] = null;
        held[replica] = new Lease(lease.ordinal(), clock);
        return;
      }
    }
  }
}
