// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.ownership;

import dev.coxswain.controller.ControllerOptions.Ownership;

/**
 * Admits controllers to run on this replica, as far as no other replica runs them with another
 * ownership.
 *
 * <p>Thread rule: any thread; nothing blocks.
 */
public interface ControllerGate {

  /** Admits everything, for replicas that share nothing. */
  ControllerGate OPEN =
      new ControllerGate() {
        @Override
        public boolean admits(String controller, Ownership ownership, boolean wanted) {
          return wanted;
        }

        @Override
        public String ended(String controller) {
          return "";
        }

        @Override
        public long epoch(String controller) {
          return 0;
        }

        @Override
        public void removed(String controller) {}

        @Override
        public void onChange(Runnable listener) {}
      };

  /**
   * Stores whether this replica is to run a controller, and returns whether it may. A controller
   * that was admitted counts as running until {@link #ended}.
   *
   * @param wanted whether it is to run here, by the slots of this replica
   */
  boolean admits(String controller, Ownership ownership, boolean wanted);

  /**
   * The controller does not run, and nothing of it is starting or stopping.
   *
   * @return what keeps it from running; empty when nothing does, or that is not known yet
   */
  String ended(String controller);

  /**
   * Returns the epoch of a controller that is admitted: no replica has run it in a higher one with
   * another ownership. That of a controller that every replica runs is the same on all of them, as
   * soon as they have compared; 0 on a replica that has not held a Lease yet.
   */
  long epoch(String controller);

  /** This replica has the controller no more, and nothing of it runs. */
  void removed(String controller);

  /** Sets what is called when the answer for any controller has changed, on any thread. */
  void onChange(Runnable listener);
}
