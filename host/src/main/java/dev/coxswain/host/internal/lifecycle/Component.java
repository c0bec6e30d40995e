// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.lifecycle;

import io.vertx.core.Future;

/**
 * A part of the host that is started and stopped.
 *
 * <p>Thread rule: both methods are called on the context of the {@link Lifecycle} and must not
 * block it.
 */
public interface Component {

  /** Returns the name, for logs and messages. */
  String name();

  /** Starts; a failed future fails the start of the host. */
  Future<?> start();

  /**
   * Stops, whether or not it has started completely. A future that fails or never completes does
   * not keep the others from stopping.
   */
  Future<?> stop();
}
