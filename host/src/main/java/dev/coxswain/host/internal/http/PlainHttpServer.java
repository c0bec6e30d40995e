// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.http;

import dev.coxswain.http.internal.ConnectionBounds;
import dev.coxswain.http.internal.ConnectionLimits;
import dev.coxswain.http.internal.ConnectionRefusal;
import dev.coxswain.http.internal.ServerCertificate;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Listener;
import dev.coxswain.host.internal.config.TlsFiles;
import dev.coxswain.host.internal.lifecycle.Component;
import dev.coxswain.host.internal.probes.Check;
import dev.coxswain.internal.process.DescriptorLimit;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.ServerSSLOptions;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP server with a few fixed paths, for GET and HEAD only, with or without TLS. It does not
 * authenticate clients, so connections are bounded: their number, in all and for each address, idle time, size of requests
 * and unread output.
 *
 * <p>Thread rule: any thread; handlers run on the server's event loop.
 */
public final class PlainHttpServer implements Component {

  private static final Logger LOG = LoggerFactory.getLogger(PlainHttpServer.class);
  private static final Duration GRACE = Duration.ofMillis(200);
  private static final Duration HANDSHAKE_LIMIT = Duration.ofSeconds(5);
  private static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");
  private static final int MAX_REQUEST_LINE = 2048;
  private static final int MAX_HEADERS = 8192;
  private static final int MAX_CONNECTIONS = 128;

  /** The part of the file descriptors of the process that connections of this server may use. */
  private static final int PART = 16;

  /**
   * Probes and scrapers cannot be distinguished from other clients, so no connections are reserved.
   * A scraper can keep its connection until the next scrape.
   */
  private static ConnectionBounds bounds() {
    int most = DescriptorLimit.connections(MAX_CONNECTIONS, PART);
    return new ConnectionBounds(
        most, most, Math.max(1, most / 2), Duration.ofSeconds(5), Duration.ofSeconds(30));
  }

  private final Vertx vertx;
  private final String key;
  private final Listener listener;
  private final Map<String, Handler<HttpServerRequest>> routes;
  private final ConnectionBounds bounds;
  private final ConnectionLimits limits;
  private final @Nullable WatchedFiles certificate;
  private volatile @Nullable HttpServer server;
  private volatile @Nullable X509Certificate served;

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
    this.vertx = vertx;
    this.key = key;
    this.listener = listener;
    this.routes = Map.copyOf(routes);
    this.bounds = bounds;
    this.limits = new ConnectionLimits(vertx, key, bounds, onRefusal);
    this.certificate =
        tls == null
            ? null
            : new WatchedFiles(
                vertx,
                key + ".tls",
                List.of(Path.of(tls.certificate()), Path.of(tls.key())),
                contents -> use(new ServerCertificate(contents.get(0), contents.get(1))));
  }

  @Override
  public String name() {
    return key;
  }

  @Override
  public Future<?> start() {
    return certificate == null ? listen(new HttpServerOptions()) : certificate.start();
  }

  /** Listens with a certificate, or replaces that of new connections. */
  private Future<?> use(ServerCertificate certificate) {
    HttpServer running = server;
    return vertx
        .executeBlocking(() -> {
          certificate.check(vertx);
          return certificate.leaf();
        })
        .<Void>compose(leaf ->
            (running == null
                    ? listen(
                        new HttpServerOptions()
                            .setSsl(true)
                            .setUseAlpn(false)
                            .setKeyCertOptions(certificate.options())
                            .setEnabledSecureTransportProtocols(PROTOCOLS)
                            .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                            .setSslHandshakeTimeout(HANDSHAKE_LIMIT.toMillis()))
                    : running
                        .updateSSLOptions(
                            new ServerSSLOptions()
                                .setKeyCertOptions(certificate.options())
                                .setEnabledSecureTransportProtocols(PROTOCOLS))
                        .<Void>mapEmpty())
                .onSuccess(_ -> served = leaf));
  }

  /** Returns the certificate of new connections; null before the start, and without TLS. */
  public @Nullable X509Certificate served() {
    return served;
  }

  private Future<Void> listen(HttpServerOptions options) {
    HttpServer created =
        vertx
            .createHttpServer(
                options
                    .setHost(listener.host())
                    .setPort(listener.port())
                    .setIdleTimeout((int) bounds.idle().toMillis())
                    .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                    .setMaxInitialLineLength(MAX_REQUEST_LINE)
                    .setMaxHeaderSize(MAX_HEADERS)
                    .setHttp2ClearTextEnabled(false)
                    // These handlers log a stack trace for each request of a long pipeline.
                    .setPerFrameWebSocketCompressionSupported(false)
                    .setPerMessageWebSocketCompressionSupported(false)
                    .setCompressionSupported(false))
            .connectionHandler(limits::opened)
            .requestHandler(this::handle)
            // Caused by port scanners and broken clients.
            .exceptionHandler(cause -> LOG.atDebug().setCause(cause).log("connection failed"));
    return created
        .listen()
        .onSuccess(_ -> {
          server = created;
          LOG.atInfo().addKeyValue("server", key).addKeyValue("url", url()).log("listening");
        })
        .recover(cause ->
            Future.failedFuture(
                PortInUseException.explain(cause, key, listener.host(), listener.port())))
        .mapEmpty();
  }

  @Override
  public Future<?> stop() {
    if (certificate != null) {
      certificate.stop();
    }
    HttpServer running = server;
    return running == null
        ? Future.succeededFuture()
        : running.shutdown(GRACE.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Returns the address, such as {@code http://127.0.0.1:8080}. */
  public String url() {
    HttpServer running = server;
    if (running == null) {
      throw new IllegalStateException("the server for " + key + " does not listen");
    }
    String host = listener.host();
    return (certificate == null ? "http://" : "https://")
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + running.actualPort();
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
    HttpConnection connection = request.connection();
    limits.requested(connection);
    if (hasBody(request) || request.response().writeQueueFull()) {
      // A GET has no body; responses are not queued for a client that does not read.
      connection.close();
      return;
    }
    request.response().endHandler(_ -> limits.answered(connection));
    Handler<HttpServerRequest> route = routes.get(request.path());
    if (route == null) {
      request.response().setStatusCode(404).end("not found; paths: " + routes.keySet() + "\n");
    } else if (!HttpMethod.GET.equals(request.method())
        && !HttpMethod.HEAD.equals(request.method())) {
      request.response().setStatusCode(405).putHeader("Allow", "GET, HEAD").end();
    } else {
      limits.accepted(connection);
      route.handle(request);
    }
  }

  private static boolean hasBody(HttpServerRequest request) {
    String length = request.getHeader("Content-Length");
    return request.getHeader("Transfer-Encoding") != null
        || (length != null && !length.equals("0"));
  }
}
