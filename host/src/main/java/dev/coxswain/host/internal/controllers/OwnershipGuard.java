// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.controllers;

import dev.coxswain.k8s.client.WriteGuard;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * Permits the writes of one build of a controller. Until it is built it is unknown which replicas
 * run it, and everything is permitted.
 *
 * <p>Thread rule: any thread.
 */
final class OwnershipGuard implements WriteGuard {

  private volatile WriteGuard current = OPEN;

  /** The controller is built; from now on this guard decides. */
  void built(WriteGuard guard) {
    current = guard;
  }

  @Override
  public Duration timeLeft() {
    return current.timeLeft();
  }

  @Override
  public String reason() {
    return current.reason();
  }

  @Override
  public void refused() {
    current.refused();
  }

  @Override
  public Consumer<Boolean> sending() {
    return current.sending();
  }

  @Override
  public WriteGuard unbound() {
    return new Unbound();
  }

  /** The guard of writes that belong to no attempt, whenever it was requested. */
  private final class Unbound implements WriteGuard {
    @Override
    public Duration timeLeft() {
      return current.unbound().timeLeft();
    }

    @Override
    public String reason() {
      return current.unbound().reason();
    }

    @Override
    public void refused() {
      current.refused();
    }
  }
}
