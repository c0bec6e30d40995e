// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.storm;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.testing.Await;
import dev.coxswain.testing.process.Commands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/** An embedded API server in a process of its own, with token authentication. */
final class ServerProcess implements AutoCloseable {

  private static final int STOP_SECONDS = 30;

  private final Process process;
  private final Path kubeconfig;

  private ServerProcess(Process process, Path kubeconfig) {
    this.process = process;
    this.kubeconfig = kubeconfig;
  }

  /** Starts one and waits until it responds. */
  static ServerProcess start(Path folder) throws IOException {
    Path kubeconfig = folder.resolve("kubeconfig");
    Process process =
        Commands.java(List.of("-Xmx256m"), ServerProcess.class, kubeconfig)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("server.log").toFile())
            .start();
    ServerProcess server = new ServerProcess(process, kubeconfig);
    try {
      Await.until(
          "the server to write its kubeconfig",
          () -> Files.exists(kubeconfig) || !process.isAlive());
      if (!Files.exists(kubeconfig)) {
        throw new AssertionError(
            "the server ended: " + Files.readString(folder.resolve("server.log")));
      }
      return server;
    } catch (Throwable e) {
      server.close();
      throw e;
    }
  }

  Path kubeconfig() {
    return kubeconfig;
  }

  /** The process: serves until its input ends, which it does with the process that started it. */
  public static void main(String[] arguments) throws IOException {
    Path file = Path.of(arguments[0]);
    try (EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults()
                .withTokens(List.of(new Token("t-admin", "admin", List.of("system:masters")))))) {
      Path draft = Files.writeString(file.resolveSibling("draft"), server.kubeconfig());
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
      System.in.transferTo(java.io.OutputStream.nullOutputStream());
    }
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    Commands.await(process, STOP_SECONDS);
  }
}
