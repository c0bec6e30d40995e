// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.http;

import dev.coxswain.host.config.CoxswainConfiguration.Listener;
import dev.coxswain.host.lifecycle.Member;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server with a handful of fixed paths, for GET and HEAD only.
 *
 * <p>Thread rule: any thread; handlers run on the server's event loop.
 */
public final class SmallServer implements Member {

  private static final Logger LOG = LoggerFactory.getLogger(SmallServer.class);
  private static final int IDLE_SECONDS = 60;
  private static final Duration GRACE = Duration.ofMillis(200);

  private final Vertx vertx;
  private final String key;
  private final Listener listener;
  private final Map<String, Handler<HttpServerRequest>> routes;
  private volatile @Nullable HttpServer server;

  /**
   * Creates a server that does not listen yet.
   *
   * @param key its section in the configuration, which is also its name
   * @param routes what answers each path
   */
  public SmallServer(
      Vertx vertx, String key, Listener listener, Map<String, Handler<HttpServerRequest>> routes) {
    this.vertx = vertx;
    this.key = key;
    this.listener = listener;
    this.routes = Map.copyOf(routes);
  }

  @Override
  public String name() {
    return key;
  }

  @Override
  public Future<?> start() {
    HttpServer created =
        vertx
            .createHttpServer(
                new HttpServerOptions()
                    .setHost(listener.host())
                    .setPort(listener.port())
                    .setIdleTimeout(IDLE_SECONDS)
                    .setIdleTimeoutUnit(TimeUnit.SECONDS)
                    .setCompressionSupported(true))
            .requestHandler(this::handle)
            // Port scanners and broken clients are no news.
            .exceptionHandler(cause -> LOG.atDebug().setCause(cause).log("connection failed"));
    return created
        .listen()
        .onSuccess(_ -> {
          server = created;
          LOG.atInfo().addKeyValue("server", key).addKeyValue("url", url()).log("listening");
        })
        .recover(cause ->
            Future.failedFuture(
                PortInUseException.explain(cause, key, listener.host(), listener.port())));
  }

  @Override
  public Future<?> stop() {
    HttpServer running = server;
    return running == null
        ? Future.succeededFuture()
        : running.shutdown(GRACE.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Returns where this server listens, such as {@code http://127.0.0.1:8080}. */
  public String url() {
    HttpServer running = server;
    if (running == null) {
      throw new IllegalStateException("the server for " + key + " does not listen");
    }
    return url(listener.host(), running.actualPort());
  }

  /** Returns the address of a server for people and programs. */
  public static String url(String host, int port) {
    return "http://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  private void handle(HttpServerRequest request) {
    Handler<HttpServerRequest> route = routes.get(request.path());
    if (route == null) {
      request.response().setStatusCode(404).end("not found; there is " + routes.keySet() + "\n");
    } else if (!HttpMethod.GET.equals(request.method())
        && !HttpMethod.HEAD.equals(request.method())) {
      request.response().setStatusCode(405).putHeader("Allow", "GET, HEAD").end();
    } else {
      route.handle(request);
    }
  }
}
