// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal;

import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.config.MetricsSettings;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.metrics.MetricsAccess;
import dev.coxswain.host.internal.metrics.MetricsRoute;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.auth.AccessReviews;
import dev.coxswain.k8s.client.ApiTransport;
import dev.coxswain.spi.Clock;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;

/** The route of the metrics, with the authentication of the configuration. */
final class MetricsRoutes {

  static final String PATH = "/metrics";

  /** A scrape waits for a review, and scrapers give up after 10 s. */
  private static final Duration REVIEW_LIMIT = Duration.ofSeconds(3);

  private MetricsRoutes() {}

  static Handler<HttpServerRequest> of(
      Vertx vertx,
      HostMetrics metrics,
      CoxswainConfiguration configuration,
      Kubernetes kubernetes,
      Clock clock) {
    MetricsRoute route = new MetricsRoute(vertx, metrics);
    MetricsSettings.Auth auth = configuration.metrics().auth();
    return switch (auth.mode()) {
      case NONE -> route;
      case KUBERNETES -> {
        ApiTransport transport =
            KubernetesRuntime.of(kubernetes).transport().withTimeout(REVIEW_LIMIT);
        AccessReviews reviews =
            auth.audience().isEmpty()
                ? AccessReviews.ofApiServerTokens(transport)
                : new AccessReviews(transport, auth.audience());
        yield MetricsAccess.of(vertx, reviews, PATH, route, clock);
      }
    };
  }
}
