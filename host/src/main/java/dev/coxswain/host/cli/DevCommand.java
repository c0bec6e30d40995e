// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.cli;

import dev.coxswain.host.HostException;
import java.util.List;

/** {@code coxswain dev}. */
final class DevCommand {
  private DevCommand() {}

  static int run(List<String> arguments) throws HostException {
    if (arguments.isEmpty()) {
      throw new HostException("not yet");
    }
    return CommandLine.OK;
  }
}
