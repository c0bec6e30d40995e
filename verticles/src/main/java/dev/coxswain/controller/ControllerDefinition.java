// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.controller;

import java.util.List;

/**
 * A factory of one controller, or of several by {@link #definitions}, found by the host with {@link java.util.ServiceLoader}.
 * Implementations have a public constructor without parameters and are named in {@code
 * META-INF/services/dev.coxswain.controller.ControllerDefinition}.
 *
 * <p>Thread rule: called by the host on a thread of its own, where it may block; {@link #create} is
 * called again for every start of the controller.
 */
public interface ControllerDefinition {

  /**
   * Returns the name of the controller: unique in the host, a DNS label ({@code [a-z0-9-]}, at most
   * 63 characters).
   */
  String name();

  /**
   * Builds the controller.
   *
   * @param environment what the host provides
   * @return a new controller whose name is {@link #name()}
   * @throws Exception when it cannot be built; the host reports it and tries again
   */
  Controller<?> create(ControllerEnvironment environment) throws Exception;

  /**
   * Returns the definitions that the host uses instead of this one: only itself unless overridden. A
   * definition that yields several controllers returns one definition for each; its own {@link #name}
   * and {@link #create} are not called then. Called once, after it was found; theirs is not called.
   */
  default List<ControllerDefinition> definitions() {
    return List.of(this);
  }
}
