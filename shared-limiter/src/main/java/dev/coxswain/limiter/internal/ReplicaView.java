// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.limiter.internal;

import dev.coxswain.limiter.internal.member.LimiterMember;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state of this replica and of the others, as the limiter needs it. Leases decide which
 * replicas may act; Hazelcast's membership never does.
 *
 * <p>Thread rule: any thread. No method blocks; they are called for each retry that starts.
 */
public interface ReplicaView {

  /**
   * The Lease that a replica holds, one of {@code maxReplicas}.
   *
   * <p>Thread rule: immutable.
   *
   * @param ordinal from 0 to {@code maxReplicas - 1}
   * @param heldSinceNanos when this process took the Lease, by {@link System#nanoTime}: not before
   *     its last holder had released it or was fenced. It is a new time whenever the Lease is taken
   *     again, so that saved tokens of the floor are never used twice
   */
  record Lease(int ordinal, long heldSinceNanos) {}

  /**
   * Returns whether this replica's Lease is live by its own monotonic clock. It returns false
   * before another replica can take the Lease. No retry is started while it is false.
   */
  boolean mayAct();

  /** Returns the Lease that this replica holds, or null when it has none and may start no retry. */
  @Nullable Lease lease();

  /** Returns why {@link #lease} is null, without what follows from it; undefined when it is not. */
  default String leaseProblem() {
    return "this replica holds no Lease";
  }

  /**
   * Returns the largest number of live replicas during the last lease duration, this one included,
   * at least 1. With the largest number an outdated view cannot make a minority look like a
   * majority.
   */
  int liveReplicas();

  /**
   * Returns whether the Hazelcast member at an address belongs to one of the replicas that {@link
   * #liveReplicas} counts. Only those count towards a majority. Replicas without a Lease run a
   * member too, and if they counted, two parts of a cluster could both be a majority.
   *
   * @param address host and port, as {@link LimiterStatus#address} gives them on that replica
   */
  boolean holdsLease(String address);

  /**
   * Returns the addresses of the Hazelcast members that the replicas with a Lease have published,
   * this one's included, counted or not. A replica publishes an address when its member has joined.
   */
  Set<String> memberAddresses();

  /**
   * Returns those of the {@link #memberAddresses} whose members have this replica's generation,
   * which are the only ones that a member can join. The default returns all.
   */
  default Set<String> joinableAddresses() {
    return memberAddresses();
  }

  /**
   * Returns whether this replica may use the pool. It may not while the pool belongs to replicas of
   * another generation, which cannot share a Hazelcast cluster with this one, or while the Leases
   * of the others cannot be read.
   */
  boolean poolAllowed();

  /** Returns the reason when {@link #poolAllowed} is false; undefined when it is true. */
  String poolProblem();

  /**
   * Returns whether the Leases of all replicas have been listed since this replica took its Lease,
   * and recently, so that {@link #overrideSeen} is up to date. While it is false, the default, a
   * replica without a reply from the pool does not use its floor for the first two lease durations.
   */
  default boolean othersListed() {
    return false;
  }

  /**
   * Returns whether the Lease of another replica has ever shown that an override may be in force:
   * {@link LimiterMember#mayBeOverridden} was true there, or the Lease did not state it. Once true
   * it stays true.
   */
  default boolean overrideSeen() {
    return false;
  }

  /**
   * Returns a constant view, for tests and for a host without Leases.
   *
   * @param lease the Lease that is held, or null for none
   * @param liveReplicas the number of replicas
   */
  static ReplicaView fixed(@Nullable Lease lease, int liveReplicas) {
    return new Fixed(lease, liveReplicas);
  }

  /** A constant view; see {@link ReplicaView#fixed}. */
  record Fixed(@Nullable Lease lease, int liveReplicas) implements ReplicaView {
    public Fixed {
      if (liveReplicas < 1) {
        throw new IllegalArgumentException(
            "liveReplicas: expected at least 1, found " + liveReplicas);
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
