// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.bench.failures;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** The Kubernetes API server of a run, in this process. Calls block. */
final class ControlPlane implements AutoCloseable {
  private static final long LIMIT_SECONDS = 180;

  private final Vertx vertx;
  private final EmbeddedApiServer server;

  private ControlPlane(Vertx vertx, EmbeddedApiServer server) {
    this.vertx = vertx;
    this.server = server;
  }

  /** Starts it at an address, on a free port. */
  static ControlPlane start(String address) throws IOException {
    Vertx vertx = Vertx.vertx();
    try {
      return new ControlPlane(
          vertx,
          EmbeddedApiServer.start(vertx, EmbeddedApiServerOptions.defaults().withHost(address))
              .await(LIMIT_SECONDS, TimeUnit.SECONDS));
    } catch (TimeoutException e) {
      vertx.close();
      throw new IOException("the API server did not start at " + address, e);
    }
  }

  /** Writes a kubeconfig file for it. */
  Path kubeconfig(Path folder) throws IOException {
    return Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
  }

  @Override
  public void close() {
    try {
      vertx.close().await(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw new IllegalStateException("the API server did not close", e);
    }
  }
}
