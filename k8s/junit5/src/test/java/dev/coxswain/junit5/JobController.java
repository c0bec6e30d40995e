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
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The shape of a training job: a headless Service and as many Pods as the site has replicas, each
 * with the addresses of all, and a status by their phases.
 */
final class JobController implements ControllerDefinition {

  @Override
  public String name() {
    return "job";
  }

  @Override
  public Controller<?> create(ControllerEnvironment environment) {
    Kubernetes k8s = environment.get(Kubernetes.class);
    KindSource<Site> jobs = k8s.kind(Site.class).toSource();
    KindSource<V1Pod> pods =
        k8s.kind(V1Pod.class).labels("job").handledBy(Handlers.owner(Site.class)).toSource();
    KindSource<V1Service> services =
        k8s.kind(V1Service.class).labels("job").handledBy(Handlers.owner(Site.class)).toSource();
    return Controller.named(name())
        .watches(jobs)
        .watches(pods)
        .watches(services)
        .reconciles((request, _) -> {
          Optional<Site> job = jobs.get(request);
          if (job.isPresent() && job.get().getMetadata().getDeletionTimestamp() == null) {
            reconcile(request, job.get(), k8s);
          }
          return Result.done();
        });
  }

  private static void reconcile(Request request, Site job, Kubernetes k8s) {
    Resource<Site> jobs = k8s.resource(Site.class);
    k8s.resource(V1Service.class)
        .createOrPatch(
            request,
            () -> owned(jobs, job, new V1Service().metadata(meta(request)).spec(headless(request))),
            _ -> {});
    int succeeded = 0;
    int running = 0;
    int replicas = job.spec().replicas();
    for (int i = 0; i < replicas; i++) {
      int index = i;
      V1Pod pod =
          k8s.resource(V1Pod.class)
              .createOrPatch(
                  Request.of(request.namespace(), request.name() + "-" + i),
                  () -> owned(jobs, job, pod(request, index, replicas)),
                  _ -> {});
      String phase = pod.getStatus() == null ? "" : String.valueOf(pod.getStatus().getPhase());
      succeeded += phase.equals("Succeeded") ? 1 : 0;
      running += phase.equals("Running") ? 1 : 0;
    }
    String phase =
        succeeded == replicas ? "Succeeded" : running + succeeded > 0 ? "Running" : "Created";
    String counts = running + " running, " + succeeded + " succeeded";
    jobs.modifyStatus(request, stored -> stored.setStatus(new Site.Status(phase, counts)));
  }

  private static V1ObjectMeta meta(Request request) {
    return new V1ObjectMeta().labels(Map.of("job", request.name()));
  }

  private static <T extends io.kubernetes.client.common.KubernetesObject> T owned(
      Resource<Site> jobs, Site job, T object) {
    OwnerReferences.setController(jobs.type(), job, object);
    return object;
  }

  private static V1ServiceSpec headless(Request request) {
    return new V1ServiceSpec()
        .clusterIP("None")
        .selector(Map.of("job", request.name()))
        .ports(List.of(new V1ServicePort().port(2222)));
  }

  private static V1Pod pod(Request request, int index, int replicas) {
    StringBuilder addresses = new StringBuilder();
    for (int i = 0; i < replicas; i++) {
      addresses.append(request.name()).append('-').append(i).append(':').append(2222).append(' ');
    }
    return new V1Pod()
        .metadata(meta(request))
        .spec(
            new V1PodSpec()
                .containers(
                    List.of(
                        new V1Container()
                            .name("worker")
                            .image("worker")
                            .env(
                                List.of(
                                    new V1EnvVar()
                                        .name("CLUSTER")
                                        .value(addresses + "index " + index))))));
  }
}
