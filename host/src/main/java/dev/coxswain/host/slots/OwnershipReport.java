// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.slots;

import dev.coxswain.host.membership.ReplicaMembership;
import java.time.Duration;

/**
 * Reports to the controllers why this replica cannot own slots, when that has changed.
 *
 * <p>Thread rule: confined to the thread of the slots.
 */
final class OwnershipReport {

  /** The time that a replica may be without a Lease, as at each start, before that is a problem. */
  private static final long PATIENCE = Duration.ofSeconds(2).toNanos();

  private final ReplicaMembership membership;
  private final SlotRequests requests;
  private final SlotControllers controllers;
  private long heldAt;
  private String reported = "";

  OwnershipReport(
      ReplicaMembership membership, SlotRequests requests, SlotControllers controllers, long now) {
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
}
