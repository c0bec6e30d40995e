// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.spi.Clock;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A host in a process of its own, for {@link DescriptorsTest}: prints the addresses of its ports, and
 * for each line that it reads how many more files it can open.
 */
final class DescriptorsHost {

  private static final int ENOUGH = 40;

  private DescriptorsHost() {}

  /** Starts it with configuration settings. */
  public static void main(String[] settings) throws Exception {
    Host host =
        new Host(
            ConfigurationLoader.load(null, Map.of(), List.of(settings)),
            List.of(),
            Kubernetes.at("http://127.0.0.1:1", KubernetesOptions.DEFAULT),
            new HostMetrics("test"),
            Clock.system());
    host.start().await();
    ReplicaReport report = host.report();
    say(report.admin() + " " + report.metrics() + " " + report.health());
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
    while (in.readLine() != null) {
      say(String.valueOf(free()));
    }
    System.exit(0);
  }

  private static int free() {
    List<RandomAccessFile> open = new ArrayList<>();
    try {
      while (open.size() < ENOUGH) {
        open.add(new RandomAccessFile("/dev/null", "r"));
      }
    } catch (IOException e) {
      // too many open files: the number is the answer
    }
    int free = open.size();
    open.forEach(one -> {
      try {
        one.close();
      } catch (IOException e) {
        throw new java.io.UncheckedIOException(e);
      }
    });
    return free;
  }

  private static void say(String line) {
    System.out.println("## " + line);
  }
}
