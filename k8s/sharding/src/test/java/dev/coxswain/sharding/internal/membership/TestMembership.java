// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import dev.coxswain.sharding.internal.slot.SlotDivision;

/** The settings of three replicas. */
public final class TestMembership {

  private TestMembership() {}

  /** Returns the settings with a number of slots. */
  public static Membership of(int slots) {
    return new Membership(
        "default",
        "x",
        "127.0.0.1",
        3,
        Membership.DEFAULT_LEASE_DURATION,
        Membership.DEFAULT_RENEW_PERIOD,
        slots,
        SlotDivision.KEY,
        1);
  }
}
