// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.spi;

import dev.coxswain.controller.ControllerHandle;
import io.vertx.core.Future;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Keeps which controllers are paused: for all replicas, and beyond their restart.
 *
 * <p>Thread rule: called on the admin API's event loop, where the futures complete; no method
 * blocks. A future fails when it was not kept; whether it was is then seen by all replicas alike,
 * since all of them follow what is kept.
 */
public interface PauseStore {

  /** Keeps a pause in place of the one that the controller may have. */
  Future<Void> pause(String controller, Pause pause);

  /** Forgets the pause of a controller, if it has one. */
  Future<Void> resume(String controller);

  /**
   * Has a controller of this replica follow what is kept for it by now, which may be something else
   * than was kept last through this replica; completes when it does.
   */
  Future<Void> follow(ControllerHandle controller);

  /**
   * A pause.
   *
   * <p>Thread rule: immutable.
   *
   * @param reason why
   * @param actor who said so
   * @param since from when
   * @param until when it ends by itself by the clock of each replica, or null for never
   */
  record Pause(String reason, String actor, Instant since, @Nullable Instant until) {}
}
