// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.samples.memcached;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.dependant.Dependant;
import dev.coxswain.k8s.dependant.Dependants;
import dev.coxswain.k8s.object.StatusConditions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1Capabilities;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentSpec;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSecurityContext;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1SeccompProfile;
import io.kubernetes.client.openapi.models.V1SecurityContext;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A Deployment for each {@link Memcached}, and a condition that shows whether it is available. */
final class MemcachedController implements ControllerDefinition {

  private static final Dependant<Memcached, V1Deployment> DEPLOYMENT =
      Dependant.<Memcached, V1Deployment>of(V1Deployment.class, MemcachedController::deployment)
          .readyWhen(MemcachedController::isAvailable);

  @Override
  public String name() {
    return "memcached";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    ControllerBuilder builder = k8s.controller(name()).forKind(Memcached.class);
    Dependants<Memcached> dependants = Dependants.of(builder, Memcached.class, DEPLOYMENT);
    KindSource<Memcached> cache = builder.source(Memcached.class);
    Resource<Memcached> memcacheds = k8s.resource(Memcached.class);
    return builder.reconciles((request, _) -> {
      Optional<Memcached> found = cache.get(request);
      if (found.isPresent()) {
        V1Condition available = dependants.apply(found.get()).condition("Available");
        memcacheds.modifyStatus(
            request,
            now ->
                now.setConditions(
                    StatusConditions.with(now.conditions(), available, environment.clock())));
      }
      return Result.done();
    });
  }

  private static Optional<V1Deployment> deployment(Memcached memcached) {
    Map<String, String> labels =
        Map.of(
            "app.kubernetes.io/name",
            "memcached",
            "app.kubernetes.io/instance",
            Objects.requireNonNull(memcached.getMetadata().getName()));
    V1Container container =
        new V1Container()
            .name("memcached")
            .image("memcached:1.6.26-alpine3.19")
            .imagePullPolicy("IfNotPresent")
            .args(List.of("-m", "64"))
            .addPortsItem(new V1ContainerPort().name("memcached").containerPort(11211))
            .securityContext(
                new V1SecurityContext()
                    .runAsNonRoot(true)
                    .runAsUser(1001L)
                    .allowPrivilegeEscalation(false)
                    .capabilities(new V1Capabilities().addDropItem("ALL")));
    V1PodSpec pod =
        new V1PodSpec()
            .securityContext(
                new V1PodSecurityContext()
                    .runAsNonRoot(true)
                    .seccompProfile(new V1SeccompProfile().type("RuntimeDefault")))
            .addContainersItem(container);
    return Optional.of(
        new V1Deployment()
            .spec(
                new V1DeploymentSpec()
                    .replicas(memcached.size())
                    .selector(new V1LabelSelector().matchLabels(labels))
                    .template(
                        new V1PodTemplateSpec()
                            .metadata(new V1ObjectMeta().labels(labels))
                            .spec(pod))));
  }

  private static boolean isAvailable(V1Deployment deployment) {
    V1DeploymentStatus status = deployment.getStatus();
    return status != null
        && Objects.equals(
            status.getObservedGeneration(),
            Objects.requireNonNull(deployment.getMetadata()).getGeneration())
        && Objects.equals(
            status.getAvailableReplicas(),
            Objects.requireNonNull(deployment.getSpec()).getReplicas());
  }
}
