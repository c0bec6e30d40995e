// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.callback;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server for one source, on a port of its own and without TLS.
 *
 * <p>Thread rule: started on the event loop on which it receives requests; the port on any thread.
 */
final class PortServer implements CallbackServer {

  /** The most open connections; more are closed at once. */
  static final int MAX_CONNECTIONS = 256;

  private static final int IDLE_SECONDS = 10;

  private final String host;
  private final int port;
  private volatile @Nullable HttpServer server;

  /** The number of open connections; confined to the event loop. */
  private int connections;

  PortServer(String host, int port) {
    this.host = host;
    this.port = port;
  }

  @Override
  public Future<Void> serve(String path, Handler<HttpServerRequest> calls) {
    HttpServer created =
        Objects.requireNonNull(Vertx.currentContext(), "not on an event loop")
            .owner()
            .createHttpServer(
                new HttpServerOptions()
                    .setHost(host)
                    .setPort(port)
                    // Otherwise connections are admitted after the head of a first request only.
                    .setHttp2ClearTextEnabled(false)
                    .setIdleTimeout(IDLE_SECONDS)
                    .setIdleTimeoutUnit(TimeUnit.SECONDS))
            .connectionHandler(this::admit)
            .requestHandler(request -> {
              if (path.equals(request.path())) {
                calls.handle(request);
              } else {
                request.response().setStatusCode(404).end();
              }
            });
    server = created;
    return created.listen().mapEmpty();
  }

  private void admit(HttpConnection connection) {
    if (connections >= MAX_CONNECTIONS) {
      connection.close();
      return;
    }
    connections++;
    connection.closeHandler(_ -> connections--);
  }

  @Override
  public Future<Void> withdraw(String path, Handler<HttpServerRequest> calls) {
    HttpServer open = server;
    return open == null ? Future.succeededFuture() : open.close().otherwiseEmpty();
  }

  @Override
  public int port() {
    HttpServer open = server;
    return open == null ? port : open.actualPort();
  }

  @Override
  public String address() {
    return ForwardClient.isLoopback(host)
        ? "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port()
        : "";
  }

  @Override
  public Optional<Identity> identity() {
    return Optional.empty();
  }
}
