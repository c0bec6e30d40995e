// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.internal.http;

import dev.coxswain.apiserver.internal.fault.FaultPlan;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.impl.HttpServerConnection;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The listening socket, which faults can close and reopen, and the connections it has accepted.
 * Confined to the server's event loop, except {@link #port()}.
 */
public final class Listener {
  private static final Logger LOG = LoggerFactory.getLogger(Listener.class);
  private static final int REBIND_MILLIS = 100;

  /** Connections were reset before; what is left of them must not keep the port from being opened again. */
  private static final int CLOSE_SECONDS = 5;

  private final Vertx vertx;
  private final HttpServerOptions options;
  private final Handler<HttpServerRequest> handler;
  private final FaultPlan faults;
  private final Set<HttpConnection> connections = new LinkedHashSet<>();
  private @Nullable HttpServer server;
  private @Nullable Socket placeholder;
  private Future<?> last = Future.succeededFuture();
  private boolean wanted = true;
  private boolean closed;
  private boolean warned;

  /** Written once, before the server is handed out. */
  private volatile int port;

  /** Creates a listener that does not listen yet. */
  public Listener(
      Vertx vertx,
      HttpServerOptions options,
      Handler<HttpServerRequest> handler,
      FaultPlan faults) {
    this.vertx = vertx;
    this.options = options;
    this.handler = handler;
    this.faults = faults;
  }

  /** Binds; fails when the address is taken. */
  public Future<?> start() {
    return bind(options.getPort())
        .map(bound -> {
          server = bound;
          port = bound.actualPort();
          return bound;
        });
  }

  private Future<HttpServer> bind(int wantedPort) {
    return vertx
        .createHttpServer(new HttpServerOptions(options).setPort(wantedPort))
        .connectionHandler(this::accepted)
        .requestHandler(handler)
        .listen();
  }

  private void accepted(HttpConnection connection) {
    if (faults.refusesConnection()) {
      reset(connection);
      return;
    }
    connections.add(connection);
    connection.closeHandler(v -> connections.remove(connection));
  }

  /**
   * Closes as a killed process does: unsent bytes are lost, the client receives a reset.
   */
  private static void reset(HttpConnection connection) {
    Channel channel = ((HttpServerConnection) connection).channelHandlerContext().channel();
    try {
      channel.config().setOption(ChannelOption.SO_LINGER, 0);
    } catch (ChannelException e) {
      return; // the client has closed it just now, and Vert.x has not handled that yet
    }
    ChannelFuture _ = channel.close(); // a reset has no outcome that matters
  }

  /** Resets open connections, {@code limit} at most (0 = all); returns how many. */
  public int cut(int limit) {
    int cut = 0;
    for (HttpConnection connection : List.copyOf(connections)) {
      if (limit > 0 && cut == limit) {
        break;
      }
      connections.remove(connection);
      reset(connection);
      cut++;
    }
    return cut;
  }

  /** Number of open connections that have sent something. */
  public int size() {
    return connections.size();
  }

  /**
   * Listens or does not. Without a listener the port refuses connections, and the open ones have
   * been reset.
   */
  public void listen(boolean on) {
    wanted = on;
    last = last.transform(before -> settle());
  }

  private Future<?> settle() {
    HttpServer running = server;
    if (closed || wanted == (running != null)) {
      return Future.succeededFuture();
    }
    if (running != null) {
      server = null;
      cut(0);
      return running
          .close()
          .timeout(CLOSE_SECONDS, TimeUnit.SECONDS)
          .onFailure(this::closedLate)
          .andThen((_, _) -> keepPort());
    }
    freePort();
    return bind(port)
        .map(bound -> {
          server = bound;
          warned = false;
          return bound;
        })
        .onFailure(this::rebindLater);
  }

  /** The socket is closed first, so it can be opened again while connections have not ended. */
  private void closedLate(Throwable cause) {
    LOG.atWarn().addKeyValue("port", port).setCause(cause).log("listener did not end, going on");
  }

  private void rebindLater(Throwable cause) {
    if (!warned) {
      warned = true;
      LOG.atWarn().addKeyValue("port", port).setCause(cause).log("port is in use, retrying");
    }
    vertx.setTimer(REBIND_MILLIS, id -> listen(wanted));
  }

  /**
   * Binds without listening, so that no other process gets the port while connections are refused.
   */
  private void keepPort() {
    Socket socket = new Socket();
    try {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(options.getHost(), port));
      placeholder = socket;
    } catch (IOException e) {
      LOG.atDebug().addKeyValue("port", port).setCause(e).log("port cannot be reserved");
      close(socket);
    }
  }

  private void freePort() {
    Socket socket = placeholder;
    placeholder = null;
    if (socket != null) {
      close(socket);
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      LOG.atDebug().setCause(e).log("placeholder of the port did not close");
    }
  }

  /** The bound port; any thread once started. */
  public int port() {
    return port;
  }

  /** Stops; it cannot start again. */
  public Future<?> close() {
    closed = true;
    return last.transform(before -> {
      freePort();
      HttpServer running = server;
      server = null;
      return running == null ? Future.succeededFuture() : running.close();
    });
  }
}
