// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.cli.RunCommand;
import dev.coxswain.host.internal.cli.WarmUpCommand;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Logging;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.logging.LoggingSetup;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The training run of {@code coxswain warm-up}, in a JVM that writes the start cache. */
public final class TrainCommand implements AddedCommand {

  @Override
  public String name() {
    return CommandLine.TRAIN;
  }

  @Override
  public int run(List<String> arguments) throws HostException {
    Arguments parsed =
        Arguments.parse(arguments, List.of(WarmUpCommand.CERTIFICATE, StallLimit.FLAG))
            .noWords("coxswain --help");
    String certificate = parsed.value(WarmUpCommand.CERTIFICATE);
    if (certificate == null) {
      throw new HostException("a training run needs the folder of its certificate");
    }
    LoggingSetup.apply(
        new Logging(Logging.Format.TEXT, Logging.Level.WARN, Map.of()), LoggingSetup.Target.STDERR);
    // The class loader of this class has the examples.
    Thread.currentThread().setContextClassLoader(TrainCommand.class.getClassLoader());
    TrainingRun.run(RunCommand::host, Path.of(certificate), StallLimit.of(parsed));
    return CommandLine.OK;
  }
}
