// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

import dev.coxswain.limiter.ReplicaView.Seat;
import org.jspecify.annotations.Nullable;

/**
 * Which replica holds which seat, by Leases that are renewed, expire and are fenced. Replicas are
 * numbers; times are those of the {@link Timeline}.
 *
 * <p>Thread rule: one thread.
 */
final class SimulatedSeats {
  static final long LEASE_NANOS = 1_500_000_000;
  private static final long FENCE_NANOS = 1_200_000_000;

  private final long[] renewedAt;
  private final @Nullable Seat[] held;
  private final long[] freeAt;

  SimulatedSeats(int replicas, int seats) {
    this.renewedAt = new long[replicas];
    this.held = new @Nullable Seat[replicas];
    this.freeAt = new long[seats];
  }

  @Nullable Seat seat(int replica) {
    return held[replica];
  }

  /** Returns whether a replica may do anything: before another can take its seat it may not. */
  boolean mayAct(int replica, long now) {
    return now - renewedAt[replica] < FENCE_NANOS;
  }

  /**
   * A replica renews its Lease, or takes a seat when it has none any more.
   *
   * @param clock what the replica's own clock says
   */
  void renew(int replica, long now, long clock) {
    if (now - renewedAt[replica] >= LEASE_NANOS || held[replica] == null) {
      // Fenced meanwhile, or new: another seat, or the same anew.
      expire(replica);
      take(replica, now, clock);
    }
    renewedAt[replica] = now;
  }

  /** A replica is gone without giving its Lease back: the seat is free when it has expired. */
  void expire(int replica) {
    Seat seat = held[replica];
    if (seat != null) {
      freeAt[seat.ordinal()] = renewedAt[replica] + LEASE_NANOS;
      held[replica] = null;
    }
  }

  private void take(int replica, long now, long clock) {
    for (int i = 0; i < freeAt.length; i++) {
      if (freeAt[i] <= now) {
        freeAt[i] = Long.MAX_VALUE;
        held[replica] = new Seat(i, clock);
        return;
      }
    }
    for (int other = 0; other < held.length; other++) {
      Seat seat = held[other];
      if (seat != null && now - renewedAt[other] >= LEASE_NANOS) { // it is fenced by that
        held[other] = null;
        held[replica] = new Seat(seat.ordinal(), clock);
        return;
      }
    }
  }
}
