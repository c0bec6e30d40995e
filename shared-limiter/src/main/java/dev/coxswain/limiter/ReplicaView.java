// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter;

import dev.coxswain.limiter.member.LimiterMember;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the limiter must know of this replica and the others: who may act is decided elsewhere, by
 * Leases, and never by Hazelcast's membership.
 *
 * <p>Thread rule: any thread. No method blocks; they are called for each retry that starts.
 */
public interface ReplicaView {

  /**
   * The exclusive place of a replica among {@code maxReplicas}.
   *
   * <p>Thread rule: immutable.
   *
   * @param ordinal from 0 to {@code maxReplicas - 1}
   * @param heldSinceNanos when this process took the Lease, of {@link System#nanoTime}: not before
   *     its last holder had given it up or was fenced. Taken anew it is a new time, so that what
   *     the Lease had saved up is never used twice
   */
  record Lease(int ordinal, long heldSinceNanos) {}

  /**
   * Returns whether this replica's own Lease is live by its own monotonic clock: it says false
   * before the Lease can be taken by another. While it is false no retry is started at all.
   */
  boolean mayAct();

  /** Returns the Lease that this replica holds, or null while it has none and may start nothing. */
  @Nullable Lease lease();

  /**
   * Returns the largest number of live replicas that was seen during the last lease duration, this
   * one included, at least 1: a view that lags behind cannot make a minority look like a majority.
   */
  int liveReplicas();

  /**
   * Returns whether the Hazelcast member at an address belongs to one of the replicas that {@link
   * #liveReplicas} counts. Only those count towards a majority: replicas without a Lease run a
   * member as well, and with them two halves of a cluster could both be more than half of the
   * Leases.
   *
   * @param address host and port, as {@link LimiterStatus#address} gives them on that replica
   */
  boolean holdsLease(String address);

  /**
   * Returns the addresses that the replicas with a Lease have given for their Hazelcast members,
   * this one's included, whether or not they count yet. A replica whose member has not joined yet
   * has given none.
   */
  Set<String> memberAddresses();

  /**
   * Returns those of the {@link #memberAddresses} whose members are of this replica's generation: a
   * member can join no others. All of them where there is only one generation.
   */
  default Set<String> joinableAddresses() {
    return memberAddresses();
  }

  /**
   * Returns whether this replica may use the common part of the budget: not while that belongs to
   * replicas of another generation, with which this one cannot share a Hazelcast cluster, nor while
   * the others cannot be seen.
   */
  boolean poolAllowed();

  /** Returns in words why {@link #poolAllowed} is false; anything when it is true. */
  String poolProblem();

  /**
   * Returns whether the Leases of all replicas have been listed since this replica took its Lease,
   * and recently, so that {@link #overrideSeen} is up to date. False, the default, means that a
   * replica that the pool has not answered yet leaves its floor unused for two Lease durations.
   */
  default boolean othersListed() {
    return false;
  }

  /**
   * Returns whether the Lease of another replica has ever shown to this process that an override
   * may be in force: what {@link LimiterMember#mayBeOverridden} returns there, or nothing at all.
   * Stays true once it is.
   */
  default boolean overrideSeen() {
    return false;
  }

  /**
   * Returns a view that never changes, for tests and for a host without Leases.
   *
   * @param lease the Lease that is held, or null for none
   * @param liveReplicas the number of replicas
   */
  static ReplicaView fixed(@Nullable Lease lease, int liveReplicas) {
    return new Fixed(lease, liveReplicas);
  }

  /** A view that never changes; see {@link ReplicaView#fixed}. */
  record Fixed(@Nullable Lease lease, int liveReplicas) implements ReplicaView {
    public Fixed {
      if (liveReplicas < 1) {
        throw new IllegalArgumentException("there is at least one replica: " + liveReplicas);
      }
    }

    @Override
    public boolean mayAct() {
      return true;
    }

    @Override
    public boolean holdsLease(String address) {
      return true;
    }

    @Override
    public Set<String> memberAddresses() {
      return Set.of();
    }

    @Override
    public boolean poolAllowed() {
      return true;
    }

    @Override
    public String poolProblem() {
      return "";
    }

    @Override
    public String toString() {
      return "lease " + Objects.toString(lease, "none") + " of " + liveReplicas;
    }
  }
}
