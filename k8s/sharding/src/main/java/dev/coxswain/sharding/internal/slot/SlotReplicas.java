// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One consistent list of the replica Leases: never one from a cache of the server.
 *
 * <p>Thread rule: immutable.
 *
 * @param live the Leases with a holder, expired or not, by ordinal
 * @param lastHolders the last holders that the Leases name: each has stopped, or its deadline has
 *     passed
 * @param sent when the list was requested
 * @param received when the response was received
 */
public record SlotReplicas(List<Replica> live, Set<String> lastHolders, long sent, long received) {

  /**
   * One live replica, as its Lease describes it.
   *
   * @param weight its share of the slots relative to others; 0 for none
   * @param leaving whether it is to hand its slots over and end
   * @param version the version of the host; two versions at once are a roll-out
   * @param follows the uid of the map that it follows, see {@link ReplicaSlots#announced}; empty
   *     for none
   * @param silent whether its Lease has not been renewed for half of its duration: it has probably
   *     ended, together with another one, and gets no slots
   */
  public record Replica(
      String identity,
      int ordinal,
      int weight,
      boolean leaving,
      String version,
      String follows,
      boolean silent) {

    /** Creates a replica that renews its Lease. */
    public Replica(
        String identity, int ordinal, int weight, boolean leaving, String version, String follows) {
      this(identity, ordinal, weight, leaving, version, follows, false);
    }

    public Replica {
      if (weight < 0) {
        throw new IllegalArgumentException("a weight must not be negative: " + weight);
      }
    }

    /** Returns whether it has a share of the slots. */
    boolean isEligible() {
      return !leaving && weight > 0;
    }

    /** Returns what the planner needs to be calm about. */
    Replica withoutMap() {
      return new Replica(identity, ordinal, weight, leaving, version, "", false);
    }
  }

  public SlotReplicas {
    live = live.stream().sorted(Comparator.comparingInt(Replica::ordinal)).toList();
    lastHolders = Set.copyOf(lastHolders);
  }

  /** Returns the live replica of an identity. */
  public Optional<Replica> find(String identity) {
    return live.stream().filter(replica -> replica.identity().equals(identity)).findFirst();
  }

  /**
   * Returns how many live replicas come before this one as planner. The first plans at once; another
   * one waits a little for each before it, since two planners are harmless and wasteful. Replicas
   * that are not in the list come last.
   */
  public int rank(String identity) {
    int rank = 0;
    for (Replica replica : live) {
      if (replica.identity().equals(identity)) {
        return rank;
      }
      rank++;
    }
    return rank;
  }
}
