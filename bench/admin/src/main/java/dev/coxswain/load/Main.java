// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load;

import dev.coxswain.load.part.AdminCalls;
import dev.coxswain.load.part.DevCluster;
import dev.coxswain.load.part.Options;
import java.io.IOException;
import java.util.List;

/** {@code bench/admin-load} without what the script does. */
public final class Main {
  private Main() {}

  /** Runs the measurement and prints its tables. */
  public static void main(String[] args) throws IOException {
    Options options = Options.parse(args);
    if (options.startCache()) {
      System.err.println("admin-load: making the start cache");
      DevCluster.warmUp(options);
    }
    try (DevCluster cluster = DevCluster.start(options)) {
      // When this process is told to end, the replicas end with it.
      Runtime.getRuntime().addShutdownHook(new Thread(cluster::destroy));
      List<AdminCalls> calls = cluster.calls();
      try (Witness witness = Witness.start()) {
        new LoadRun(options, cluster, calls, witness, System.out).run();
      } finally {
        calls.forEach(AdminCalls::close);
      }
    }
  }
}
