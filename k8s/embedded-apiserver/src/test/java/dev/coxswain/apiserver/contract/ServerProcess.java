// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.testing.process.Commands;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An embedded API server in a process of its own, which requires a token. */
final class ServerProcess implements AutoCloseable {
  private static final int START_MINUTES = 5;
  private static final int STOP_SECONDS = 30;
  private static final int POLL_MILLIS = 20;

  private final Process process;
  private final Path kubeconfig;

  private ServerProcess(Process process, Path kubeconfig) {
    this.process = process;
    this.kubeconfig = kubeconfig;
  }

  /** Starts a server and waits until it responds. */
  static ServerProcess start(Path folder) throws IOException, InterruptedException {
    Path kubeconfig = folder.resolve("kubeconfig");
    Path log = folder.resolve("server.log");
    Process process =
        Commands.java(
                List.of("-XX:TieredStopAtLevel=1", "-Xmx256m"), ServerProcess.class, kubeconfig)
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    ServerProcess server = new ServerProcess(process, kubeconfig);
    long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(START_MINUTES);
    while (!Files.exists(kubeconfig)) {
      if (!process.isAlive() || System.nanoTime() >= end) {
        server.close();
        throw new AssertionError("the server did not start: " + Files.readString(log));
      }
      Thread.sleep(POLL_MILLIS); // polling interval, not a guess at a duration
    }
    return server;
  }

  Path kubeconfig() {
    return kubeconfig;
  }

  /** The process: serves until its input ends, which it does with the process that started it. */
  public static void main(String[] arguments) throws Exception {
    Path file = Path.of(arguments[0]);
    EmbeddedApiServerOptions options =
        EmbeddedApiServerOptions.defaults()
            .withShardedListAndWatch(true)
            .withTokens(List.of(new Token("t-admin", "admin", List.of("system:masters"))));
    EmbeddedApiServer server =
        EmbeddedApiServer.start(Vertx.vertx(), options).await(START_MINUTES, TimeUnit.MINUTES);
    Path draft = Files.writeString(file.resolveSibling("draft"), server.kubeconfig());
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    System.in.transferTo(OutputStream.nullOutputStream());
    System.exit(0);
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    Commands.await(process, STOP_SECONDS);
  }
}
