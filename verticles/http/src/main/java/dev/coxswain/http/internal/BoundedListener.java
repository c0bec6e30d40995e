// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.http.internal;

import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.ServerSSLOptions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An HTTP server whose clients are bounded: the number and the time of their connections and
 * handshakes, and the size of a request head. A client that does not read is not read from either, and
 * is idle. What a request may cost is bounded by its handler.
 *
 * <p>Thread rule: any thread; requests are handled on one event loop, which is that of the caller that
 * listens, if it is one.
 */
public final class BoundedListener {

  private static final Logger log = LoggerFactory.getLogger(BoundedListener.class);

  /** Messages of the admin API name these two. */
  private static final int MAX_REQUEST_LINE = 4096;

  private static final int MAX_HEADERS = 8192;

  /**
   * The send buffer of a connection. It is small, so that the progress of a slow client is noticed
   * before the connection counts as idle.
   */
  private static final int SEND_BUFFER = 128 * 1024;

  private static final Duration HANDSHAKE = Duration.ofSeconds(5);
  private static final Duration GRACE = Duration.ofMillis(200);
  private static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");

  private final Vertx vertx;
  private final ListenerOptions options;
  private final ConnectionLimits limits;
  private final HandshakeLimit handshakes;
  private Handler<HttpServerRequest> requests = request -> request.connection().close();
  private Handler<HttpServerRequest> invalid = HttpServerRequest.DEFAULT_INVALID_REQUEST_HANDLER;
  private volatile @Nullable HttpServer server;
  private @Nullable Future<HttpServer> starting;
  private boolean stopped;
  private volatile @Nullable X509Certificate served;

  /**
   * Creates a listener that does not listen yet.
   *
   * @param onRefusal receives each refused connection, to count it; must not throw
   */
  public BoundedListener(
      Vertx vertx, ListenerOptions options, Consumer<ConnectionRefusal> onRefusal) {
    this.vertx = vertx;
    this.options = options;
    this.limits = new ConnectionLimits(vertx, options.name(), options.connections(), onRefusal);
    this.handshakes =
        new HandshakeLimit(
            options.connections().unknown(),
            () -> limits.count(ConnectionRefusal.UNKNOWN, "unknown"));
  }

  /** Returns the limits of the connections, for handlers on the event loop. */
  public ConnectionLimits limits() {
    return limits;
  }

  /** Sets the handler of requests. To be called before the listener listens. */
  public BoundedListener requests(Handler<HttpServerRequest> handler) {
    requests =
        request -> {
          HttpConnection connection = request.connection();
          limits.requested(connection);
          request.response().endHandler(_ -> limits.answered(connection));
          handler.handle(request);
        };
    return this;
  }

  /**
   * Sets a handler of requests that reports itself to the {@link #limits} when a request begins and
   * ends, since with HTTP/2 it may end without a response. To be called before the listener listens.
   *
   * @param malformed receives requests that are not well-formed, or whose head is too large
   */
  public BoundedListener requests(
      Handler<HttpServerRequest> handler, Handler<HttpServerRequest> malformed) {
    requests = handler;
    invalid = malformed;
    return this;
  }

  /**
   * Listens, or replaces the certificate of new connections if it listens already. Fails, and keeps the
   * present one, when the certificate cannot be used.
   *
   * @param certificate null for a listener without TLS
   */
  public Future<Void> serve(@Nullable ServerCertificate certificate) {
    return certificate == null
        ? listen(new HttpServerOptions())
        : vertx
            .executeBlocking(() -> {
              certificate.check(vertx);
              return certificate.leaf();
            })
            .compose(leaf -> serve(certificate, server).onSuccess(_ -> served = leaf));
  }

  private Future<Void> serve(ServerCertificate certificate, @Nullable HttpServer running) {
    return running != null
        ? running
            .updateSSLOptions(
                new ServerSSLOptions()
                    .setKeyCertOptions(certificate.options())
                    .setEnabledSecureTransportProtocols(PROTOCOLS)
                    .setUseAlpn(options.http2())
                    .setApplicationLayerProtocols(
                        options.http2() ? List.of("h2", "http/1.1") : List.of("http/1.1")))
            .mapEmpty()
        : listen(
            new HttpServerOptions()
                .setSsl(true)
                .setSslEngineOptions(handshakes.options())
                .setUseAlpn(options.http2())
                .setKeyCertOptions(certificate.options())
                .setEnabledSecureTransportProtocols(PROTOCOLS)
                .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
                .setSslHandshakeTimeout(
                    Math.min(
                        HANDSHAKE.toMillis(), options.connections().firstRequest().toMillis())));
  }

  private Future<Void> listen(HttpServerOptions http) {
    http.setHost(options.host())
        .setPort(options.port())
        .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
        .setIdleTimeout((int) Math.min(options.idle().toMillis(), Integer.MAX_VALUE))
        .setSendBufferSize(SEND_BUFFER)
        .setMaxInitialLineLength(MAX_REQUEST_LINE)
        .setMaxHeaderSize(MAX_HEADERS)
        // Otherwise connections are admitted after the head of a first request only.
        .setHttp2ClearTextEnabled(false)
        // Their handlers log a stack trace for each request of a long pipeline.
        .setPerFrameWebSocketCompressionSupported(false)
        .setPerMessageWebSocketCompressionSupported(false)
        .setCompressionSupported(false)
        .setDecompressionSupported(false)
        .getInitialSettings()
        .setMaxHeaderListSize(MAX_HEADERS);
    HttpServer created =
        vertx
            .createHttpServer(http)
            .connectionHandler(limits::opened)
            .invalidRequestHandler(invalid)
            .requestHandler(requests)
            // Caused by port scanners, broken clients, and those that do not trust the certificate.
            .exceptionHandler(cause ->
                log.atDebug()
                    .addKeyValue("server", options.name())
                    .setCause(cause)
                    .log("connection failed"));
    return start(created).mapEmpty();
  }

  private synchronized Future<HttpServer> start(HttpServer created) {
    if (stopped) {
      return Future.failedFuture(new IllegalStateException("the listener has been stopped"));
    }
    Future<HttpServer> listening = created.listen().onSuccess(_ -> server = created);
    starting = listening;
    return listening;
  }

  /** Returns whether it listens. */
  public boolean listens() {
    return server != null;
  }

  /** Returns the bound port; that of the options before it listens. */
  public int port() {
    HttpServer running = server;
    return running == null ? options.port() : running.actualPort();
  }

  /** Returns the address, such as {@code http://127.0.0.1:8080}. */
  public String url() {
    return (served == null ? "http://" : "https://") + authority(options.host(), port());
  }

  /** Returns host and port as in a URL. */
  public static String authority(String host, int port) {
    return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  /** Returns the certificate of new connections; null before it listens, and without TLS. */
  public @Nullable X509Certificate served() {
    return served;
  }

  /** Closes the port and, after a short time for running requests, all connections; it listens no more. */
  public synchronized Future<Void> stop() {
    stopped = true;
    Future<HttpServer> listening = starting; // a start that has not ended yet ends first
    return listening == null
        ? Future.succeededFuture()
        : listening
            .compose(running -> running.shutdown(GRACE.toMillis(), TimeUnit.MILLISECONDS))
            .recover(failure ->
                listening.failed() ? Future.succeededFuture() : Future.failedFuture(failure));
  }
}
