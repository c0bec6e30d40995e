// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.sharding.internal.lease.LeaseRules;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * The membership of this replica after a step, and the permissions that follow from it.
 *
 * <p>Thread rule: immutable.
 *
 * @param held the Lease of this replica, or null
 * @param identity the identity under which it holds or requests a Lease
 * @param deadline when the permission to act on the Lease ends
 * @param attributes the attributes of this replica in its Lease as last stored
 * @param storedAt when the response to the last renewal was received
 * @param pool whether no other generation can have begun to use the pool
 * @param listedAt when the last list was requested
 * @param overrideSeen whether the Lease of another replica has shown an override
 * @param view the last list
 * @param unreachable why the last step failed; empty when it succeeded
 */
record MembershipState(
    ReplicaLeases.@Nullable Held held,
    String identity,
    long deadline,
    Map<String, String> attributes,
    long storedAt,
    boolean pool,
    long listedAt,
    boolean overrideSeen,
    MembershipView view,
    String unreachable) {

  // Copied once: it is read before each attempt.
  MembershipState {
    attributes = Map.copyOf(attributes);
  }

  static MembershipState initial(String identity, long now) {
    return new MembershipState(
        null, identity, 0, Map.of(), now, false, now, false, MembershipView.EMPTY, "");
  }

  MembershipState holding(
      ReplicaLeases.Held lease, long until, Map<String, String> stored, long at) {
    return new MembershipState(
        lease, identity, until, stored, at, pool, listedAt, overrideSeen, view, unreachable);
  }

  MembershipState listed(MembershipView list, boolean newPool, boolean override, long at) {
    return new MembershipState(
        held,
        identity,
        deadline,
        attributes,
        storedAt,
        newPool,
        at,
        overrideSeen || override,
        list,
        unreachable);
  }

  MembershipState released(String newIdentity) {
    return new MembershipState(
        null, newIdentity, 0, Map.of(), storedAt, false, listedAt, overrideSeen, view, unreachable);
  }

  MembershipState unreachable(String why) {
    return new MembershipState(
        held, identity, deadline, attributes, storedAt, pool, listedAt, overrideSeen, view, why);
  }

  boolean mayAct(long now) {
    return held != null && LeaseRules.mayAct(deadline, now);
  }

  boolean othersListed(MembershipOptions options, long now) {
    return held != null && listedAt - held.sinceNanos() >= 0 && isListFresh(options, now);
  }

  private boolean isListFresh(MembershipOptions options, long now) {
    return now - listedAt < options.settle().toNanos();
  }

  /** Returns why the pool may not be used, or an empty text. */
  String poolProblem(MembershipOptions options, boolean resigned, long now) {
    String cause = unreachable.isEmpty() ? "" : ": " + unreachable;
    if (resigned) {
      return "the replica is stopping";
    }
    if (held == null) {
      return unreachable.isEmpty() && view.heldBelow(options.count()) == options.count()
          ? "all " + options.count() + " replica leases are held, by " + view.holders()
          : "no replica lease acquired yet" + cause;
    }
    if (!mayAct(now)) {
      return "the Lease could not be renewed in time" + cause;
    }
    if (options.count() > MembershipOptions.MAX_POOL) {
      return "a pool has at most " + MembershipOptions.MAX_POOL + " replicas";
    }
    if (!pool) {
      return "replicas of another generation use the pool, or may: "
          + view.otherThan(options.generation());
    }
    if (!isListFresh(options, now)) {
      return "the replica leases could not be listed" + cause;
    }
    if (now - held.sinceNanos() < options.settle().toNanos()) {
      return "the replica lease was just acquired; the pool is used "
          + options.settle().toMillis()
          + " ms after that";
    }
    return "";
  }

  ReplicaLeaseStatus status(MembershipOptions options, boolean resigned, long now) {
    String problem = poolProblem(options, resigned, now);
    return new ReplicaLeaseStatus(
        Optional.ofNullable(held)
            .map(lease -> OptionalInt.of(lease.ordinal()))
            .orElseGet(OptionalInt::empty),
        identity,
        !resigned && mayAct(now),
        problem.isEmpty(),
        view.live(),
        options.count(),
        view.taken(now, options.settle()),
        view.released(),
        problem);
  }
}
