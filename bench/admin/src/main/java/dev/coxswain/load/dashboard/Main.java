// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.load.dashboard;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** {@code bench/dashboard} without what the script does. */
public final class Main {
  private Main() {}

  /** Runs the measurement and prints its table. */
  public static void main(String[] args) throws IOException {
    Map<String, String> options =
        new HashMap<>(
            Map.of("controllers", "200", "items", "1000000", "rounds", "5", "seconds", "15"));
    for (String arg : args) {
      String[] parts = arg.split("=", 2);
      if (parts.length < 2 || !parts[0].startsWith("--")) {
        throw new IllegalArgumentException("unknown argument \"" + arg + "\"");
      }
      options.put(parts[0].substring(2), parts[1]);
    }
    Path out = Path.of(required(options, "out")).toAbsolutePath();
    Files.createDirectories(out);
    int controllers = Integer.parseInt(required(options, "controllers"));
    int items = Integer.parseInt(required(options, "items"));
    try (DashboardHost host =
            DashboardHost.start(
                Path.of(required(options, "launcher")),
                Path.of(required(options, "jar")),
                out,
                controllers,
                items);
        Chrome chrome = Chrome.start(out)) {
      Runtime.getRuntime().addShutdownHook(new Thread(host.process()::destroy));
      int rounds = Integer.parseInt(required(options, "rounds"));
      int seconds = Integer.parseInt(required(options, "seconds"));
      new DashboardRun(chrome, host, controllers, rounds, seconds).run(items, System.out);
    }
  }

  private static String required(Map<String, String> options, String name) {
    String value = options.get(name);
    if (value == null) {
      throw new IllegalArgumentException("--" + name + " is missing");
    }
    return value;
  }
}
