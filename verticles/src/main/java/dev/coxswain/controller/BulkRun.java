// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import io.vertx.core.Future;

/**
 * A {@link BulkRequest} in progress.
 *
 * <p>Thread rule: any thread; {@link #result} completes on the controller's event loop.
 */
public interface BulkRun {

  /** Returns the progress; at most a moment old. */
  BulkProgress progress();

  /**
   * Returns the result. It also completes when the run is stopped and when the controller stops; it
   * fails when the controller refuses to begin.
   */
  Future<BulkResult> result();

  /**
   * Stops the run. Items that were changed stay changed and are counted in the {@link #result},
   * which completes soon; does nothing after the end.
   */
  void stop();
}
