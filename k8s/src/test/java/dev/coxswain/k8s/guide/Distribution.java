// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.guide;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.source.SourceRegistry;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Copies ConfigMaps to all other clusters: one item for each ConfigMap and cluster. */
public final class Distribution implements ControllerDefinition {

  @Override
  public String name() {
    return "distribution";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    KindSource<V1ConfigMap> originals =
        k8s.kind(V1ConfigMap.class)
            .labels("distribute=yes")
            .handledBy(Handlers.mapInNamespace(original -> inEach(k8s.clusters(), original)))
            .toSource();
    ControllerBuilder builder = k8s.controller(name()).watches(originals);
    SourceRegistry<Request> registry = builder.sourceRegistry();
    k8s.clusters().forEach(cluster -> copiesIn(cluster, k8s, registry)); // from the start on
    return builder.reconciles((request, context) -> {
      Future<KindSource<V1ConfigMap>> copies = copiesIn(request.cluster(), k8s, registry);
      if (copies.failed()) {
        throw new IllegalStateException(copies.cause());
      } else if (!copies.isComplete()) {
        return Result.requeueAfter(Duration.ofSeconds(2)); // it does not answer, or still lists
      }
      Request object = request.inCluster(""); // its name without the cluster
      distribute(originals.get(object), object, copies.result(), k8s.cluster(request.cluster()));
      return Result.done();
    });
  }

  private static List<Request> inEach(List<String> clusters, V1ObjectMeta original) {
    Request object =
        Request.of(
            Objects.requireNonNull(original.getNamespace()),
            Objects.requireNonNull(original.getName()));
    return clusters.stream().map(object::inCluster).toList(); // such as shop/eu/colours
  }

  private static Future<KindSource<V1ConfigMap>> copiesIn(
      String cluster, Kubernetes k8s, SourceRegistry<Request> registry) {
    return registry.add(
        cluster, // the name, which has one source
        () ->
            k8s.cluster(cluster)
                .kind(V1ConfigMap.class)
                .labels("distributed=yes")
                .handledBy(Handlers.inCluster(cluster, Handlers.object()))
                .toSource());
  }

  private static void distribute(
      Optional<V1ConfigMap> original,
      Request object,
      KindSource<V1ConfigMap> copies,
      Kubernetes member) {
    Resource<V1ConfigMap> maps = member.resource(V1ConfigMap.class);
    if (original.isPresent()) {
      maps.createOrPatch(
          object,
          V1ConfigMap::new,
          copy -> {
            Objects.requireNonNull(copy.getMetadata()).putLabelsItem("distributed", "yes");
            copy.setData(original.get().getData());
          });
    } else if (copies.contains(object)) {
      maps.delete(object);
    }
  }
}
