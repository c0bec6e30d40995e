// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.trainingjob;

import dev.coxswain.examples.trainingjob.JobPods.Place;
import dev.coxswain.examples.trainingjob.TrainingJob.CleanPodPolicy;
import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.source.KindSource;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Reads and writes of the Pods and Services of a job.
 *
 * <p>Thread rule: any thread that may block.
 */
record OwnedReplicas(
    KindSource<V1Pod> podSource,
    KindSource<V1Service> serviceSource,
    Resource<V1Pod> pods,
    Resource<V1Service> services,
    ReplicaFactory factory) {

  JobPods observe(TrainingJob job) {
    return new JobPods(job, podSource.owned().list(Index.byOwnerUid(), uid(job)));
  }

  private List<V1Service> servicesOf(TrainingJob job) {
    return serviceSource.owned().list(Index.byOwnerUid(), uid(job));
  }

  /** Returns the places without a Pod or without a Service. */
  List<Place> missing(TrainingJob job, JobPods observed) {
    Set<String> served = new HashSet<>();
    servicesOf(job).forEach(service -> served.add(services.key(service).name()));
    return JobPods.places(job).stream()
        .filter(place -> observed.at(place).isEmpty() || !served.contains(place.name()))
        .toList();
  }

  /** Creates what is missing at a place. */
  void create(TrainingJob job, Place place) {
    // The Service first: the addresses are there when the container starts.
    create(services, job, factory.service(job, place.group(), place.index()));
    create(pods, job, factory.pod(job, place.group(), place.index()));
  }

  /** An object that exists already is fine if it is of this job: the cache was behind. */
  private static <T extends KubernetesObject> void create(
      Resource<T> resource, TrainingJob job, T object) {
    try {
      resource.create(object);
    } catch (ApiStatusException e) {
      if (!e.isAlreadyExists()) {
        throw e;
      }
      Request key = resource.key(object);
      if (resource.get(key).filter(found -> isOf(job, found)).isEmpty()) {
        throw new IllegalStateException(
            "\"" + key + "\" exists and does not belong to this job: delete or rename it", e);
      }
    }
  }

  private static boolean isOf(TrainingJob job, KubernetesObject object) {
    return OwnerReferences.controllerOf(object)
        .filter(owner -> Objects.equals(owner.getUid(), uid(job)))
        .isPresent();
  }

  /** Returns the Pod as the API server has it, if it is still the one that was observed. */
  Optional<V1Pod> current(V1Pod observed) {
    return pods.get(pods.key(observed))
        .filter(pod -> JobPods.uid(pod).equals(JobPods.uid(observed)));
  }

  void delete(V1Pod pod) {
    pods.delete(pods.key(pod), DeleteOptions.BACKGROUND.withUid(JobPods.uid(pod)));
  }

  /** Deletes the Pods and Services of places that the spec does not have any more. */
  void deleteSurplus(TrainingJob job, JobPods observed) {
    Set<String> wanted = new HashSet<>();
    JobPods.places(job).forEach(place -> wanted.add(place.name()));
    observed.all().stream()
        .filter(pod -> !JobPods.isDeleting(pod) && !wanted.contains(pods.key(pod).name()))
        .forEach(this::delete);
    servicesOf(job).stream()
        .filter(service -> !wanted.contains(services.key(service).name()))
        .forEach(service -> services.delete(services.key(service)));
  }

  /** Deletes what the policy of a finished job does not keep. */
  void cleanUp(TrainingJob job, JobPods observed) {
    CleanPodPolicy policy = job.spec().runPolicy().cleanUp();
    if (policy == CleanPodPolicy.None) {
      return;
    }
    for (V1Pod pod : observed.all()) {
      if (!JobPods.isDeleting(pod)) {
        if (policy == CleanPodPolicy.All) {
          delete(pod);
        } else if (!JobPods.isDone(pod)) {
          deleteRunning(pod);
        }
      }
    }
    servicesOf(job).forEach(service -> services.delete(services.key(service)));
  }

  /** Pods that are done keep their logs: a cache may be older than the end of one. */
  private void deleteRunning(V1Pod observed) {
    Optional<V1Pod> running = current(observed).filter(pod -> !JobPods.isDone(pod));
    running.ifPresent(pod ->
        pods.delete(
            pods.key(pod),
            DeleteOptions.BACKGROUND
                .withUid(JobPods.uid(pod))
                .withResourceVersion(
                    Objects.requireNonNull(
                        Objects.requireNonNull(pod.getMetadata()).getResourceVersion()))));
  }

  private static String uid(TrainingJob job) {
    return Objects.requireNonNull(job.getMetadata().getUid());
  }
}
