// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.guide;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.events.EventRecorder;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.k8s.source.Predicates;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.List;
import java.util.Objects;

public final class WebsiteController implements ControllerDefinition {

  private static final Index<Website> BY_SECRET = new Index<>("secret", Website::secrets);

  private final Cdn cdn;

  WebsiteController(Cdn cdn) {
    this.cdn = cdn;
  }

  @Override
  public String name() {
    return "website";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    ControllerBuilder builder =
        k8s.controller(name())
            .forKind(
                k8s.kind(Website.class).indexedBy(BY_SECRET).filter(Predicates.generationChanged()))
            .owns(k8s.kind(V1ConfigMap.class).readYourWrites(k8s.ownWrites()));
    KindSource<Website> websites = builder.source(Website.class);
    Resource<Website> keys = k8s.resource(Website.class);
    builder
        .watches(V1Secret.class, Handlers.map(secret -> users(websites, keys, secret)))
        .options(o -> o.withConcurrency(4));
    EventRecorder events = environment.get(EventRecorder.class);
    return builder.reconciles(
        new WebsiteReconciler(k8s, websites, events, cdn, environment.clock()));
  }

  /** The websites of this replica that use a Secret. */
  private static List<Request> users(
      KindSource<Website> websites, Resource<Website> keys, V1Secret secret) {
    V1ObjectMeta metadata = Objects.requireNonNull(secret.getMetadata());
    return websites
        .owned()
        .list(BY_SECRET, metadata.getNamespace() + "/" + metadata.getName())
        .stream()
        .map(keys::key)
        .toList();
  }
}
