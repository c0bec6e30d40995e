// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.junit5.explore.Scenario;
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

    static Parts of(Kubernetes k8s) {
      return new Parts(
          k8s.kind(Site.class).toSource(),
          k8s.kind(V1ConfigMap.class)
              .labels("volume=true")
              .handledBy(Handlers.owner(Site.class))
              .toSource(),
          k8s);
    }

    /** Returns a new volume of a site. */
    V1ConfigMap volume(Site site, V1ObjectMeta metadata) {
      metadata.namespace(site.getMetadata().getNamespace()).labels(Map.of("volume", "true"));
      V1ConfigMap volume = new V1ConfigMap().metadata(metadata);
      OwnerReferences.setController(writeSites().type(), site, volume);
      return volume;
    }

    /** Creates a volume of a site, unless it is there. */
    void makeVolume(Site site, Request key) {
      writeVolumes().createOrPatch(key, () -> volume(site, new V1ObjectMeta()), _ -> {});
    }
  }

  /** One attempt. */
  interface Attempt {
    void run(Request request, Site site, Parts parts);
  }

  static ControllerDefinition controller(Attempt attempt) {
    return new SiteController() {
      @Override
      void reconcile(Request request, Site site, Parts parts) {
        attempt.run(request, site, parts);
      }
    };
  }

  /** Returns a scenario that begins with a site. */
  static Scenario oneSite(ControllerDefinition controller) {
    return Scenario.of(controller)
        .install(Site.DEFINITION)
        .apply("a site is created", Site.yaml("shop", 1, "hello"));
  }

  @Override
  public String name() {
    return "site";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Parts parts = Parts.of(environment.get(Kubernetes.class));
    return Controller.named(name())
        .watches(parts.sites())
        .watches(parts.volumes())
        .reconciles((request, _) -> {
          Optional<Site> site = parts.sites().get(request);
          if (site.isPresent() && site.get().getMetadata().getDeletionTimestamp() == null) {
            reconcile(request, site.get(), parts);
          }
          return Result.done();
        });
  }

  abstract void reconcile(Request request, Site site, Parts parts);
}
