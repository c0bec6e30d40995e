// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.apiserver;

import com.sun.management.OperatingSystemMXBean;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;

/** The measured server. */
final class ServerPart implements Part {
  private static final int COLLECTIONS = 4;

  private final EmbeddedApiServer server;

  /** Starts it; an empty folder is none. */
  ServerPart(String folder) {
    server = start(folder);
    server.apply(Maps.namespaces());
  }

  static EmbeddedApiServer start(String folder) {
    EmbeddedApiServerOptions options = EmbeddedApiServerOptions.defaults();
    return EmbeddedApiServer.startBlocking(
        folder.isEmpty() ? options : options.withDataDirectory(Path.of(folder)));
  }

  @Override
  public String ask(String command) {
    return switch (command) {
      case "url" -> server.url();
      case "heap" -> Long.toString(usedAfterCollection());
      case "cpu" -> Long.toString(processorNanos());
      default -> throw new IllegalArgumentException("unknown command: " + command);
    };
  }

  static long processorNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  private static long usedAfterCollection() {
    for (int i = 0; i < COLLECTIONS; i++) {
      System.gc();
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  @Override
  public void close() {
    server.close();
  }
}
