// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.webhooks;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.WebhookSettings;
import dev.coxswain.host.internal.http.PortInUseException;
import dev.coxswain.host.internal.http.WatchedFiles;
import dev.coxswain.host.internal.lifecycle.Component;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.probes.Check;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.callback.CallbackServer;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1Secret;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The webhooks of this replica: the server, its certificate, and their registration with the API
 * server. The start completes when the server listens; the replica is ready when the webhooks are
 * registered. Later, the certificate and the registration are checked again and again.
 *
 * <p>Thread rule: any thread.
 */
public final class WebhookComponent implements Component {

  private static final String NAME = "webhooks";
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final Vertx vertx;
  private final CoxswainConfiguration configuration;
  private final WebhookSettings settings;
  private final List<ControllerDefinition> definitions;
  private final Kubernetes kubernetes;
  private final HostMetrics metrics;
  private final Clock clock;
  private final WebhookDirectory directory;
  private final WebhookDeclarations declarations;
  private final CallbackPaths callbacks;
  private final PluginWebhooks plugins;
  private final WebhookEndpoints endpoints;
  private final WebhookRegistration registration;

  private volatile @Nullable Future<?> serving;
  private volatile @Nullable WebhookServer server;
  private volatile @Nullable WebhookCertificate certificate;
  private volatile @Nullable WatchedFiles files;
  private volatile @Nullable CertificateStore store;
  private volatile boolean stopped;

  /**
   * Creates a component that does not run yet.
   *
   * @param vertx its timers and its server: reading large objects holds up no controller
   * @param loops the event loops of controllers, for what handlers build
   * @param definitions the controllers; those that are a {@code WebhookDefinition} have webhooks
   * @param kubernetes access to the API server
   */
  public WebhookComponent(
      Vertx vertx,
      Vertx loops,
      CoxswainConfiguration configuration,
      List<ControllerDefinition> definitions,
      Kubernetes kubernetes,
      HostMetrics metrics,
      Clock clock) {
    this.vertx = vertx;
    this.configuration = configuration;
    this.settings = configuration.webhooks();
    this.endpoints = new WebhookEndpoints(settings, configuration.membership().host());
    this.definitions = List.copyOf(definitions);
    this.kubernetes = kubernetes;
    this.metrics = metrics;
    this.clock = clock;
    this.directory = new WebhookDirectory(metrics);
    this.declarations = new WebhookDeclarations(kubernetes, loops, configuration, clock);
    this.callbacks = new CallbackPaths(directory, this::serve, this::port, this::peers);
    this.plugins = new PluginWebhooks(this, directory, declarations);
    this.registration =
        new WebhookRegistration(
            vertx,
            directory,
            new ConfigurationWriter(
                kubernetes, directory, settings.service(), configuration.membership()),
            this::loadNow,
            this::target,
            plugins::areKnown);
  }

  @Override
  public String name() {
    return NAME;
  }

  /** Returns the server as sources see it, which share it with webhooks. */
  public CallbackServer callbacks() {
    return callbacks;
  }

  /** Returns the certificate of new connections; null while the server does not listen. */
  public @Nullable X509Certificate served() {
    WebhookServer running = server;
    return running == null ? null : running.served();
  }

  /** Returns the webhooks of plug-ins. */
  public PluginWebhooks plugins() {
    return plugins;
  }

  @Override
  public Future<?> start() {
    return blocking(
            () -> {
              String clash =
                  directory.replace(
                      WebhookDirectory.CLASS_PATH, declarations.of(definitions), false);
              if (!clash.isEmpty()) {
                throw new HostException(clash);
              }
              return true;
            })
        .compose(_ -> {
          if (directory.isEmpty()) {
            if (settings.service() != null || settings.url() != null) {
              registration.checkSoon(); // an earlier version may have had some
            }
            return Future.succeededFuture();
          }
          registration.require(directory.byController().keySet());
          return serve();
        });
  }

