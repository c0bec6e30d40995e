// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.webhooks;

import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.config.CoxswainConfiguration;
import dev.coxswain.host.config.WebhookSettings;
import dev.coxswain.host.http.PortInUseException;
import dev.coxswain.host.http.WatchedFiles;
import dev.coxswain.host.lifecycle.Component;
import dev.coxswain.host.lifecycle.HostException;
import dev.coxswain.host.metrics.HostMetrics;
import dev.coxswain.host.probes.Check;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.callback.CallbackServer;
import dev.coxswain.k8s.webhook.ServedWebhook;
import dev.coxswain.k8s.webhook.WebhookDefinition;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1Secret;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The webhooks of this replica: the server, its certificate, and their registration with the API
 * server. The start completes when the server listens; the replica is ready when the webhooks are
 * registered. Later, the certificate and the registration are checked again and again.
 *
 * <p>Thread rule: any thread.
 */
public final class WebhookComponent implements Component {

  private static final Logger LOG = LoggerFactory.getLogger(WebhookComponent.class);
  private static final String NAME = "webhooks";
  private static final Duration RETRY = Duration.ofSeconds(1);
  private static final Duration PERIOD = Duration.ofSeconds(30);

  private final Vertx vertx;
  private final Vertx loops;
  private final CoxswainConfiguration configuration;
  private final WebhookSettings settings;
  private final List<ControllerDefinition> definitions;
  private final Kubernetes kubernetes;
  private final HostMetrics metrics;
  private final Clock clock;
  private final CallbackPaths callbacks = new CallbackPaths(this::serve, this::port, this::peers);
  private final WebhookEndpoints endpoints;
  private final AtomicBoolean checking = new AtomicBoolean();
  private volatile List<ServedWebhook> served = List.of();
  private volatile @Nullable Future<?> serving;
  private volatile @Nullable WebhookServer server;
  private volatile @Nullable ConfigurationWriter writer;
  private volatile @Nullable WebhookCertificate certificate;
  private volatile @Nullable WatchedFiles files;
  private volatile @Nullable CertificateStore store;
  private volatile @Nullable String problem;
  private volatile boolean registered;
  private volatile boolean stopped;
  private volatile long timer = -1;

  /**
   * Creates a component that does not run yet.
   *
   * @param vertx its timers and its server: reading large objects holds up no controller
   * @param loops the event loops of controllers, for what handlers build
   * @param definitions the controllers; those that are a {@link WebhookDefinition} have webhooks
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
    this.loops = loops;
    this.configuration = configuration;
    this.settings = configuration.webhooks();
    this.endpoints = new WebhookEndpoints(settings, configuration.membership().host());
    this.definitions = List.copyOf(definitions);
    this.kubernetes = kubernetes;
    this.metrics = metrics;
    this.clock = clock;
  }

  @Override
  public String name() {
    return NAME;
  }

  /** Returns the server as sources see it, which share it with webhooks. */
  public CallbackServer callbacks() {
    return callbacks;
  }

