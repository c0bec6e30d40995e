// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.replicas;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.fault.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * An API server that is stopped and started again with its objects and without its history.
 *
 * <p>The embedded one, or a real one: then the environment variable {@link #COMMANDS} is a folder
 * with {@code up.sh} and {@code down.sh}, which start and stop it. Real ones are not available to a
 * build.
 */
interface RestartedApiServer extends AutoCloseable {

  String COMMANDS = "COXSWAIN_TEST_API_SERVER";

  /** Stops it. */
  void stop() throws IOException, InterruptedException;

  /** Starts it with what it had; its first answers are those of a server that starts. */
  void start() throws IOException, InterruptedException;

  /** Returns a file with the access to it. */
  Path kubeconfig() throws IOException;

  @Override
  void close() throws IOException, InterruptedException;

  /** Starts one without objects. */
  static RestartedApiServer create(Path folder) throws IOException, InterruptedException {
    String commands = System.getenv(COMMANDS);
    return commands == null ? new Embedded(folder) : new Real(Path.of(commands));
  }

  /** The embedded one. */
  final class Embedded implements RestartedApiServer {
    private static final Duration STARTING = Duration.ofSeconds(2);

    private final Path folder;
    private EmbeddedApiServer server;

    Embedded(Path folder) {
      this.folder = folder;
      server = launch(0);
    }

    private EmbeddedApiServer launch(int port) {
      return EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withPort(port)
              .withDataDirectory(folder.resolve("api-server")));
    }

    @Override
    public void stop() {
      server.close();
    }

    @Override
    public void start() {
      server = launch(server.port());
      server.faults().inject(Fault.starting().lasting(STARTING));
      server.faults().compactHistory();
    }

    @Override
    public Path kubeconfig() throws IOException {
      return Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
    }

    @Override
    public void close() {
      server.close();
    }
  }

  /** A real one, which forgets history that is older than a few seconds. */
  final class Real implements RestartedApiServer {
    private final Path folder;

    Real(Path folder) throws IOException, InterruptedException {
      this.folder = folder;
      run("up.sh", "0");
    }

    private void run(String script, String keep) throws IOException, InterruptedException {
      ProcessBuilder builder =
          new ProcessBuilder(List.of(folder.resolve(script).toString())).inheritIO();
      builder.environment().put("K8S_HOME", folder.toString());
      builder.environment().put("KEEP", keep);
      builder.environment().put("EXTRA_APISERVER", "--etcd-compaction-interval=10s");
      int code = builder.start().waitFor();
      if (code != 0) {
        throw new IOException(script + " ended with " + code);
      }
    }

    @Override
    public void stop() throws IOException, InterruptedException {
      run("down.sh", "1");
    }

    @Override
    public void start() throws IOException, InterruptedException {
      run("up.sh", "1");
    }

    @Override
    public Path kubeconfig() {
      return folder.resolve("admin.kubeconfig");
    }

    @Override
    public void close() throws IOException, InterruptedException {
      stop();
    }
  }
}
