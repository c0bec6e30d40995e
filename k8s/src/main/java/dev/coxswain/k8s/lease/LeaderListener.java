// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.lease;

/**
 * Hears of leadership. Both may come again and again: a lost leadership can be won back.
 *
 * <p>Thread rule: called on one virtual thread of the election, in order. A call that does not
 * return holds up the next one; start and stop work elsewhere.
 */
public interface LeaderListener {

  /** This process leads from now on. */
  void onStartedLeading();

  /** This process does not lead any more; what it had begun must come to an end. */
  void onStoppedLeading();

  /**
   * Somebody has been seen to lead.
   *
   * @param identity who, possibly this process
   */
  default void onNewLeader(String identity) {}

  /**
   * The Lease cannot be read or written, or can be again.
   *
   * @param problem why, with the missing right if one is missing; empty when it can be used again
   */
  default void onProblem(String problem) {}
}
