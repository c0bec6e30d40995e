// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.http;

import dev.coxswain.host.internal.config.CoxswainConfiguration.Listener;
import dev.coxswain.host.internal.config.TlsFiles;
import dev.coxswain.host.internal.lifecycle.Component;
import dev.coxswain.host.internal.probes.Check;
import dev.coxswain.http.internal.BoundedListener;
import dev.coxswain.http.internal.ConnectionBounds;
import dev.coxswain.http.internal.ConnectionRefusal;
import dev.coxswain.http.internal.ListenerOptions;
import dev.coxswain.http.internal.ServerCertificate;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP server with a few fixed paths, for GET and HEAD only, with or without TLS. It does not
 * authenticate clients, and a request has no body.
 *
 * <p>Thread rule: any thread; handlers run on the server's event loop.
 */
public final class PlainHttpServer implements Component {

  private static final Logger LOG = LoggerFactory.getLogger(PlainHttpServer.class);
  private static final int MAX_CONNECTIONS = 128;

  /**
   * Probes and scrapers cannot be distinguished from other clients, so no connections are reserved.
   * A scraper can keep its connection until the next scrape.
   */
  private static ConnectionBounds bounds() {
    ConnectionBounds all =
        ConnectionBounds.ofAnyAddress(
            MAX_CONNECTIONS, Duration.ofSeconds(5), Duration.ofSeconds(30));
    return new ConnectionBounds(
        all.total(), all.unknown(), Math.max(1, all.total() / 2), all.firstRequest(), all.idle());
  }

  private final String key;
  private final Listener listener;
  private final Map<String, Handler<HttpServerRequest>> routes;
  private final BoundedListener server;
  private final @Nullable WatchedFiles certificate;

  /**
   * Creates a server that does not listen yet.
   *
   * @param key its section in the configuration, which is also its name
   * @param routes the handler of each path
   * @param tls its certificate, or null for plain HTTP
   * @param onRefusal receives each refused connection, to count it
   */
  public PlainHttpServer(
      Vertx vertx,
      String key,
      Listener listener,
      Map<String, Handler<HttpServerRequest>> routes,
      @Nullable TlsFiles tls,
      Consumer<ConnectionRefusal> onRefusal) {
    this(vertx, key, listener, routes, tls, onRefusal, bounds());
  }

  PlainHttpServer(
      Vertx vertx,
      String key,
      Listener listener,
      Map<String, Handler<HttpServerRequest>> routes,
      @Nullable TlsFiles tls,
      Consumer<ConnectionRefusal> onRefusal,
      ConnectionBounds bounds) {
    this.key = key;
    this.listener = listener;
    this.routes = Map.copyOf(routes);
    this.server =
        new BoundedListener(
                vertx,
                new ListenerOptions(key, listener.host(), listener.port(), bounds),
                onRefusal)
            .requests(this::handle);
    this.certificate = tls == null ? null : WatchedFiles.certificate(vertx, key, tls, this::serve);
  }

  @Override
  public String name() {
    return key;
  }

  @Override
  public Future<?> start() {
    return certificate == null ? serve(null) : certificate.start();
  }

  private Future<?> serve(@Nullable ServerCertificate certificate) {
    boolean renewed = server.listens();
    return server
        .serve(certificate)
        .onSuccess(_ -> {
          if (!renewed) {
            LOG.atInfo().addKeyValue("server", key).addKeyValue("url", url()).log("listening");
          }
        })
        .recover(cause ->
            Future.failedFuture(
                PortInUseException.explain(cause, key, listener.host(), listener.port())));
  }

  /** Returns the certificate of new connections; null before the start, and without TLS. */
  public @Nullable X509Certificate served() {
    return server.served();
  }

  @Override
  public Future<?> stop() {
    if (certificate != null) {
      certificate.stop();
    }
    return server.stop();
  }

  /** Returns the address, such as {@code http://127.0.0.1:8080}. */
  public String url() {
    if (!server.listens()) {
      throw new IllegalStateException("the server for " + key + " does not listen");
    }
    return server.url();
  }

  /**
   * Returns a check while the current files of the certificate are not in use; it does not make the
   * replica unready.
   */
  public List<Check> checks() {
    String problem = certificate == null ? null : certificate.problem();
    return problem == null ? List.of() : List.of(Check.shown(key, problem));
  }

  /** Checks the files for changes at once; never fails. */
  Future<?> look() {
    return certificate == null ? Future.succeededFuture() : certificate.look();
  }

  private void handle(HttpServerRequest request) {
    if (hasBody(request)) {
      request.connection().close(); // a GET has none
      return;
    }
    Handler<HttpServerRequest> route = routes.get(request.path());
    if (route == null) {
      request.response().setStatusCode(404).end("not found; paths: " + routes.keySet() + "\n");
    } else if (!HttpMethod.GET.equals(request.method())
        && !HttpMethod.HEAD.equals(request.method())) {
      request.response().setStatusCode(405).putHeader("Allow", "GET, HEAD").end();
    } else {
      server.limits().accepted(request.connection());
      route.handle(request);
    }
  }

  private static boolean hasBody(HttpServerRequest request) {
    String length = request.getHeader("Content-Length");
    return request.getHeader("Transfer-Encoding") != null
        || (length != null && !length.equals("0"));
  }
}
