// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.slot;

/**
 * The times of planned moves, in the unit of the monotonic clock. None matters for safety.
 *
 * <p>Thread rule: immutable.
 *
 * @param calm how long the replicas must be the same before slots move for balance
 * @param rollOutCalm the same while two versions of the host are present
 * @param prepare how long the owner keeps working while the target reports nothing
 * @param load how long it keeps working while the target reports that it loads what it needs
 * @param close how long running attempts may take to end before the owner keeps the slot
 * @param leave how long a leaving replica may take to hand its slots over
 */
public record MoveTimes(
    long calm, long rollOutCalm, long prepare, long load, long close, long leave) {

  private static final int TURN_PART = 20;
  private static final int PAUSE_PART = 200;
  private static final int SOON_PART = 100;

  public MoveTimes {
    if (calm < 0 || rollOutCalm < calm || prepare < 0 || load < prepare || close < 0 || leave < 0) {
      throw new IllegalArgumentException(
          "times must not be negative, the calm of a roll-out not below the usual one, and the"
              + " time for a load not below that for none");
    }
  }

  /**
   * How long a replica lets others hand their slots over before it closes its own. Of two that store
   * hand-overs at the same time one is refused and stores again, while its slots have no owner.
   */
  long turn() {
    return prepare / TURN_PART;
  }

  /**
   * How long the map must be the same before slots are closed, within that time: what was handed over
   * before is opened meanwhile.
   */
  long pause() {
    return prepare / PAUSE_PART;
  }

  /** How long after its close a slot is usually handed over. */
  long soon() {
    return close / SOON_PART;
  }
}
