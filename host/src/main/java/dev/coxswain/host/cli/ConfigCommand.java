// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.cli;

import dev.coxswain.ctl.cli.Resources;
import dev.coxswain.ctl.cli.Suggestions;
import dev.coxswain.host.Version;
import dev.coxswain.host.config.ConfigurationException;
import dev.coxswain.host.config.ConfigurationLoader;
import dev.coxswain.host.config.CoxswainConfiguration;
import dev.coxswain.host.controllers.Definitions;
import dev.coxswain.host.lifecycle.HostException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/** {@code coxswain config}: validates a configuration, or prints the defaults. */
final class ConfigCommand {

  private static final List<String> ACTIONS = List.of("validate", "print-defaults");

  private ConfigCommand() {}

  static int run(List<String> arguments, PrintStream out)
      throws HostException, ConfigurationException {
    Flags flags = Flags.parse(arguments, Set.of("--config", "--set"), Set.of());
    String action = flags.words().isEmpty() ? "" : flags.words().getFirst();
    switch (action) {
      case "print-defaults" -> out.print(Resources.text(Version.class, "defaults.yaml"));
      case "validate" -> validate(flags, out);
      default ->
          throw new UsageException("config needs an action, " + Suggestions.of(action, ACTIONS));
    }
    return CommandLine.OK;
  }

  private static void validate(Flags flags, PrintStream out)
      throws HostException, ConfigurationException {
    String file = flags.value("--config");
    if (file == null && flags.words().size() == 2) {
      file = flags.words().get(1);
    }
    if (file == null) {
      throw new UsageException("config validate needs a file: coxswain config validate FILE");
    }
    CoxswainConfiguration configuration =
        ConfigurationLoader.load(Path.of(file), System.getenv(), flags.all("--set"));
    Definitions.enabled(Definitions.onClassPath(), configuration);
    out.println(file + ": valid");
  }
}
