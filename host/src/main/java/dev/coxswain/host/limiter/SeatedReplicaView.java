// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.limiter;

import dev.coxswain.k8s.membership.ReplicaLeaseStatus;
import dev.coxswain.k8s.membership.ReplicaLeases;
import dev.coxswain.limiter.ReplicaView;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What the shared limiter must know of the replicas, as the Leases of their seats tell it.
 *
 * @param generation of this replica
 */
record SeatedReplicaView(ReplicaLeases seats, String generation) implements ReplicaView {

  @Override
  public boolean mayAct() {
    return seats.mayAct();
  }

  @Override
  public @Nullable Seat seat() {
    return seats.held().map(held -> new Seat(held.ordinal(), held.sinceNanos())).orElse(null);
  }

  @Override
  public int liveReplicas() {
    return seats.liveReplicas();
  }

  @Override
  public boolean isSeated(String address) {
    return seats.status().taken().stream()
        // One that the others may not have seen yet does not count: they would go by fewer seats.
        .filter(ReplicaLeaseStatus.Taken::settled)
        .anyMatch(taken -> address.equals(taken.addresses().get(SharedBudgets.MEMBER)));
  }

  @Override
  public Set<String> memberAddresses() {
    return addresses(seats.status().taken().stream());
  }

  @Override
  public Set<String> joinableAddresses() {
    return joinable(seats.status(), generation);
  }

  static Set<String> joinable(ReplicaLeaseStatus status, String generation) {
    return addresses(
        status.taken().stream().filter(taken -> generation.equals(taken.generation())));
  }

  private static Set<String> addresses(Stream<ReplicaLeaseStatus.Taken> taken) {
    return taken
        .map(one -> one.addresses().get(SharedBudgets.MEMBER))
        .filter(Objects::nonNull)
        .collect(Collectors.toSet());
  }

  @Override
  public boolean poolAllowed() {
    return seats.poolAllowed();
  }

  @Override
  public String poolProblem() {
    return seats.status().problem();
  }

  @Override
  public boolean othersListed() {
    return seats.othersListed();
  }

  @Override
  public boolean overrideSeen() {
    return seats.overrideSeen();
  }
}
