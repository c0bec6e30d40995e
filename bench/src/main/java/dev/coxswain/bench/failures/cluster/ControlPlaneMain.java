// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures.cluster;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Runs the embedded API server until the standard input ends or a signal comes: address, port (0
 * for any), data directory. Prints the port when it accepts requests.
 */
public final class ControlPlaneMain {
  private ControlPlaneMain() {}

  public static void main(String[] args) throws IOException {
    EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults()
                .withHost(args[0])
                .withPort(Integer.parseInt(args[1]))
                .withWatchHistory(20_000)
                .withDataDirectory(Path.of(args[2])));
    Runtime.getRuntime().addShutdownHook(new Thread(server::close));
    System.out.println(server.port());
    while (System.in.read() >= 0) {
      // nothing is sent: this waits for the end of the parent
    }
    System.exit(0);
  }
}
