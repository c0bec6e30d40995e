// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.controllers;

import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.k8s.client.WriteGuard;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * Lets a controller write as long as this replica owns what it works on: always when every replica
 * runs it, otherwise while the Lease is held.
 *
 * <p>Thread rule: any thread.
 */
final class OwnershipGuard implements WriteGuard {

  private final Supplier<WriteGuard> owner;

  // Who runs a controller is known when it has been built; it is built on every replica.
  private volatile Ownership ownership = Ownership.EVERYWHERE;

  OwnershipGuard(Supplier<WriteGuard> owner) {
    this.owner = owner;
  }

  void built(Ownership by) {
    ownership = by;
  }

  private WriteGuard current() {
    return ownership == Ownership.EVERYWHERE ? OPEN : owner.get();
  }

  @Override
  public Duration timeLeft() {
    return current().timeLeft();
  }

  @Override
  public String reason() {
    return current().reason();
  }
}
