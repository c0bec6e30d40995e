// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.controllers;

import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.k8s.client.WriteGuard;
import java.time.Duration;

/**
 * Permits the writes of one build of a controller: always when every replica runs it, otherwise in
 * the term of ownership in which this build was deployed. A later term has a build of its own, so
 * abandoned attempts of an earlier build write nothing in it.
 *
 * <p>Thread rule: any thread.
 */
final class OwnershipGuard implements WriteGuard {

  private static final WriteGuard NOT_DEPLOYED =
      new WriteGuard() {
        @Override
        public Duration timeLeft() {
          return Duration.ZERO;
        }

        @Override
        public String reason() {
          return "the controller does not run on this replica";
        }
      };

  // Open while the definition builds the controller: before that it is unknown which replicas run
  // it.
  private volatile WriteGuard current = OPEN;

  /** The controller is built; if not every replica runs it, writes require a term. */
  void built(Ownership by) {
    current = by == Ownership.EVERYWHERE ? OPEN : NOT_DEPLOYED;
  }

  /** A controller that not every replica runs is deployed in this term. */
  void deployedIn(WriteGuard term) {
    current = term;
  }

  @Override
  public Duration timeLeft() {
    return current.timeLeft();
  }

  @Override
  public String reason() {
    return current.reason();
  }
}
