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
 * The view of replicas for the shared limiter, from their Leases.
 *
 * @param generation of this replica
 */
record LeaseReplicaView(ReplicaLeases leases, String generation) implements ReplicaView {

  @Override
  public boolean mayAct() {
    return leases.mayAct();
  }

  @Override
  public @Nullable Lease lease() {
    return leases.held().map(held -> new Lease(held.ordinal(), held.sinceNanos())).orElse(null);
  }

  @Override
  public int liveReplicas() {
    return leases.liveReplicas();
  }

  @Override
  public boolean holdsLease(String address) {
    return leases.status().taken().stream()
        // A Lease that other replicas may not have read yet does not count: they would divide by
        // fewer.
        .filter(ReplicaLeaseStatus.Taken::settled)
        .anyMatch(taken -> address.equals(taken.addresses().get(SharedBudgets.MEMBER)));
  }

  @Override
  public Set<String> memberAddresses() {
    return addresses(leases.status().taken().stream());
  }

  @Override
  public Set<String> joinableAddresses() {
    return joinable(leases.status(), generation);
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
    return leases.poolAllowed();
  }

  @Override
  public String poolProblem() {
    return leases.status().problem();
  }

  @Override
  public boolean othersListed() {
    return leases.othersListed();
  }

  @Override
  public boolean overrideSeen() {
    return leases.overrideSeen();
  }
}
