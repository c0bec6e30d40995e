// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.internal.access.AccessHandler;
import dev.coxswain.admin.internal.access.FailedLogins;
import dev.coxswain.admin.internal.audit.AuditTrail;
import dev.coxswain.http.internal.ConnectionBounds;
import dev.coxswain.http.internal.ConnectionLimits;
import dev.coxswain.admin.internal.dashboard.Dashboard;
import dev.coxswain.admin.internal.event.Intervals;
import dev.coxswain.admin.internal.history.History;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.operation.OperationLog;
import dev.coxswain.http.internal.ServerCertificate;
import dev.coxswain.admin.internal.options.AdminOptions;
import dev.coxswain.admin.internal.peer.PeerTrust;
import dev.coxswain.admin.internal.resource.Statistics;
import dev.coxswain.admin.spi.AdminPorts;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.internal.process.DescriptorLimit;
import dev.coxswain.spi.Clock;
import dev.coxswain.verticle.YieldingExecutor;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the admin API. The deployment completes when the port is open, and fails with the reason
 * when it cannot be opened; undeploying closes every connection.
 *
 * <p>Thread rule: deployed once, one instance, with the event-loop threading model;
 * {@link #actualPort} may be called from any thread after the deployment has completed.
 */
public final class AdminVerticle extends VerticleBase {

  private static final Logger log = LoggerFactory.getLogger(AdminVerticle.class);

  /** The time from the start until the classes of JSON are loaded, by when most controllers run. */
  private static final long LOAD_MILLIS = 1_000;

  private static final int MAX_REQUEST_LINE = 4096;
  private static final int MAX_HEADERS = 8192;

  /**
   * The send buffer of a connection. It is small, so that the progress of a slow client is noticed
   * before the connection counts as idle.
   */
  private static final int SEND_BUFFER = 128 * 1024;

  /** The part of the file descriptors of the process that connections may use. */
  private static final int CONNECTIONS_PART = 8;

  private static final Set<String> PROTOCOLS = Set.of("TLSv1.3", "TLSv1.2");

  private final AdminOptions options;
  private final ControllerDirectory directory;
  private final AccessControl access;
  private final Clock clock;
  private final AdminPorts ports;
  private final Intervals pace;
  private volatile @Nullable HttpServer server; // written once at the start
  private @Nullable Routes routes;
  private @Nullable JsonWork jsonWork;
  private final PeerTrust trust = new PeerTrust();
  private volatile int port = -1; // written once at the start, read by the host's threads

  /**
   * Creates the admin API of one replica.
   *
   * @param options the address and the limits
   * @param directory the controllers and limiters
   * @param access authentication and authorization
   * @param clock the clock for shown times, limits and caches
   * @throws IllegalArgumentException without authentication at an address that other machines can
   *     reach
   */
  public AdminVerticle(
      AdminOptions options, ControllerDirectory directory, AccessControl access, Clock clock) {
    this(options, directory, access, clock, AdminPorts.DEFAULT, Intervals.DEFAULT);
  }

  /**
   * Creates the admin API of one replica, with ports of its host.
   *
   * @param options the address and the limits
   * @param directory the controllers and limiters
   * @param access authentication and authorization
   * @param clock the clock for shown times, limits and caches
   * @param ports the sinks of audit records and counters
   * @throws IllegalArgumentException without authentication at an address that other machines can
   *     reach
   */
  public AdminVerticle(
      AdminOptions options,
      ControllerDirectory directory,
      AccessControl access,
      Clock clock,
      AdminPorts ports) {
    this(options, directory, access, clock, ports, Intervals.DEFAULT);
  }

  AdminVerticle(
      AdminOptions options,
      ControllerDirectory directory,
      AccessControl access,
      Clock clock,
      AdminPorts ports,
      Intervals pace) {
    this.ports = Objects.requireNonNull(ports, "ports");
    this.options = Objects.requireNonNull(options, "options");
    this.directory = Objects.requireNonNull(directory, "directory");
    this.access = Objects.requireNonNull(access, "access");
    this.clock = Objects.requireNonNull(clock, "clock");
    this.pace = pace.within(options.idleTimeout());
    if (access.isOpen() && !options.loopback()) {
      throw new IllegalArgumentException(
          "without authentication the admin API binds to loopback only, found host \""
              + options.host()
              + "\"");
    }
  }

  /**
   * Returns the port that is open.
   *
   * @throws IllegalStateException before the deployment has completed
   */
  public int actualPort() {
    if (port < 0) {
      throw new IllegalStateException("the admin API is not listening yet");
    }
    return port;
  }

  /**
   * Replaces the certificate for new connections. Fails, and keeps the present one, when the new
   * one cannot be used. Any thread; only with TLS, and after the deployment.
   */
  public Future<Void> updateCertificate(ServerCertificate certificate) {
    HttpServer running = server;
    if (running == null || options.certificate() == null) {
      return Future.failedFuture(new IllegalStateException("the admin API does not use TLS"));
    }
    return checked(certificate)
        .compose(good ->
            running.updateSSLOptions(
                new ServerSSLOptions()
                    .setKeyCertOptions(certificate.options())
                    .setEnabledSecureTransportProtocols(PROTOCOLS)
                    .setUseAlpn(true)
                    .setApplicationLayerProtocols(List.of("h2", "http/1.1"))))
        .compose(used -> trusted(certificate))
        .mapEmpty();
  }

  private Future<?> trusted(ServerCertificate certificate) {
    return vertx.executeBlocking(() -> {
      trust.use(certificate.leaf());
      return true;
    });
  }

  private Future<?> checked(ServerCertificate certificate) {
    return vertx.executeBlocking(() -> {
      certificate.check(vertx);
      return true;
    });
  }

  @Override
  public Future<?> start() {
    ServerCertificate certificate = options.certificate();
    Future<?> good =
        certificate == null
            ? Future.succeededFuture()
            : checked(certificate).compose(yes -> trusted(certificate));
    return good.compose(yes -> vertx.executeBlocking(Dashboard::load))
        .compose(dashboard -> listen(Objects.requireNonNull(dashboard)));
  }

  private Future<?> listen(Dashboard dashboard) {
    ConnectionLimits connections =
        new ConnectionLimits(vertx, "admin", bounds(), ports.telemetry()::connectionRefused);
    Executor slices = new YieldingExecutor(context);
    JsonWork work = new JsonWork(vertx, slices);
    jsonWork = work;
    History history = new History(directory, work);
    AuditTrail trail = new AuditTrail(context, clock, ports, history);
    FailedLogins failed = new FailedLogins(clock, trail, ports.telemetry());
    AccessHandler accessHandler = new AccessHandler(access, options, failed, context, clock);
    OperationLog operations = new OperationLog();
    Statistics statistics = new Statistics(directory, clock);
    statistics.sample();
    vertx.setPeriodic(Math.max(1, pace.sample().toMillis()), timer -> statistics.sample());
    Routes made =
        new Routes(
            options,
            directory,
            accessHandler,
            trail,
            connections,
            context,
            clock,
            statistics,
            pace,
            operations,
            history,
            trust,
            dashboard,
            work,
            slices);
    routes = made;
    var router = made.mount(vertx);
    HttpServer created =
        vertx
            .createHttpServer(serverOptions())
            .connectionHandler(connections::opened)
            .invalidRequestHandler(AdminVerticle::invalid)
            .requestHandler(router);
    server = created;
    return created
        .listen()
        .map(listening -> {
          port = listening.actualPort();
          log.atInfo()
              .addKeyValue("host", options.host())
              .addKeyValue("port", port)
              .addKeyValue("tls", options.certificate() != null)
              .addKeyValue("authentication", access.mode())
              .addKeyValue("access", access.ceiling().label())
              .log("admin API listening");
          // Without a start cache it takes half of the time of the first request.
          vertx.setTimer(LOAD_MILLIS, _ -> vertx.executeBlocking(Json::loadAhead));
          return listening;
        })
        .recover(cause ->
            Future.failedFuture(
                new IOException(
                    "the admin API cannot listen on "
                        + options.host()
                        + ":"
                        + options.port()
                        + ": "
                        + cause.getMessage()
                        + "; free the port or configure another one",
                    cause)));
  }

  @Override
  public Future<?> stop() {
    HttpServer running = server;
    Future<Void> ended = routes == null ? Future.succeededFuture() : routes.close();
    JsonWork work = jsonWork;
    return ended
        .eventually(() -> running == null ? Future.succeededFuture() : running.close())
        .eventually(() -> work == null ? Future.succeededFuture() : work.close());
  }

  private ConnectionBounds bounds() {
    return ConnectionBounds.of(
        DescriptorLimit.connections(options.maxConnections(), CONNECTIONS_PART),
        options.requestTimeout(),
        options.idleTimeout().compareTo(options.requestTimeout().plusSeconds(1)) < 0
            ? options.requestTimeout().plusSeconds(1)
            : options.idleTimeout());
  }

  private HttpServerOptions serverOptions() {
    HttpServerOptions server =
        new HttpServerOptions()
            .setHost(options.host())
            .setPort(options.port())
            .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
            .setIdleTimeout((int) Math.min(options.idleTimeout().toMillis(), Integer.MAX_VALUE))
            .setSendBufferSize(SEND_BUFFER)
            .setMaxInitialLineLength(MAX_REQUEST_LINE)
            .setMaxHeaderSize(MAX_HEADERS)
            .setHttp2ClearTextEnabled(false)
            // Their handler writes a stack trace for each request of a long pipeline.
            .setPerFrameWebSocketCompressionSupported(false)
            .setPerMessageWebSocketCompressionSupported(false)
            .setCompressionSupported(false)
            .setDecompressionSupported(false);
    server.getInitialSettings().setMaxHeaderListSize(MAX_HEADERS);
    ServerCertificate certificate = options.certificate();
    if (certificate != null) {
      server
          .setSsl(true)
          .setUseAlpn(true)
          .setKeyCertOptions(certificate.options())
          .setEnabledSecureTransportProtocols(PROTOCOLS)
          .setSslHandshakeTimeoutUnit(TimeUnit.MILLISECONDS)
          .setSslHandshakeTimeout(options.requestTimeout().toMillis());
    }
    return server;
  }

  /** Responds to malformed HTTP, and to request lines and headers that are too long. */
  private static void invalid(HttpServerRequest request) {
    Throwable cause = request.decoderResult().cause();
    Problem problem = malformed(cause);
    String id = "%016x".formatted(ThreadLocalRandom.current().nextLong());
    var response = request.response();
    RequestAdmission.putHeaders(response.headers(), id);
    response
        .setStatusCode(problem.status())
        .putHeader("Content-Type", "application/problem+json")
        .putHeader("Connection", "close")
        .end(Buffer.buffer(Json.write(problem.body("/", id))))
        .onComplete(sent -> request.connection().close());
  }

  private static Problem malformed(@Nullable Throwable cause) {
    if (cause instanceof TooLongHttpLineException) {
      return Problem.of(
          414, "uri-too-long", "URI too long", "a request line has at most 4096 bytes");
    }
    if (cause instanceof TooLongHttpHeaderException) {
      return Problem.of(
          431, "headers-too-large", "Headers too large", "headers have at most 8192 bytes");
    }
    return Problem.invalid("malformed-request", "the request is not well-formed HTTP/1.1");
  }
}
