// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.cli;

import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.util.List;

/**
 * A command in a jar that is not part of production, registered for the {@link
 * java.util.ServiceLoader}.
 *
 * <p>Thread rule: the main thread.
 */
public interface AddedCommand {

  /** Returns its name, one of those reserved in {@link CommandLine}. */
  String name();

  /**
   * Runs the command.
   *
   * @param arguments the arguments after its name
   * @return the exit code, or {@link CommandLine#STILL_RUNNING}
   */
  int run(List<String> arguments) throws HostException, ConfigurationException;
}
