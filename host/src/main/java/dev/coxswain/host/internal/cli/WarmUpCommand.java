// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.cli;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.jvm.AotTraining;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.webhooks.TrainingCertificate;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * {@code coxswain warm-up}: creates the start cache of this copy.
 *
 * <p>Thread rule: the main thread.
 */
public final class WarmUpCommand {

  /** The folder with the {@link TrainingCertificate}, an option of the training run. */
  public static final Flag CERTIFICATE = Flag.of("--certificate", "FOLDER", "");

  private static final long MIB = 1024 * 1024;

  private WarmUpCommand() {}

  static int run(List<String> arguments, PrintStream out) throws HostException {
    StallLimit limit =
        StallLimit.of(
            Arguments.parse(arguments, List.of(StallLimit.FLAG))
                .noWords("coxswain warm-up --help"));
    DevelopmentJars.require();
    long startedAt = System.nanoTime();
    System.err.println("coxswain: two replicas and an API server run for some seconds");
    Path cache = AotTraining.make(folder -> training(folder, limit), limit);
    out.println(shown(cache, System.nanoTime() - startedAt));
    return CommandLine.OK;
  }

  private static List<String> training(Path folder, StallLimit limit)
      throws IOException, HostException {
    try {
      TrainingCertificate.write(folder);
    } catch (GeneralSecurityException e) {
      throw new HostException("no certificate can be made for the training run: " + e, e);
    }
    List<String> command =
        new ArrayList<>(List.of(CommandLine.TRAIN, CERTIFICATE.name(), folder.toString()));
    command.addAll(limit.arguments());
    return command;
  }

  private static String shown(Path cache, long tookNanos) throws HostException {
    try {
      return "%s: %s MiB, made in %s s"
          .formatted(cache, Files.size(cache) / MIB, TimeUnit.NANOSECONDS.toSeconds(tookNanos));
    } catch (IOException e) {
      throw new HostException(cache + " has been deleted: " + e, e);
    }
  }
}