  /** Starts the server, once. */
  private synchronized Future<?> serve() {
    Future<?> known = serving;
    if (known != null && !known.failed()) {
      return known;
    }
    if (stopped) {
      return Future.failedFuture("the host is stopping");
    }
    server = new WebhookServer(vertx, settings.listener(), directory, callbacks, metrics);
    Future<?> started = startServer().onSuccess(_ -> registration.checkSoon());
    serving = started;
    return started;
  }

  /** Returns the registration of all webhooks. */
  WebhookRegistration registration() {
    return registration;
  }

  /** Starts the server, if need be, and completes after the next attempt to register all webhooks. */
  Future<?> serveNow() {
    return serve().compose(_ -> registration.next());
  }

  private int port() {
    WebhookServer running = server;
    return running == null ? settings.listener().port() : running.port();
  }

  /** Returns where other replicas reach the server, and what their certificates have in common. */
  private CallbackPaths.Peers peers() {
    WebhookCertificate with = certificate;
    return new CallbackPaths.Peers(
        endpoints.own(port()),
        with == null
            ? Optional.empty()
            : Optional.of(
                new CallbackServer.Identity(endpoints.common(), Buffer.buffer(with.authority()))));
  }

  private Future<?> startServer() {
    WebhookSettings.Tls tls = settings.tls();
    if (tls != null) {
      WatchedFiles watched =
          new WatchedFiles(
              vertx,
              "webhooks.tls",
              tls.files().stream().map(Path::of).toList(),
              contents ->
                  use(new WebhookCertificate(contents.get(0), contents.get(1), contents.get(2))));
      files = watched;
      return watched.start();
    }
    store =
        new CertificateStore(
            kubernetes.resource(V1Secret.class),
            new Request(configuration.membership().namespace(), settings.secret()),
            endpoints.names(),
            clock);
    Promise<Void> started = Promise.promise();
    load(started);
    return started.future();
  }

  /** The API server may not be there yet, so the certificate is read until it can be. */
  private void load(Promise<Void> started) {
    loadNow()
        .onSuccess(_ -> started.tryComplete())
        .onFailure(e -> {
          if (stopped) {
            started.tryFail("stopped");
          } else if (server != null && e instanceof PortInUseException) {
            registration.failed("server", e);
            started.tryFail(e);
          } else {
            registration.failed("certificate", e);
            vertx.setTimer(RETRY.toMillis(), _ -> load(started));
          }
        });
  }

  private Future<?> loadNow() {
    CertificateStore from = store;
    return from == null ? Future.succeededFuture() : blocking(from::load).compose(this::use);
  }

  /** Serves with a certificate from now on. */
  private Future<?> use(WebhookCertificate next) {
    WebhookServer running = server;
    if (running == null || CertificateStore.same(certificate, next)) {
      return Future.succeededFuture();
    }
    return running
        .serve(next.served())
        .onSuccess(_ -> {
          certificate = next;
          registration.checkAgain(); // writes the new authority
        });
  }

  /** Returns where the API server reaches the server; null before there is a certificate. */
  private WebhookRegistration.@Nullable Target target() {
    WebhookCertificate with = certificate;
    return with == null
        ? null
        : new WebhookRegistration.Target(endpoints.server(port()), Buffer.buffer(with.authority()));
  }

  private <T> Future<T> blocking(Callable<T> code) {
    return vertx.executeBlocking(code, false).map(made -> Objects.requireNonNull(made));
  }

  @Override
  public Future<?> stop() {
    stopped = true;
    registration.stop();
    WatchedFiles watched = files;
    if (watched != null) {
      watched.stop();
    }
    WebhookServer running = server;
    return running == null ? Future.succeededFuture() : running.stop();
  }

  /**
   * Returns a check that fails until the webhooks are registered; later problems are only shown.
   */
  public List<Check> checks() {
    List<Check> checks = new ArrayList<>();
    String problem = registration.problem();
    if (server != null || problem != null) {
      checks.add(new Check(NAME, problem, !registration.isComplete()));
    }
    WatchedFiles watched = files;
    if (watched != null && watched.problem() != null) {
      checks.add(Check.shown(NAME, watched.problem()));
    }
    return checks;
  }
}
