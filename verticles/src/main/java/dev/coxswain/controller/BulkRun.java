// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import io.vertx.core.Future;

/**
 * One {@link BulkRequest} under way.
 *
 * <p>Thread rule: any thread; {@link #result} completes on the controller's event loop.
 */
public interface BulkRun {

  /** Returns how far it is; at most a moment old. */
  BulkProgress progress();

  /**
   * Returns what became of it. It completes whatever happens: also when the run is stopped, and
   * when the controller stops in the middle; it fails when the controller refuses to begin.
   */
  Future<BulkResult> result();

  /**
   * Leaves the remaining items alone. What was done stays done and is in the {@link #result}, which
   * completes soon; does nothing when the run is over.
   */
  void stop();
}
