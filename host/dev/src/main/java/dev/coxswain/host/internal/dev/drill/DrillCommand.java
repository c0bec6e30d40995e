// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.drill;

import dev.coxswain.ctl.internal.cli.Arguments;
import dev.coxswain.ctl.internal.cli.Flag;
import dev.coxswain.host.internal.ReplicaReport;
import dev.coxswain.host.internal.cli.AddedCommand;
import dev.coxswain.host.internal.cli.CommandLine;
import dev.coxswain.host.internal.cli.Shutdown;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Logging;
import dev.coxswain.host.internal.dev.DevOptions;
import dev.coxswain.host.internal.dev.DevSession;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.logging.LoggingSetup;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/** {@code coxswain drill}: practice for people on call, on this machine. */
public final class DrillCommand implements AddedCommand {

  private static final Flag OBJECTS = Flag.of("--objects", "N", "");
  private static final Flag REPLICAS = Flag.of("--replicas", "N", "");
  private static final Flag PORTS = Flag.of("--ports", "auto", "");
  private static final Flag SEED = Flag.of("--seed", "N", "");
  private static final Flag LIMIT = Flag.of("--limit", "DURATION", "");
  private static final Flag BEGIN = Flag.alone("--begin", "");
  private static final Flag JSON = Flag.alone("--json", "");
  private static final List<Flag> FLAGS =
      List.of(OBJECTS, REPLICAS, PORTS, SEED, LIMIT, BEGIN, StallLimit.FLAG, JSON);

  private static final int OBJECTS_DEFAULT = 2_000;
  private static final int LEAST_OBJECTS = 100;
  private static final int MOST_OBJECTS = 50_000;
  private static final int REPLICAS_DEFAULT = 3;

  /** Of two the one that is left has no majority until the Lease of the other ends. */
  private static final int LEAST_REPLICAS = 3;

  private static final Duration LIMIT_DEFAULT = Duration.ofMinutes(30);

  /** What the drill does not lower: it is repaired within a minute at this rate. */
  private static final String RATE = "limiters.default.rate=50";

  @Override
  public String name() {
    return "drill";
  }

  @Override
  public int run(List<String> arguments) throws HostException {
    Arguments parsed = Arguments.parse(arguments, FLAGS).noWords("coxswain drill --help");
    HerdPlan herd =
        new HerdPlan((int) parsed.number(OBJECTS, OBJECTS_DEFAULT, LEAST_OBJECTS, MOST_OBJECTS));
    int replicas =
        (int) parsed.number(REPLICAS, REPLICAS_DEFAULT, LEAST_REPLICAS, DevOptions.MAX_REPLICAS);
    boolean freePorts = parsed.value(PORTS) != null;
    long seed = parsed.number(SEED, System.nanoTime() & Integer.MAX_VALUE, 0, Long.MAX_VALUE);
    Duration limit = parsed.duration(LIMIT, LIMIT_DEFAULT);
    StallLimit stallLimit = StallLimit.of(parsed);
    LoggingSetup.apply(
        new Logging(Logging.Format.TEXT, Logging.Level.WARN, Map.of()), LoggingSetup.Target.STDERR);
    Consumer<String> progress = line -> System.err.println("coxswain: " + line);
    try {
      Path folder = Files.createTempDirectory("coxswain-drill-");
      Path log = folder.resolve("replicas.log");
      try (PrintWriter lines =
          new PrintWriter(Files.newBufferedWriter(log, StandardCharsets.UTF_8), true)) {
        progress.accept("the logs of the replicas are in " + log + " until the drill ends");
        DevOptions options =
            new DevOptions(
                replicas,
                freePorts,
                null,
                List.of(RATE),
                true,
                List.of(),
                false,
                herd.write(folder.resolve("herd")),
                null,
                false,
                stallLimit);
        DevSession session = new DevSession(options, progress, lines::println);
        Shutdown shutdown =
            Shutdown.install(() -> {
              session.stop();
              DevSession.delete(folder);
              return CommandLine.FAILED;
            });
        try {
          DevSession.Report report = session.start();
          DrillOutput output = new DrillOutput(System.out, parsed.on(JSON));
          int code =
              new DrillRun(session, report, herd, output, stallLimit)
                  .run(parsed.on(BEGIN), limit, dead(report, seed));
          session.stop();
          DevSession.delete(folder);
          return shutdown.ended(code);
        } catch (HostException e) {
          if (shutdown.begun()) {
            return CommandLine.STILL_RUNNING; // the hook does the rest
          }
          session.stop();
          if (!session.explained()) {
            CommandLine.printFailure(e);
          }
          if (Files.size(log) == 0) {
            DevSession.delete(folder); // no replica has begun
          } else {
            progress.accept("the logs of the replicas are kept");
          }
          return shutdown.ended(CommandLine.FAILED);
        }
      }
    } catch (IOException e) {
      throw new HostException("cannot prepare the drill: " + e.getMessage(), e);
    }
  }

  /** Returns the replica that dies: not the first one, whose addresses are printed. */
  private static String dead(DevSession.Report report, long seed) {
    List<ReplicaReport> replicas = report.replicas();
    return replicas.get(1 + new Random(seed).nextInt(replicas.size() - 1)).name();
  }
}
