// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.guide;

import dev.coxswain.k8s.cache.Lister;
import dev.coxswain.k8s.object.FinalizerRegistry;
import dev.coxswain.k8s.object.StatusConditions;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.ReconcileContext;
import dev.coxswain.reconcile.Reconciler;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.RetryAfterException;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

final class WebsiteReconciler implements Reconciler<Request> {

  private final Lister<Website> cache;
  private final Resource<Website> websites;
  private final Resource<V1ConfigMap> maps;
  private final Vendor vendor;
  private final Clock clock;
  private final FinalizerRegistry<Website> finalizers;

  WebsiteReconciler(
      Lister<Website> cache,
      Resource<Website> websites,
      Resource<V1ConfigMap> maps,
      Vendor vendor,
      Clock clock) {
    this.cache = cache;
    this.websites = websites;
    this.maps = maps;
    this.vendor = vendor;
    this.clock = clock;
    this.finalizers =
        new FinalizerRegistry<>(websites)
            .register(
                "guide.coxswain.dev/cdn",
                website ->
                    vendor.withdraw(Objects.requireNonNull(website.getMetadata().getName())));
  }

  @Override
  public Result reconcile(Request request, ReconcileContext context) throws Exception {
    Optional<Website> found = cache.get(request);
    if (found.isEmpty()) {
      return Result.done();
    }
    Optional<Website> live = finalizers.handle(found.get());
    if (live.isEmpty()) {
      return Result.done();
    }
    Website website = live.get();
    String title = Objects.requireNonNull(website.spec).title();
    context.addLogField("title", title);
    maps.createOrPatch(
        request,
        V1ConfigMap::new,
        map -> {
          OwnerReferences.setController(websites.type(), website, map);
          map.setData(Map.of("index.html", "<h1>" + title + "</h1>"));
        });
    try {
      vendor.publish(request.name(), context.untilDeadline());
    } catch (IOException e) {
      setReady(request, "False", "CdnUnreachable");
      throw RetryAfterException.instead(Duration.ofMinutes(1), "the CDN does not answer", e);
    }
    setReady(request, "True", "Published");
    return Result.requeueAfter(Duration.ofHours(1)).withPriority(-50);
  }

  private void setReady(Request request, String status, String reason) {
    websites.modifyStatus(
        request,
        stored -> {
          V1Condition ready =
              new V1Condition()
                  .type("Ready")
                  .status(status)
                  .reason(reason)
                  .observedGeneration(stored.getMetadata().getGeneration());
          stored.status =
              new Website.Status(StatusConditions.with(stored.conditions(), ready, clock));
        });
  }
}
