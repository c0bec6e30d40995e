// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.guide;

import dev.coxswain.controller.Controller;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.dependant.AppliedDependants;
import dev.coxswain.k8s.dependant.Dependant;
import dev.coxswain.k8s.dependant.Dependants;
import dev.coxswain.k8s.object.FinalizerRegistry;
import dev.coxswain.k8s.object.StatusConditions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Job;
import io.kubernetes.client.openapi.models.V1JobSpec;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1StatefulSetSpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** Dependants with an order, many of a kind, conditions and an end in order. */
final class Workflow {

  private static final Dependant<Website, V1StatefulSet> DATABASE =
      Dependant.<Website, V1StatefulSet>of(V1StatefulSet.class, Workflow::database)
          .as("Database")
          .readyWhen(set -> set.getStatus() != null && isCurrent(set) && hasReplicas(set));

  private static final Dependant<Website, V1Job> SCHEMA =
      Dependant.<Website, V1Job>of(V1Job.class, Workflow::schema)
          .as("Schema")
          .readyWhen(job -> job.getStatus() != null && job.getStatus().getSucceeded() != null)
          .after(DATABASE);

  private static final Dependant<Website, V1ConfigMap> PAGES =
      Dependant.<Website, V1ConfigMap>ofMany(
              V1ConfigMap.class,
              site -> chapters(site).map(chapter -> page(site, chapter)).toList())
          .as("Pages")
          .after(SCHEMA);

  private static boolean isCurrent(V1StatefulSet set) {
    return Objects.equals(
        Objects.requireNonNull(set.getStatus()).getObservedGeneration(),
        set.getMetadata().getGeneration());
  }

  private static boolean hasReplicas(V1StatefulSet set) {
    return Objects.equals(Objects.requireNonNull(set.getStatus()).getReadyReplicas(), 1);
  }

  private static Stream<String> chapters(Website site) {
    return Stream.of(Objects.requireNonNull(site.spec).title().split(" "));
  }

  private static V1ConfigMap page(Website site, String chapter) {
    return new V1ConfigMap()
        .metadata(new V1ObjectMeta().name(site.getMetadata().getName() + "-" + chapter))
        .data(Map.of("index.html", chapter));
  }

  private static V1PodTemplateSpec pod(String image, String restarts) {
    V1Container container = new V1Container().name("main").image(image);
    return new V1PodTemplateSpec()
        .metadata(new V1ObjectMeta().putLabelsItem("image", image))
        .spec(new V1PodSpec().restartPolicy(restarts).addContainersItem(container));
  }

  private static Optional<V1StatefulSet> database(Website site) {
    V1StatefulSetSpec spec =
        new V1StatefulSetSpec()
            .serviceName("db")
            .selector(new V1LabelSelector().putMatchLabelsItem("image", "db"))
            .template(pod("db", "Always"));
    return Objects.requireNonNull(site.spec).secret() == null
        ? Optional.empty()
        : Optional.of(new V1StatefulSet().spec(spec));
  }

  private static Optional<V1Job> schema(Website site) {
    return Optional.of(new V1Job().spec(new V1JobSpec().template(pod("schema", "Never"))));
  }

  static Controller<Request> create(Kubernetes k8s, Clock clock) {
    Resource<Website> websites = k8s.resource(Website.class);
    ControllerBuilder builder = k8s.controller("website").forKind(Website.class);
    KindSource<Website> cache = builder.source(Website.class);
    Dependants<Website> dependants = Dependants.of(builder, Website.class, DATABASE, SCHEMA, PAGES);
    FinalizerRegistry<Website> finalizers =
        new FinalizerRegistry<>(websites)
            .registerSteps("example.com/dependants", dependants::delete);
    return builder.reconciles((request, context) -> {
      Optional<Website> found = cache.get(request);
      Optional<Website> live = found.isEmpty() ? found : finalizers.handle(found.get());
      if (live.isPresent()) {
        AppliedDependants applied = dependants.apply(live.get());
        report(websites, request, applied, clock);
      }
      return Result.done();
    });
  }

  private static void report(
      Resource<Website> websites, Request request, AppliedDependants applied, Clock clock) {
    List<V1Condition> conditions = applied.conditions(); // DatabaseReady, SchemaReady, PagesReady
    websites.modifyStatus(
        request,
        site ->
            site.status =
                new Website.Status(StatusConditions.with(site.conditions(), conditions, clock)));
  }

  private Workflow() {}
}
