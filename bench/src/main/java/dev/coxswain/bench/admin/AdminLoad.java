// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.admin;

import dev.coxswain.bench.admin.part.AdminCalls;
import dev.coxswain.bench.admin.part.Options;
import dev.coxswain.bench.run.Commands;
import dev.coxswain.bench.run.DevCluster;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Load on the admin API of real replicas: starts them, measures, and ends them. */
public final class AdminLoad {
  private AdminLoad() {}

  /** Runs the measurement and prints its tables. */
  public static void run(Options options, PrintStream out) throws IOException {
    if (options.startCache()) {
      System.err.println("bench: making the start cache");
      // The launcher finds it afterwards, since jars, JDK and flags are the same then; what is
      // behind the class path, as our jar, does not matter.
      Commands.output(launcher(options, "warm-up").redirectErrorStream(true));
    }
    Path config = Files.writeString(options.out().resolve("config.yaml"), configuration(options));
    ProcessBuilder dev =
        launcher(options, "dev", "--json", "--ports", "auto", "--config", config.toString());
    dev.command().addAll(List.of("--replicas", Integer.toString(options.replicas())));
    try (DevCluster cluster = DevCluster.start(dev, options.out().resolve("log"))) {
      // The replicas end with this process.
      Runtime.getRuntime().addShutdownHook(new Thread(cluster::destroy));
      List<AdminCalls> calls =
          cluster.replicas().stream()
              .map(one -> new AdminCalls(one.admin(), cluster.token()))
              .toList();
      try (Witness witness = Witness.start()) {
        new LoadRun(options, cluster, calls, witness, out).run();
      } finally {
        calls.forEach(AdminCalls::close);
      }
    }
  }

  /** What every start has in common, so that a cache of one is that of the others. */
  private static ProcessBuilder launcher(Options options, String... arguments) {
    ProcessBuilder builder = DevCluster.launcher(options.app(), arguments);
    builder.environment().put("COXSWAIN_JAVA_OPTS", "-Xmx768m -XX:TieredStopAtLevel=4");
    builder.environment().put("COXSWAIN_CLASSPATH", DevCluster.jar().toString());
    return builder;
  }

  private static String configuration(Options options) {
    return """
    apiVersion: config.coxswain.dev/v1alpha1
    kind: CoxswainConfiguration
    logging: {format: json, level: warn}
    controllers:
      storm: {enabled: false}
      recorder: {enabled: false}
      parked:
        ownership: everywhere
        config: {keys: %d}
      busy:
        ownership: everywhere
        concurrency: 16
        config: {keys: %d, folder: "%s"}
    """
        .formatted(options.itemsOfReplica(), options.busy(), options.out());
  }
}
