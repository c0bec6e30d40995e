// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.limiter;

import dev.coxswain.limiter.internal.ClusterShape;
import dev.coxswain.limiter.internal.ReplicaView;
import dev.coxswain.sharding.internal.membership.ReplicaLeaseStatus;
import dev.coxswain.sharding.internal.membership.ReplicaLeases;
import java.util.Collection;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The view of replicas for the shared limiter, from their Leases.
 *
 * <p>Replicas that divide the budgets in different ways could start more retries together than
 * configured. So a replica that finds another way in the Lease of another one, listed after it has
 * written its own, starts no retries until that one has ended. Of two replicas one lists after the
 * other has written.
 */
final class LeaseReplicaView implements ReplicaView {

  /** The key of the shape in the replica Leases. */
  static final String SHAPE = "limiter-shape";

  private final ReplicaLeases leases;
  private final String generation;
  private final String shape;

  /** From when on this replica uses its floor, and under which Lease; null until it may. */
  private volatile @Nullable Begun begun;

  /** Whether replicas with another shape were listed under the present Lease. */
  private boolean waited; // guarded by this

  private record Begun(ReplicaLeases.Held held, Lease lease) {}

  /** Creates a view, and publishes the shape with the next renewal. */
  LeaseReplicaView(ReplicaLeases leases, String generation, ClusterShape shape) {
    this.leases = leases;
    this.generation = generation;
    this.shape = text(shape);
    leases.publish(SHAPE, this.shape);
  }

  private static String text(ClusterShape shape) {
    return shape.maxReplicas() + "/" + shape.floorShare();
  }

  @Override
  public boolean mayAct() {
    return leases.mayAct();
  }

  @Override
  public @Nullable Lease lease() {
    ReplicaLeases.Held held = leases.held().orElse(null);
    if (held == null) {
      return null;
    }
    Begun present = begun;
    return present != null && present.held().equals(held) ? present.lease() : begin(held);
  }

  /** Of two limiters that call this at once, the second one must not have an earlier begin. */
  private synchronized @Nullable Lease begin(ReplicaLeases.Held held) {
    Begun present = begun;
    if (present != null && present.held().equals(held)) {
      return present.lease();
    }
    ReplicaLeases.LeaseList list = leases.lastList().orElse(null);
    if (list == null || list.sent() - held.sinceNanos() < 0) {
      return null; // in a moment
    }
    if (!otherShapes(list.taken(), shape).isEmpty()) {
      waited = true;
      return null;
    }
    // What the floor saved while others divided in another way is not used.
    Lease lease = new Lease(held.ordinal(), waited ? list.received() : held.sinceNanos());
    waited = false;
    begun = new Begun(held, lease);
    return lease;
  }

  @Override
  public String leaseProblem() {
    if (leases.held().isEmpty()) {
      return ReplicaView.super.leaseProblem();
    }
    String others = leases.lastList().map(list -> otherShapes(list.taken(), shape)).orElse("");
    return others.isEmpty()
        ? "the Leases of the other replicas have not been listed yet"
        : "replicas with another membership.maxReplicas or sharedLimiter.floorShare than "
            + shape
            + " run and must end first: "
            + others;
  }

  /** Returns the replicas that divide in another way, with how; those that do not say count as equal. */
  static String otherShapes(Collection<ReplicaLeaseStatus.Taken> taken, String shape) {
    return taken.stream()
        .filter(one -> !one.attributes().getOrDefault(SHAPE, shape).equals(shape))
        .map(one -> one.replica() + " (" + one.attributes().get(SHAPE) + ")")
        .sorted()
        .collect(Collectors.joining(", "));
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
