// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.guide;

import dev.coxswain.controller.Controller;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.Predicates;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

final class WebsiteController {

  static Controller<Request> create(Kubernetes k8s, Clock clock, Vendor vendor) {
    ControllerBuilder builder =
        k8s.controller("website")
            .forKind(k8s.kind(Website.class).filter(Predicates.generationChanged()))
            .owns(k8s.kind(V1ConfigMap.class).readYourWrites(k8s.ownWrites()))
            .watches(V1Secret.class, Handlers.mapByMetadata(WebsiteController::users))
            .filter(event -> !event.key().namespace().startsWith("kube-"))
            .options(o -> o.withConcurrency(4).withReconcileTimeout(Duration.ofSeconds(30)));
    return builder.reconciles(
        new WebsiteReconciler(
            builder.source(Website.class),
            k8s.resource(Website.class),
            k8s.resource(V1ConfigMap.class),
            vendor,
            clock));
  }

  /** The website that a Secret names in its label. */
  private static List<Request> users(V1ObjectMeta secret) {
    @Nullable Map<String, String> labels = secret.getLabels();
    String website = labels == null ? null : labels.get("website");
    return website == null
        ? List.of()
        : List.of(Request.of(Objects.requireNonNull(secret.getNamespace()), website));
  }

  private WebsiteController() {}
}
