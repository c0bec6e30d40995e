// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.lease;

/**
 * A listener for changes of leadership, which may be lost and won repeatedly.
 *
 * <p>Thread rule: called on one virtual thread of the election, in order. A call that does not
 * return delays the next one; start and stop work on other threads.
 */
public interface LeaderListener {

  /** This process leads from now on. */
  void onStartedLeading();

  /** This process does not lead any more; work that was started must end. */
  void onStoppedLeading();

  /**
   * A new leader was observed.
   *
   * @param identity the leader, possibly this process
   */
  default void onNewLeader(String identity) {}

  /**
   * The Lease became unusable, or usable again.
   *
   * @param problem why, with the missing right if one is missing; empty when it can be used again
   */
  default void onProblem(String problem) {}
}
