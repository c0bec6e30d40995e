// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import dev.coxswain.admin.AdminVerticle;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.auth.StaticAccess;
import dev.coxswain.admin.internal.options.AdminOptions;
import dev.coxswain.admin.spi.AdminPorts;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.host.internal.config.AdminSettings;
import dev.coxswain.host.internal.config.AdminTokens;
import dev.coxswain.host.internal.config.CoxswainConfiguration.Listener;
import dev.coxswain.host.internal.config.TlsFiles;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import dev.coxswain.host.internal.http.PortInUseException;
import dev.coxswain.host.internal.http.WatchedFiles;
import dev.coxswain.host.internal.lifecycle.Component;
import dev.coxswain.host.internal.probes.Check;
import dev.coxswain.http.internal.BoundedListener;
import dev.coxswain.http.internal.ServerCertificate;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.auth.AccessReviews;
import dev.coxswain.spi.Clock;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The admin API server of this replica, with its certificate and tokens.
 *
 * <p>Thread rule: any thread; {@link #url} only after the start.
 */
public final class AdminComponent implements Component {

  private static final Set<String> EVERY_ADDRESS = Set.of("0.0.0.0", "::", "[::]");
  private static final String NAME = "admin";
  private static final String TOKEN_HINT = "see admin.auth in docs/reference/admin-api.md";

  /** Shorter than the time-out of the admin API, so that the cause of a slow review is reported. */
  private static final Duration REVIEW_LIMIT = Duration.ofSeconds(3);

  private final Vertx vertx;
  private final AdminSettings settings;
  private final AdminOptions options;
  private final ControllerDirectory directory;
  private final Kubernetes kubernetes;
  private final AdminPorts ports;
  private final Clock clock;
  private final StaticAccess tokens = new StaticAccess(List.of());
  private final List<WatchedFiles> files = new ArrayList<>();
  private volatile @Nullable AdminVerticle verticle;
  private volatile @Nullable String deployment;

  /**
   * Creates a server that does not listen yet.
   *
   * @param options the rules for changes, and what is not in the settings
   * @param directory the controllers, limiters and replicas
   * @param kubernetes the reviews of tokens and rights, used when configured
   * @param ports the sinks of audit records and of counts
   */
  public AdminComponent(
      Vertx vertx,
      AdminSettings settings,
      AdminOptions options,
      ControllerDirectory directory,
      Kubernetes kubernetes,
      AdminPorts ports,
      Clock clock) {
    this.vertx = vertx;
    this.settings = settings;
    this.options = options;
    this.directory = directory;
    this.kubernetes = kubernetes;
    this.ports = ports;
    this.clock = clock;
    String tokenFile = settings.auth().tokenFile();
    if (tokenFile != null) {
      files.add(
          new WatchedFiles(
              vertx,
              "admin.auth.tokenFile",
              List.of(Path.of(tokenFile)),
              contents -> useTokens(tokenFile, contents.getFirst())));
    }
    TlsFiles tls = settings.tls();
    if (tls != null) {
      files.add(WatchedFiles.certificate(vertx, NAME, tls, this::useCertificate));
    }
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public Future<?> start() {
    Future<?> read = Future.succeededFuture();
    for (WatchedFiles each : files) {
      read = read.compose(before -> each.start());
    }
    return settings.tls() == null ? read.compose(before -> deploy(null)) : read;
  }

  private Future<?> useTokens(String source, byte[] content) {
    try {
      tokens.replace(AdminTokens.read(new String(content, StandardCharsets.UTF_8), source));
      return Future.succeededFuture();
    } catch (ConfigurationException | IllegalArgumentException e) {
      return Future.failedFuture(e);
    }
  }

  private Future<?> useCertificate(ServerCertificate certificate) {
    AdminVerticle running = verticle;
    return running == null ? deploy(certificate) : running.updateCertificate(certificate);
  }

  /** Returns the certificate of new connections; null before the start, and without TLS. */
  public @Nullable X509Certificate served() {
    AdminVerticle running = verticle;
    return running == null ? null : running.certificate();
  }

  private Future<?> deploy(@Nullable ServerCertificate certificate) {
    AdminOptions all = options.withPort(settings.listener().port()).withLinks(settings.links());
    if (certificate != null) {
      all = all.withCertificate(certificate);
    }
    AdminVerticle created =
        new AdminVerticle(
            all.withHost(settings.listener().host()), directory, accessControl(), clock, ports);
    return vertx
        .deployVerticle(created)
        .onSuccess(id -> {
          deployment = id;
          verticle = created;
        })
        .recover(cause -> Future.failedFuture(explained(cause)));
  }

  /** Returns the cause of a failed start, without the exception that the admin API wraps it in. */
  private Throwable explained(Throwable cause) {
    Throwable inner = cause.getCause() == null ? cause : cause.getCause();
    Listener listener = settings.listener();
    Throwable found = PortInUseException.explain(inner, NAME, listener.host(), listener.port());
    return found instanceof PortInUseException ? found : cause;
  }

  private AccessControl accessControl() {
    AdminSettings.Auth auth = settings.auth();
    AccessControl control =
        switch (auth.effectiveMode()) {
          case NONE -> AccessControl.open();
          case TOKEN_FILE ->
              AccessControl.local("tokenFile", TOKEN_HINT, new AccessControl.Ports(tokens, tokens));
          case KUBERNETES -> {
            KubernetesReviews reviews =
                new KubernetesReviews(
                    new AccessReviews(
                        KubernetesRuntime.of(kubernetes).transport().withTimeout(REVIEW_LIMIT),
                        auth.audience()),
                    clock);
            yield AccessControl.reviewed(
                "kubernetes",
                "kubectl create token SERVICEACCOUNT --audience " + auth.audience() + " makes one",
                new AccessControl.Ports(reviews, reviews),
                ReviewLimits.DEFAULT);
          }
        };
    return control.withCeiling(settings.access());
  }

  @Override
  public Future<?> stop() {
    files.forEach(WatchedFiles::stop);
    String id = deployment;
    return id == null ? Future.succeededFuture() : vertx.undeploy(id);
  }

  /** Checks the files for changes at once; never fails. */
  Future<?> look() {
    Future<?> looked = Future.succeededFuture();
    for (WatchedFiles each : files) {
      looked = looked.compose(before -> each.look());
    }
    return looked;
  }

  /**
   * Returns a check for each file whose current contents are not in use; these do not make the
   * replica unready.
   */
  public List<Check> checks() {
    return files.stream()
        .filter(each -> each.problem() != null)
        .map(each -> Check.shown(NAME, each.problem()))
        .toList();
  }

  /** Returns the address, such as {@code http://127.0.0.1:8090}. */
  public String url() {
    return url(settings.listener().host());
  }

  /**
   * Returns the address for other replicas.
   *
   * @param own the address of this machine, used when it listens on all addresses
   */
  public String announced(String own) {
    String host = settings.listener().host();
    return url(EVERY_ADDRESS.contains(host) ? own : host);
  }

  private String url(String host) {
    AdminVerticle running = verticle;
    if (running == null) {
      throw new IllegalStateException("the admin API does not listen");
    }
    return (settings.tls() == null ? "http://" : "https://")
        + BoundedListener.authority(host, running.actualPort());
  }
}
