// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.Map;
import java.util.Optional;

/** A controller of sites, whose volume is a ConfigMap, without the part that differs. */
abstract class SiteController implements ControllerDefinition {

  /** What an attempt works with. */
  record Parts(KindSource<Site> sites, KindSource<V1ConfigMap> volumes, Kubernetes k8s) {
    Resource<Site> writeSites() {
      return k8s.resource(Site.class);
    }

    Resource<V1ConfigMap> writeVolumes() {
      return k8s.resource(V1ConfigMap.class);
    }

    /** Returns a new volume of a site. */
    V1ConfigMap volume(Site site, V1ObjectMeta metadata) {
      V1ConfigMap volume =
          new V1ConfigMap()
              .metadata(metadata.namespace("default").labels(Map.of("volume", "true")));
      OwnerReferences.setController(writeSites().type(), site, volume);
      return volume;
    }
  }

  @Override
  public String name() {
    return "site";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    KindSource<Site> sites = k8s.kind(Site.class).toSource();
    KindSource<V1ConfigMap> volumes =
        k8s.kind(V1ConfigMap.class)
            .labels("volume=true")
            .handledBy(Handlers.owner(Site.class))
            .toSource();
    Parts parts = new Parts(sites, volumes, k8s);
    return Controller.named(name())
        .watches(sites)
        .watches(volumes)
        .reconciles((request, _) -> {
          Optional<Site> site = sites.get(request);
          if (site.isPresent() && site.get().getMetadata().getDeletionTimestamp() == null) {
            reconcile(request, site.get(), parts);
          }
          return Result.done();
        });
  }

  abstract void reconcile(Request request, Site site, Parts parts);
}
