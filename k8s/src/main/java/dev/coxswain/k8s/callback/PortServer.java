// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.callback;

import dev.coxswain.internal.process.DescriptorLimit;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server for one source, on a port of its own and without TLS. Its connections are bounded: their
 * number, and the time until each complete head of a request. A new connection takes the place of the one
 * that has waited longest for a request, so idle connections do not exclude new ones.
 *
 * <p>Thread rule: started on the event loop on which it receives requests; the port on any thread.
 */
final class PortServer implements CallbackServer {

  /** The part of the file descriptors of the process that connections of this server may use. */
  private static final int PART = 16;

  /** The most open connections. */
  static final int MAX_CONNECTIONS = DescriptorLimit.connections(256, PART);

  private static final int IDLE_SECONDS = 10;

  private final String host;
  private final int port;
  private volatile @Nullable HttpServer server;

  /** The number of open connections; confined to the event loop. */
  private int connections;

  /**
   * The connections that wait for a request, each with the timer that ends its wait, in the order in
   * which they began to wait; confined to the event loop.
   */
  private final Map<HttpConnection, Long> waiting = new LinkedHashMap<>();

  PortServer(String host, int port) {
    this.host = host;
    this.port = port;
  }

  @Override
  public Future<Void> serve(String path, Handler<HttpServerRequest> calls) {
    Vertx vertx = Objects.requireNonNull(Vertx.currentContext(), "not on an event loop").owner();
    HttpServer created =
        vertx
            .createHttpServer(
                new HttpServerOptions()
                    .setHost(host)
                    .setPort(port)
                    // Otherwise connections are admitted after the head of a first request only.
                    .setHttp2ClearTextEnabled(false)
                    .setIdleTimeout(IDLE_SECONDS)
                    .setIdleTimeoutUnit(TimeUnit.SECONDS))
            .connectionHandler(connection -> admit(vertx, connection))
            .requestHandler(request -> {
              HttpConnection connection = request.connection();
              stopWaiting(vertx, connection);
              request.response().endHandler(_ -> await(vertx, connection));
              if (path.equals(request.path())) {
                calls.handle(request);
              } else {
                request.response().setStatusCode(404).end();
              }
            });
    server = created;
    return created.listen().mapEmpty();
  }

  private void admit(Vertx vertx, HttpConnection connection) {
    if (connections >= MAX_CONNECTIONS) {
      Iterator<HttpConnection> oldest = waiting.keySet().iterator();
      if (!oldest.hasNext()) {
        connection.close();
        return;
      }
      HttpConnection displaced = oldest.next();
      stopWaiting(vertx, displaced);
      displaced.close();
    }
    connections++;
    await(vertx, connection);
    connection.closeHandler(_ -> {
      connections--;
      stopWaiting(vertx, connection);
    });
  }

  /** The wait for a complete head begins. With the idle time alone, a byte now and then would do. */
  private void await(Vertx vertx, HttpConnection connection) {
    stopWaiting(vertx, connection);
    waiting.put(
        connection,
        vertx.setTimer(
            TimeUnit.SECONDS.toMillis(IDLE_SECONDS),
            _ -> {
              waiting.remove(connection);
              connection.close();
            }));
  }

  private void stopWaiting(Vertx vertx, HttpConnection connection) {
    Long timer = waiting.remove(connection);
    if (timer != null) {
      vertx.cancelTimer(timer);
    }
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
