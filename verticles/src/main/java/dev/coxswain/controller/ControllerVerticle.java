// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Runs one controller on one event loop.
 *
 * <p>Deploying it starts the sources; the deployment is complete at once, and {@link #synced} tells
 * when the controller begins to reconcile. Undeploying it drains the controller up to the limit of
 * its {@link ControllerRuntime} and stops the sources.
 *
 * <p>Thread rule: deployed once, with the event-loop threading model; {@link #handle} and {@link
 * #synced} may be called from any thread after the deployment has completed.
 *
 * @param <K> the type of the controller's requests
 */
public final class ControllerVerticle<K> extends VerticleBase {

  private final Controller<K> controller;
  private final ControllerRuntime runtime;
  private final Promise<Void> synced = Promise.promise();
  private @Nullable ControllerHandle handle;

  /**
   * Creates a verticle for one controller.
   *
   * @param controller what to run
   * @param runtime what the host lends
   */
  public ControllerVerticle(Controller<K> controller, ControllerRuntime runtime) {
    this.controller = Objects.requireNonNull(controller, "controller");
    this.runtime = Objects.requireNonNull(runtime, "runtime");
  }

  /** Returns the handle of the running controller. */
  public ControllerHandle handle() {
    return Objects.requireNonNull(
        handle, () -> controller.name() + " has not been started" + runtime);
  }

  /**
   * Returns a future that completes when all sources have delivered what existed at the start, and
   * fails when one of them could not be started.
   */
  public Future<Void> synced() {
    return synced.future();
  }
}
