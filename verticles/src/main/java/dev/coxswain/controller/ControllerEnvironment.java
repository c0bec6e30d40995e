// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import dev.coxswain.spi.Clock;
import java.util.Map;

/**
 * The services of a host for the controllers it builds.
 *
 * <p>Thread rule: any thread.
 */
public interface ControllerEnvironment {

  /**
   * Returns a service of the host, such as its access to Kubernetes.
   *
   * @param type the type of the service
   * @throws IllegalStateException when this host has no such service; the message lists the
   *     available ones
   */
  <T> T get(Class<T> type);

  /**
   * Returns the configuration of this controller: maps, lists, strings, numbers and booleans; empty
   * when there is none.
   */
  Map<String, Object> config();

  /** Returns the clock that the controller must use. */
  Clock clock();
}
