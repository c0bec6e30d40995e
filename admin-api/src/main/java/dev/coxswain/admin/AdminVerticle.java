// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.internal.access.AccessHandler;
import dev.coxswain.admin.internal.access.FailedLogins;
import dev.coxswain.admin.internal.audit.AuditTrail;
import dev.coxswain.admin.internal.dashboard.Dashboard;
import dev.coxswain.admin.internal.event.Intervals;
import dev.coxswain.admin.internal.history.History;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.admin.internal.json.JsonWork;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.admin.internal.notice.Notices;
import dev.coxswain.admin.internal.operation.OperationLog;
import dev.coxswain.admin.internal.options.AdminOptions;
import dev.coxswain.admin.internal.peer.PeerTrust;
import dev.coxswain.admin.internal.resource.Statistics;
import dev.coxswain.admin.internal.timeline.Timeline;
import dev.coxswain.admin.spi.AdminPorts;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.http.internal.BoundedListener;
import dev.coxswain.http.internal.ConnectionBounds;
import dev.coxswain.http.internal.ListenerOptions;
import dev.coxswain.http.internal.ServerCertificate;
import dev.coxswain.internal.process.DescriptorLimit;
import dev.coxswain.spi.Clock;
import dev.coxswain.verticle.YieldingExecutor;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.security.cert.X509Certificate;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
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

  /** The time between two looks at what has changed; the timeline is exact to it, and to twice it at the start. */
  private static final long LOOK_MILLIS = 1_000;

  /** The part of the file descriptors of the process that connections may use. */
  private static final int CONNECTIONS_PART = 8;

  private final AdminOptions options;
  private final ControllerDirectory directory;
  private final AccessControl access;
  private final Clock clock;
  private final AdminPorts ports;
  private final Intervals pace;
  private volatile @Nullable BoundedListener listener; // written once at the start
  private @Nullable Routes routes;
  private @Nullable JsonWork jsonWork;

  /** Whether the classes that write JSON are loaded; confined to the loop. */
  private boolean loaded;

  /** Whether those are, or will be, that read the answers of other replicas; confined to the loop. */
  private boolean loadedForPeers;

  private final PeerTrust trust = new PeerTrust();

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
    BoundedListener running = listener;
    if (running == null || !running.listens()) {
      throw new IllegalStateException("the admin API is not listening yet");
    }
    return running.port();
  }

  /** Returns the certificate of new connections; null before the start, and without TLS. */
  public @Nullable X509Certificate certificate() {
    BoundedListener running = listener;
    return running == null ? null : running.served();
  }

  /**
   * Replaces the certificate for new connections. Fails, and keeps the present one, when the new
   * one cannot be used. Any thread; only with TLS, and after the deployment.
   */
  public Future<Void> updateCertificate(ServerCertificate certificate) {
    BoundedListener running = listener;
    return running == null || options.certificate() == null
        ? Future.failedFuture(new IllegalStateException("the admin API does not use TLS"))
        : serve(running, certificate);
  }

  private Future<Void> serve(BoundedListener running, @Nullable ServerCertificate certificate) {
    return running
        .serve(certificate)
        .onSuccess(_ -> {
          X509Certificate served = running.served();
          if (served != null) {
            trust.use(served);
          }
        });
  }

  @Override
  public Future<?> start() {
    return vertx
        .executeBlocking(Dashboard::load)
        .compose(dashboard -> listen(Objects.requireNonNull(dashboard)));
  }

  /**
   * Loads classes on a worker: without a start cache that takes half of the time of the first
   * request, and would block this loop. After a failure the next request that needs them loads them.
   */
  private Future<?> load(Loading loading) {
    return vertx
        .executeBlocking(() -> {
          loading.run();
          return "loaded";
        })
        .onFailure(cause -> log.atWarn().setCause(cause).log("JSON could not be loaded ahead"));
  }

  private interface Loading {
    void run() throws IOException;
  }

  private static void loadForWriting() {
    Json.loadAhead();
    Timeline.loadAhead();
  }

  private void look(Timeline timeline) {
    if (!loaded) {
      return;
    }
    timeline.look();
    if (!loadedForPeers && directory.replicas().size() > 1) {
      loadedForPeers = true;
      load(Json::loadForPeers);
    }
  }

  private Future<?> listen(Dashboard dashboard) {
    BoundedListener created =
        new BoundedListener(
            vertx,
            new ListenerOptions(
                "admin", options.host(), options.port(), bounds(), options.idleTimeout(), true),
            ports.telemetry()::connectionRefused);
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
    Notices notices = new Notices(options.notices(), clock);
    Timeline timeline =
        new Timeline(directory, history, trail, accessHandler, work, notices, clock);
    timeline.look();
    vertx.setPeriodic(LOOK_MILLIS, _ -> look(timeline));
    Routes made =
        new Routes(
            options,
            directory,
            accessHandler,
            trail,
            created.limits(),
            context,
            clock,
            statistics,
            timeline,
            pace,
            operations,
            history,
            trust,
            dashboard,
            work,
            slices);
    routes = made;
    listener = created.requests(made.mount(vertx), AdminVerticle::invalid);
    return serve(created, options.certificate())
        .onSuccess(_ -> {
          log.atInfo()
              .addKeyValue("host", options.host())
              .addKeyValue("port", created.port())
              .addKeyValue("tls", options.certificate() != null)
              .addKeyValue("authentication", access.mode())
              .addKeyValue("access", access.ceiling().label())
              .log("admin API listening");
          vertx.setTimer(
              LOAD_MILLIS, _ -> load(AdminVerticle::loadForWriting).onComplete(_ -> loaded = true));
        })
        .recover(cause -> Future.failedFuture(explained(cause)));
  }

  /** Returns the cause of a failed start; that of a certificate is explained already. */
  private Throwable explained(Throwable cause) {
    return cause instanceof SocketException || cause instanceof UnknownHostException
        ? new IOException(
            "the admin API cannot listen on "
                + options.host()
                + ":"
                + options.port()
                + ": "
                + cause.getMessage()
                + "; free the port or configure another one",
            cause)
        : cause;
  }

  @Override
  public Future<?> stop() {
    BoundedListener running = listener;
    Future<Void> ended = routes == null ? Future.succeededFuture() : routes.close();
    JsonWork work = jsonWork;
    return ended
        .eventually(() -> running == null ? Future.succeededFuture() : running.stop())
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
