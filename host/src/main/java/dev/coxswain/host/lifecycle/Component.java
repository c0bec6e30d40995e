// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.lifecycle;

import io.vertx.core.Future;

/**
 * Something with a life of its own.
 *
 * <p>Thread rule: both methods are called on the context of the {@link Lifecycle} and must not
 * block it.
 */
public interface Component {

  /** Returns what this is, for people. */
  String name();

  /** Starts; a failed future fails the start of the host. */
  Future<?> start();

  /**
   * Stops, whether or not it has started completely. A future that fails or never completes does
   * not keep the others from stopping.
   */
  Future<?> stop();
}
