// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.guide;

import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.cache.Lister;
import dev.coxswain.k8s.events.EventRecorder;
import dev.coxswain.k8s.object.FinalizerRegistry;
import dev.coxswain.k8s.object.StatusConditions;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

final class WebsiteReconciler implements Reconciler<Request> {

  private final Lister<Website> cache;
  private final Resource<Website> websites;
  private final Resource<V1ConfigMap> maps;
  private final EventRecorder events;
  private final Clock clock;
  private final FinalizerRegistry<Website> finalizers;

  WebsiteReconciler(
      Kubernetes k8s, Lister<Website> cache, EventRecorder events, Cdn cdn, Clock clock) {
    this.cache = cache;
    this.websites = k8s.resource(Website.class);
    this.maps = k8s.resource(V1ConfigMap.class);
    this.events = events;
    this.clock = clock;
    this.finalizers =
        new FinalizerRegistry<>(websites)
            .register(
                "example.com/cdn",
                website -> cdn.purge(Objects.requireNonNull(website.getMetadata().getName())));
  }

  @Override
  public Result reconcile(Request request, ReconcileContext context) throws Exception {
    Optional<Website> found = cache.get(request);
    if (found.isEmpty()) {
      return Result.done();
    }
    Optional<Website> live = finalizers.handle(found.get());
    if (live.isEmpty()) {
      return Result.done(); // being deleted, and cleaned up
    }
    Website website = live.get();
    maps.createOrPatch(
        request,
        V1ConfigMap::new,
        map -> {
          OwnerReferences.setController(websites.type(), website, map);
          map.setData(Map.of("index.html", "<h1>" + website.title() + "</h1>"));
        });
    if (!StatusConditions.isTrue(website.conditions(), "Ready")) {
      setReady(request);
      events.normal(website, "Published", "Publish", "published " + request.name());
    }
    return Result.requeueAfter(Duration.ofHours(1));
  }

  private void setReady(Request request) {
    V1Condition ready = new V1Condition().type("Ready").status("True").reason("Published");
    websites.modifyStatus(
        request,
        stored ->
            stored.status =
                new Website.Status(StatusConditions.with(stored.conditions(), ready, clock)));
  }
}
