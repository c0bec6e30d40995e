// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.sharding.internal.lease.LeaseOptions;
import dev.coxswain.sharding.internal.lease.MemoryLeases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The laws of a membership, checked after each event of a simulation. */
final class MembershipChecks {

  private static final int ENOUGH = 20;

  /** The settling time of {@link LeaseOptions#DEFAULT}, by the slowest clock. */
  private static final Duration LONGEST_VIEW = Duration.ofMillis(5_010);

  private final MemoryLeases server;
  private final List<String> violations = new ArrayList<>();
  private final Set<String> poolUsers = new TreeSet<>();
  private final Set<String> identities = new TreeSet<>();
  private long overrideShownSince = Long.MAX_VALUE;
  private int freeOfOverrides;
  private int longShown;

  /** A replica at one moment. */
  record Observed(
      String name,
      int tenure,
      String generation,
      ReplicaLeaseHolder holder,
      boolean mayBeOverridden) {}

  MembershipChecks(MemoryLeases server) {
    this.server = server;
  }

  List<String> violations() {
    return violations;
  }

  /** How many times a Lease was acquired. */
  int takeovers() {
    return identities.size();
  }

  Set<String> poolUsers() {
    return poolUsers;
  }

  /** How often a replica was seen that ruled out overrides. */
  int freeOfOverrides() {
    return freeOfOverrides;
  }

  /** How often one was seen that had a view, while an override had been shown for long. */
  int longShown() {
    return longShown;
  }

  void check(long now, List<Observed> replicas) {
    if (violations.size() >= ENOUGH) {
      return;
    }
    String time = Duration.ofNanos(now).toSeconds() + " s: ";
    checkHolders(time, replicas);
    checkOverrides(time, now, replicas);
    checkPool(time, replicas.stream().filter(replica -> replica.holder.poolAllowed()).toList());
  }

  private void checkHolders(String time, List<Observed> replicas) {
    Map<Integer, String> holders = new HashMap<>();
    for (Observed replica : replicas) {
      if (replica.holder.mayAct()) {
        identities.add(replica.name + replica.tenure);
        String other = holders.put(replica.holder.held().orElseThrow().ordinal(), replica.name);
        if (other != null) {
          violations.add(time + "a Lease has two holders, " + replica.name + " and " + other);
        }
      }
    }
  }

  private void checkPool(String time, List<Observed> users) {
    Set<String> generations = new TreeSet<>();
    users.forEach(user -> generations.add(user.generation));
    poolUsers.addAll(generations);
    if (generations.size() > 1) {
      violations.add(time + "the pool is used by " + generations);
    }
    for (Observed user : users) {
      if (user.holder.liveReplicas() < users.size()) {
        violations.add(
            time
                + user.name
                + " counts "
                + user.holder.liveReplicas()
                + " of the "
                + users.size()
                + " users of the pool");
      }
    }
  }

  /**
   * Every replica with a view has seen the overrides that the Leases have shown for longer than a
   * view may be old; the replica that has shown one may be gone by then.
   */
  private void checkOverrides(String time, long now, List<Observed> replicas) {
    boolean shown =
        server.list().stream()
            .anyMatch(lease ->
                !lease.holder().isEmpty()
                    && lease
                        .annotation(ReplicaLeaseTable.OVERRIDE)
                        .equals(ReplicaLeaseTable.override(true, lease.holder())));
    overrideShownSince = shown ? Math.min(overrideShownSince, now) : Long.MAX_VALUE;
    boolean longSince =
        overrideShownSince < now && now - overrideShownSince > LONGEST_VIEW.toNanos();
    for (Observed replica : replicas) {
      longShown += longSince && replica.holder.othersListed() ? 1 : 0;
      if (replica.holder.othersListed() && !replica.mayBeOverridden) {
        freeOfOverrides++;
        if (longSince) {
          violations.add(time + replica.name + " has not seen an override shown for long");
        }
      }
    }
  }
}
