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
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A controller of sites with a shard for each replica, a page of the same kind, and a token after the
 * shards, which are ready unless they are marked as slow.
 */
final class ShardedSites implements ControllerDefinition {

  private final String name;

  ShardedSites(String name) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Dependant<Site, V1ConfigMap> shards =
        Dependant.<Site, V1ConfigMap>ofMany(V1ConfigMap.class, this::shards)
            .readyWhen(map -> !Map.of("slow", "yes").equals(map.getMetadata().getLabels()))
            .as("Shards");
    Dependant<Site, V1ConfigMap> page =
        Dependant.<Site, V1ConfigMap>of(V1ConfigMap.class, _ -> Optional.of(new V1ConfigMap()))
            .named(site -> nameOf(site) + "-page-of-" + name)
            .as("Page");
    Dependant<Site, V1Secret> token =
        Dependant.<Site, V1Secret>of(V1Secret.class, _ -> Optional.of(new V1Secret()))
            .named(site -> nameOf(site) + "-token-of-" + name)
            .after(shards);
    Kubernetes k8s = environment.get(Kubernetes.class);
    ControllerBuilder builder = k8s.controller(name).forKind(Site.class);
    Dependants<Site> dependants = Dependants.of(builder, Site.class, shards, page, token);
    KindSource<Site> cache = builder.source(Site.class);
    Resource<Site> sites = k8s.resource(Site.class);
    return builder.reconciles((request, _) -> {
      Optional<Site> site = cache.get(request);
      if (site.isPresent()) {
        AppliedDependants applied = dependants.apply(site.get());
        report(request, sites, applied, applied.all(shards).size());
      }
      return Result.done();
    });
  }

  private static void report(
      Request request, Resource<Site> sites, AppliedDependants applied, int count) {
    String conditions =
        applied.conditions().stream()
            .map(one -> one.getType() + " " + one.getReason() + " " + one.getMessage())
            .map(String::strip)
            .collect(Collectors.joining("\n"));
    sites.modifyStatus(
        request, now -> now.setStatus(new Site.Status(conditions, String.valueOf(count))));
  }

  private List<V1ConfigMap> shards(Site site) {
    return IntStream.range(0, site.spec().replicas())
        .mapToObj(i ->
            new V1ConfigMap()
                .metadata(new V1ObjectMeta().name(nameOf(site) + "-" + name + "-" + i))
                .data(Map.of("message", String.valueOf(site.spec().message()))))
        .toList();
  }

  private static String nameOf(Site site) {
    return Objects.requireNonNull(site.getMetadata().getName());
  }
}
