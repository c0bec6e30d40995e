// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.net.BindException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** The embedded API server of a development session, with its own Vert.x. Calls block. */
final class DevApiServer implements AutoCloseable {

  private static final long CLOSE_MILLIS = 300;

  private final Vertx vertx;
  private final EmbeddedApiServer server;
  private final long closeMillis;

  private DevApiServer(Vertx vertx, EmbeddedApiServer server, long closeMillis) {
    this.vertx = vertx;
    this.server = server;
    this.closeMillis = closeMillis;
  }

  /**
   * Starts it.
   *
   * @param port the port; 0 is a free one
   * @param data the folder of the objects, or null to keep them in memory
   * @param shards whether lists and watches obey shard selectors
   * @param limit how long the start may take, each call, and the end when objects are written
   */
  static DevApiServer start(int port, @Nullable Path data, boolean shards, StallLimit limit)
      throws HostException {
    VertxOptions options = new VertxOptions();
    options.getFileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false);
    Vertx vertx = Vertx.vertx(options);
    try {
      return new DevApiServer(
          vertx,
          limit.await(
              "the start of the API server",
              EmbeddedApiServer.start(
                  vertx,
                  EmbeddedApiServerOptions.defaults()
                      .withPort(port)
                      .withFaultEndpoint(true)
                      .withDataDirectory(data)
                      .withShardedListAndWatch(shards)
                      .withPatience(limit.length()))),
          data == null ? CLOSE_MILLIS : limit.length().toMillis());
    } catch (HostException e) {
      vertx.close();
      throw e;
    } catch (Exception e) {
      // The future fails with the original exception.
      vertx.close();
      throw failure(e, port);
    }
  }

  private static HostException failure(Throwable thrown, int port) {
    for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
      if (cause instanceof BindException) {
        return new HostException(
            "port "
                + port
                + " of the API server is in use: stop what uses it, or take free ports with"
                + " --ports auto",
            thrown);
      }
    }
    return new HostException("the API server cannot be started: " + thrown.getMessage(), thrown);
  }

  String url() {
    return server.url();
  }

  /** Returns the number of objects restored from an earlier session. */
  int resumedObjects() {
    return server.resumedObjects();
  }

  String kubeconfig() {
    return server.kubeconfig();
  }

  /** Creates or updates the objects in a file. */
  void apply(String file, String yaml) throws HostException {
    try {
      server.apply(yaml);
    } catch (RuntimeException e) {
      throw new HostException("the objects of " + file + " are rejected: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    try {
      vertx.close().await(closeMillis, TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      System.err.println("coxswain: the API server did not close in time");
    }
  }
}
