// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.cli;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.CommandException;
import dev.coxswain.ctl.internal.cli.Resources;
import dev.coxswain.ctl.internal.cli.Suggestions;
import dev.coxswain.host.internal.Version;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.KeyReference;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.controllers.Definitions;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;

/** {@code coxswain config}: validates a configuration, or prints what its keys mean. */
final class ConfigCommand {

  private static final List<String> ACTIONS =
      List.of("validate", "print-defaults", "explain", "schema");

  private ConfigCommand() {}

  static int run(List<String> arguments, PrintStream out)
      throws HostException, ConfigurationException {
    Arguments parsed = Arguments.parse(arguments, List.of(RunCommand.CONFIG, RunCommand.SET));
    String action = parsed.words().isEmpty() ? "" : parsed.words().getFirst();
    int most = action.equals("validate") || action.equals("explain") ? 2 : 1;
    if (ACTIONS.contains(action) && parsed.words().size() > most) {
      throw new CommandException(
          "config " + action + ": unexpected \"" + parsed.words().get(most) + "\"");
    }
    switch (action) {
      case "print-defaults" -> out.print(defaults());
      case "explain" -> out.print(explained(parsed.words()));
      case "schema" -> out.print(KeyReference.of(defaults()).schema());
      case "validate" -> validate(parsed, out);
      default ->
          throw new CommandException("config needs an action, " + Suggestions.of(action, ACTIONS));
    }
    return CommandLine.OK;
  }

  private static String defaults() {
    return Resources.text(Version.class, "defaults.yaml");
  }

  private static String explained(List<String> words) {
    try {
      return KeyReference.of(defaults()).explain(words.size() < 2 ? "" : words.get(1));
    } catch (IllegalArgumentException e) {
      throw new CommandException(String.valueOf(e.getMessage()));
    }
  }

  private static void validate(Arguments parsed, PrintStream out)
      throws HostException, ConfigurationException {
    String file = parsed.value(RunCommand.CONFIG);
    if (file == null && parsed.words().size() == 2) {
      file = parsed.words().get(1);
    }
    if (file == null) {
      throw new CommandException("config validate needs a file: coxswain config validate FILE");
    }
    CoxswainConfiguration configuration =
        ConfigurationLoader.load(Path.of(file), System.getenv(), parsed.all(RunCommand.SET));
    Definitions.enabled(Definitions.onClassPath(), configuration);
    out.println(file + ": valid");
  }
}
