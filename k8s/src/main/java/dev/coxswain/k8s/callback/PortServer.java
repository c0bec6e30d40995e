// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.callback;

import dev.coxswain.http.internal.BoundedListener;
import dev.coxswain.http.internal.ConnectionBounds;
import dev.coxswain.http.internal.ListenerOptions;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A server for one source, on a port of its own and without TLS.
 *
 * <p>Thread rule: started on the event loop on which it receives requests; the port on any thread.
 */
final class PortServer implements CallbackServer {

  private static final Duration IDLE = Duration.ofSeconds(10);
  static final ConnectionBounds BOUNDS = ConnectionBounds.ofAnyAddress(256, IDLE, IDLE);

  private final String host;
  private final int port;
  private volatile @Nullable BoundedListener server;

  PortServer(String host, int port) {
    this.host = host;
    this.port = port;
  }

  @Override
  public Future<Void> serve(String path, Handler<HttpServerRequest> calls) {
    Vertx vertx = Objects.requireNonNull(Vertx.currentContext(), "not on an event loop").owner();
    BoundedListener created =
        new BoundedListener(
            vertx, new ListenerOptions("callbacks " + path, host, port, BOUNDS), _ -> {});
    server = created;
    return created
        .requests(request -> {
          if (path.equals(request.path())) {
            created.limits().accepted(request.connection());
            calls.handle(request);
          } else {
            request.response().setStatusCode(404).end();
          }
        })
        .serve(null);
  }

  @Override
  public Future<Void> withdraw(String path, Handler<HttpServerRequest> calls) {
    BoundedListener open = server;
    return open == null ? Future.succeededFuture() : open.stop().otherwiseEmpty();
  }

  @Override
  public int port() {
    BoundedListener open = server;
    return open == null ? port : open.port();
  }

  @Override
  public String address() {
    return ForwardClient.isLoopback(host)
        ? "http://" + BoundedListener.authority(host, port())
        : "";
  }

  @Override
  public Optional<Identity> identity() {
    return Optional.empty();
  }
}
