// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.dependant.AppliedDependants;
import dev.coxswain.k8s.dependant.Dependant;
import dev.coxswain.k8s.dependant.Dependants;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A controller of sites with declared dependants: a page, and a server while there are replicas. */
final class DeclaredSites implements ControllerDefinition {

  private static final Dependant<Site, V1ConfigMap> PAGE =
      Dependant.<Site, V1ConfigMap>of(V1ConfigMap.class, site -> Optional.of(page(site)))
          .named(site -> nameOf(site) + "-page");

  private static final Dependant<Site, V1Deployment> SERVER =
      Dependant.<Site, V1Deployment>of(V1Deployment.class, DeclaredSites::server)
          .readyWhen(DeclaredSites::isAvailable);

  private static V1ConfigMap page(Site site) {
    Map<String, String> data = new HashMap<>(Map.of("index.html", "<h1>Hello</h1>"));
    String message = site.spec().message();
    if (message != null && !message.equals("none")) {
      data.put("message", message);
    }
    return new V1ConfigMap().data(data);
  }

  private static Optional<V1Deployment> server(Site site) {
    int replicas = site.spec().replicas();
    if (replicas == 0) {
      return Optional.empty();
    }
    Map<String, String> labels = Map.of("site", nameOf(site));
    V1Container container = new V1Container().name("web").image("nginx");
    return Optional.of(
        new V1Deployment()
            .spec(
                new V1DeploymentSpec()
                    .replicas(replicas)
                    .selector(new V1LabelSelector().matchLabels(labels))
                    .template(
                        new V1PodTemplateSpec()
                            .metadata(new V1ObjectMeta().labels(labels))
                            .spec(new V1PodSpec().addContainersItem(container)))));
  }

  private static boolean isAvailable(V1Deployment deployment) {
    return deployment.getStatus() != null
        && deployment.getStatus().getAvailableReplicas() != null
        && deployment.getStatus().getAvailableReplicas() > 0;
  }

  @Override
  public String name() {
    return "declared";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    ControllerBuilder builder = k8s.controller(name()).forKind(Site.class);
    Dependants<Site> dependants = Dependants.of(builder, Site.class, PAGE, SERVER);
    KindSource<Site> cache = builder.source(Site.class);
    Resource<Site> sites = k8s.resource(Site.class);
    return builder.reconciles((request, _) -> {
      Optional<Site> site = cache.get(request);
      if (site.isPresent()) {
        report(request, sites, dependants.apply(site.get()));
      }
      return Result.done();
    });
  }

  private static String nameOf(KubernetesObject object) {
    return Objects.requireNonNull(object.getMetadata().getName());
  }

  private static void report(Request request, Resource<Site> sites, AppliedDependants applied) {
    String phase = String.valueOf(applied.condition("Ready").getMessage());
    String page = applied.get(PAGE).map(DeclaredSites::nameOf).orElse("none");
    sites.modifyStatus(
        request, now -> now.setStatus(new Site.Status(phase.isEmpty() ? "ready" : phase, page)));
  }
}
