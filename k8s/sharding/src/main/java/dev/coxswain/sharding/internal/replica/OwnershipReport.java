// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.replica;

import dev.coxswain.sharding.internal.membership.ReplicaMembership;
import dev.coxswain.sharding.internal.slot.ReplicaSlots;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports to the controllers why this replica cannot own slots, when that has changed.
 *
 * <p>Thread rule: confined to the thread of the slots.
 */
final class OwnershipReport {

  private static final Logger LOG = LoggerFactory.getLogger(OwnershipReport.class);

  /** The time that a replica may be without a Lease, as at each start, before that is a problem. */
  private static final long PATIENCE = Duration.ofSeconds(2).toNanos();

  private final ReplicaMembership membership;
  private final SlotRequests requests;
  private final ShardedControllers controllers;
  private long heldAt;
  private String reported = "";
  private boolean rejected;

  OwnershipReport(
      ReplicaMembership membership,
      SlotRequests requests,
      ShardedControllers controllers,
      long now) {
    this.membership = membership;
    this.requests = requests;
    this.controllers = controllers;
    this.heldAt = now;
  }

  /**
   * Reports the present reason.
   *
   * @param held whether this replica holds a Lease
   * @param known whether the slot map has been read
   * @param problem why the map cannot be used; empty when it can
   */
  void report(boolean held, boolean known, String problem, long now) {
    if (held) {
      heldAt = now;
    }
    String reason = problem;
    if (!held && now - heldAt > PATIENCE) {
      reason = membership.problem();
    } else if (held && !known && !requests.failure().isEmpty()) {
      reason = requests.failure();
    }
    if (!reason.equals(reported)) {
      reported = reason;
      controllers.problem(reason);
    }
  }

  /**
   * Returns why this replica does not accept the slot map, with what to do, and logs when that
   * begins and ends.
   *
   * @param problem why all slots are closed because of the map; empty for no problem
   * @param restart whether the map is usable, after a restart of this replica
   */
  String rejected(String problem, boolean restart) {
    boolean now = !problem.isEmpty() && !problem.equals(ReplicaSlots.REPLACED);
    if (now && !rejected) {
      LOG.atError()
          .addKeyValue("problem", problem)
          .addKeyValue("remedy", restart ? "restart this replica" : "coxswain ctl slots reset")
          .log("slot map not accepted, all slots of this replica are closed");
    } else if (!now && rejected) {
      LOG.atInfo().log("slot map accepted again");
    }
    rejected = now;
    if (now && restart) {
      return problem + "; all slots of this replica are closed until then";
    }
    return now
        ? problem
            + "; all slots of this replica are closed until there is another map: \"coxswain ctl"
            + " slots reset\" deletes it, which is safe, and the replicas make a new one"
        : "";
  }
}
