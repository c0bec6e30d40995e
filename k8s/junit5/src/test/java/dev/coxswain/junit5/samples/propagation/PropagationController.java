// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.samples.propagation;

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
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Keeps copies of the labelled ConfigMaps of the first cluster in all others, as they are there. */
final class PropagationController implements ControllerDefinition {

  private static final String LABEL = "example.io/propagate=true";

  @Override
  public String name() {
    return "propagation";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    KindSource<V1ConfigMap> originals =
        k8s.kind(V1ConfigMap.class)
            .labels(LABEL)
            .handledBy(Handlers.mapInNamespace(original -> inEach(k8s.clusters(), original)))
            .toSource();
    ControllerBuilder builder = k8s.controller(name()).watches(originals);
    SourceRegistry<Request> registry = builder.sourceRegistry();
    k8s.clusters().forEach(cluster -> copiesIn(cluster, k8s, registry)); // from the start on
    return builder.reconciles((request, _) -> {
      Future<KindSource<V1ConfigMap>> copies = copiesIn(request.cluster(), k8s, registry);
      if (copies.failed()) {
        throw new IllegalStateException(copies.cause());
      } else if (!copies.isComplete()) {
        return Result.requeueAfter(Duration.ofSeconds(2)); // it does not answer, or still lists
      }
      Request object = request.inCluster("");
      Resource<V1ConfigMap> maps = k8s.cluster(request.cluster()).resource(V1ConfigMap.class);
      Optional<V1ConfigMap> original = originals.get(object);
      if (original.isPresent()) {
        maps.createOrPatch(object, V1ConfigMap::new, copy -> copyTo(copy, original.get()));
      } else if (copies.result().contains(object)) {
        maps.delete(object);
      }
      return Result.done();
    });
  }

  private static List<Request> inEach(List<String> clusters, V1ObjectMeta original) {
    Request object =
        Request.of(
            Objects.requireNonNull(original.getNamespace()),
            Objects.requireNonNull(original.getName()));
    return clusters.stream().map(object::inCluster).toList(); // such as settings/eu/colours
  }

  /** Returns the copies in a cluster. The controller does not wait for one that does not answer. */
  private static Future<KindSource<V1ConfigMap>> copiesIn(
      String cluster, Kubernetes k8s, SourceRegistry<Request> registry) {
    return registry.add(
        cluster,
        () ->
            k8s.cluster(cluster)
                .kind(V1ConfigMap.class)
                .labels(LABEL)
                .handledBy(Handlers.inCluster(cluster, Handlers.object()))
                .toSource());
  }

  private static void copyTo(V1ConfigMap copy, V1ConfigMap original) {
    Map<String, String> labels = Objects.requireNonNull(original.getMetadata()).getLabels();
    Objects.requireNonNull(labels).forEach(copy.getMetadata()::putLabelsItem);
    copy.setData(original.getData());
  }
}
