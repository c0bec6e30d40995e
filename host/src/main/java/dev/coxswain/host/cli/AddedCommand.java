// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.cli;

import dev.coxswain.host.config.ConfigurationException;
import dev.coxswain.host.lifecycle.HostException;
import java.util.List;

/**
 * A command of a jar that production does not have, registered for the {@link
 * java.util.ServiceLoader}.
 *
 * <p>Thread rule: the main thread.
 */
public interface AddedCommand {

  /** Returns the word that selects it; one of those that {@link CommandLine} reserves for it. */
  String name();

  /**
   * Runs the command.
   *
   * @param arguments what follows its name
   * @return the exit code, or {@link CommandLine#STILL_RUNNING}
   */
  int run(List<String> arguments) throws HostException, ConfigurationException;
}