  @Override
  public Future<?> start() {
    return blocking(this::declared)
        .compose(webhooks -> {
          writer =
              new ConfigurationWriter(
                  kubernetes, webhooks, settings.service(), configuration.membership());
          if (webhooks.isEmpty()) {
            registered = true;
            if (settings.service() != null || settings.url() != null) {
              beginChecks(); // an earlier version may have had some
            }
            return Future.succeededFuture();
          }
          List<ServedWebhook> all = new ArrayList<>();
          webhooks
              .values()
              .forEach(one -> {
                all.addAll(one.admission());
                all.addAll(one.conversion());
              });
          served = List.copyOf(all);
          problem = "not registered yet";
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
    server = new WebhookServer(vertx, settings.listener(), served, callbacks, metrics);
    Future<?> begun = startServer().onSuccess(_ -> beginChecks());
    serving = begun;
    return begun;
  }

  private void beginChecks() {
    if (checking.compareAndSet(false, true)) {
      check();
    }
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

  private Map<String, Webhooks> declared() throws HostException {
    Map<String, Webhooks> all = new LinkedHashMap<>();
    for (ControllerDefinition definition : definitions) {
      if (definition instanceof WebhookDefinition declaring) {
        Webhooks webhooks = new Webhooks(definition.name());
        try {
          declaring.webhooks(webhooks, environment(definition.name()));
        } catch (Exception | LinkageError e) {
          throw new HostException(
              "the webhooks of controller \"%s\" cannot be built: %s"
                  .formatted(definition.name(), e),
              e);
        }
        if (!webhooks.admission().isEmpty() || !webhooks.conversion().isEmpty()) {
          all.put(definition.name(), webhooks);
        }
      }
    }
    return all;
  }

  private ControllerEnvironment environment(String controller) {
    return new WebhookEnvironment(
        Map.of(Kubernetes.class, kubernetes, Vertx.class, loops),
        configuration.controller(controller).config(),
        clock);
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
            started.tryFail(e);
          } else {
            failed("certificate", e);
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
    return blocking(
            () -> {
              next.served().check(vertx);
              return true;
            })
        .compose(
            _ -> running.listens() ? running.update(next.served()) : running.start(next.served()))
        .onSuccess(_ -> {
          certificate = next;
          if (vertx.cancelTimer(timer)) {
            check(); // writes the new authority
          }
        });
  }

  /** Reads the certificate again, writes the configurations, and so on until the stop. */
  private void check() {
    if (stopped) {
      return;
    }
    loadNow()
        .compose(_ -> register())
        .onSuccess(_ -> {
          if (!registered) {
            LOG.atInfo().addKeyValue("address", address()).log("webhooks registered");
          }
          registered = true;
        })
        .onFailure(e -> failed("registration", e))
        // What is not declared is deleted also when something else cannot be registered.
        .transform(written ->
            deleteUndeclared()
                .onFailure(e -> {
                  if (written.succeeded()) {
                    failed("deletion", e);
                  }
                })
                .compose(_ ->
                    written.succeeded()
                        ? Future.succeededFuture()
                        : Future.failedFuture(written.cause())))
        .onSuccess(_ -> problem = null)
        .onComplete(done -> {
          Duration wait = registered ? PERIOD : RETRY;
          if (!stopped) {
            timer = vertx.setTimer(wait.toMillis(), _ -> check());
          }
        });
  }

  private void failed(String step, Throwable cause) {
    String text = step + ": " + cause.getMessage();
    if (!text.equals(problem)) {
      problem = text;
      LOG.atWarn()
          .addKeyValue("step", step)
          .addKeyValue("error", String.valueOf(cause.getMessage()))
          .log("webhooks not up to date, retrying");
    }
  }

  private Future<?> register() {
    ConfigurationWriter to = writer;
    WebhookCertificate with = certificate;
    return to == null || with == null
        ? Future.succeededFuture()
        : blocking(() -> {
          to.write(address(), with.authority());
          return true;
        });
  }

  /** Deletes what an earlier version has registered; without it, writes would be refused for ever. */
  private Future<?> deleteUndeclared() {
    ConfigurationWriter to = writer;
    return to == null
        ? Future.succeededFuture()
        : blocking(to::deleteUndeclared)
            .onSuccess(deleted ->
                deleted.forEach(one ->
                    LOG.atInfo()
                        .addKeyValue("configuration", one)
                        .log("webhook configuration deleted, no controller declares it")));
  }

  /** Returns where the API server reaches the server, unless by a Service. */
  private String address() {
    return endpoints.server(port());
  }

  private <T> Future<T> blocking(Callable<T> code) {
    return vertx.executeBlocking(code, false).map(made -> Objects.requireNonNull(made));
  }

  @Override
  public Future<?> stop() {
    stopped = true;
    vertx.cancelTimer(timer);
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
    if (server != null || problem != null) {
      checks.add(new Check(NAME, problem, !registered));
    }
    WatchedFiles watched = files;
    if (watched != null && watched.problem() != null) {
      checks.add(Check.shown(NAME, watched.problem()));
    }
    return checks;
  }
}
