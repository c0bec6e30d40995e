// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.trainingjob;

import dev.coxswain.examples.trainingjob.JobStatus.GroupStatus;
import dev.coxswain.examples.trainingjob.JobStatus.PodFailures;
import dev.coxswain.examples.trainingjob.TrainingJob.ReplicaGroup;
import io.kubernetes.client.openapi.models.V1ContainerStateTerminated;
import io.kubernetes.client.openapi.models.V1ContainerStatus;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodStatus;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The Pods of one job as they are observed.
 *
 * <p>Thread rule: one thread.
 */
final class JobPods {

  private final TrainingJob job;
  private final Map<String, V1Pod> byName = new HashMap<>();

  JobPods(TrainingJob job, List<V1Pod> pods) {
    this.job = job;
    for (V1Pod pod : pods) {
      byName.put(Objects.requireNonNull(metadata(pod).getName()), pod);
    }
  }

  /**
   * A place of a replica.
   *
   * @param group the type of its group
   * @param index its index in the group
   * @param name the name of its Pod and of its Service
   */
  record Place(String group, int index, String name) {}

  /** The places that the spec has, the chief first. */
  static List<Place> places(TrainingJob job) {
    List<Place> places = new ArrayList<>();
    for (String group : TrainingJob.GROUPS) {
      @Nullable ReplicaGroup replicas = job.spec().replicas().get(group);
      for (int i = 0; replicas != null && i < replicas.count(); i++) {
        places.add(new Place(group, i, ReplicaFactory.name(job, group, i)));
      }
    }
    return places;
  }

  Optional<V1Pod> at(Place place) {
    return Optional.ofNullable(byName.get(place.name()));
  }

  List<V1Pod> all() {
    return List.copyOf(byName.values());
  }

  /** Failed Pods that are not being deleted. */
  List<Place> failed() {
    return places(job).stream()
        .filter(place -> at(place).filter(pod -> !isDeleting(pod) && isFailed(pod)).isPresent())
        .toList();
  }

  /** The job has succeeded with its chief or, without one, with all of its workers. */
  boolean succeeded() {
    String deciding = job.spec().replicas().containsKey("chief") ? "chief" : "worker";
    List<Place> places =
        places(job).stream().filter(place -> place.group().equals(deciding)).toList();
    return !places.isEmpty()
        && places.stream().allMatch(place -> at(place).filter(JobPods::isSucceeded).isPresent());
  }

  boolean anyRunning() {
    return byName.values().stream().anyMatch(pod -> phase(pod).equals("Running"));
  }

  /** Returns whether each place has a Pod that has started, other than one that was counted as failed. */
  boolean allStarted(Map<String, PodFailures> failures) {
    return places(job).stream()
        .allMatch(place ->
            at(place)
                .filter(pod -> !isDeleting(pod) && !phase(pod).equals("Pending"))
                .filter(pod -> {
                  PodFailures failed = failures.get(place.name());
                  return failed == null || !failed.uid().equals(uid(pod));
                })
                .isPresent());
  }

  Map<String, GroupStatus> groups() {
    Map<String, GroupStatus> groups = new TreeMap<>();
    for (Place place : places(job)) {
      GroupStatus before = groups.getOrDefault(place.group(), new GroupStatus(0, 0, 0));
      groups.put(place.group(), at(place).map(pod -> plus(before, pod)).orElse(before));
    }
    return groups;
  }

  private static GroupStatus plus(GroupStatus before, V1Pod pod) {
    return isSucceeded(pod)
        ? new GroupStatus(before.active(), before.succeeded() + 1, before.failed())
        : isFailed(pod)
            ? new GroupStatus(before.active(), before.succeeded(), before.failed() + 1)
            : new GroupStatus(before.active() + 1, before.succeeded(), before.failed());
  }

  /** Restarts of containers in Pods that exist. */
  int containerRestarts() {
    return byName.values().stream()
        .flatMap(pod -> containers(pod).stream())
        .mapToInt(V1ContainerStatus::getRestartCount)
        .sum();
  }

  /** Returns the exit code of a failed Pod; empty when none is known, as after an eviction. */
  static Optional<Integer> exitCode(V1Pod pod) {
    return containers(pod).stream()
        .map(
            container -> container.getState() == null ? null : container.getState().getTerminated())
        .filter(Objects::nonNull)
        .map(V1ContainerStateTerminated::getExitCode)
        .filter(code -> code != 0)
        .findFirst();
  }

  static boolean isDone(V1Pod pod) {
    return isSucceeded(pod) || isFailed(pod);
  }

  static boolean isDeleting(V1Pod pod) {
    return metadata(pod).getDeletionTimestamp() != null;
  }

  static String uid(V1Pod pod) {
    return Objects.requireNonNull(metadata(pod).getUid());
  }

  private static boolean isSucceeded(V1Pod pod) {
    return phase(pod).equals("Succeeded");
  }

  private static boolean isFailed(V1Pod pod) {
    return phase(pod).equals("Failed");
  }

  private static String phase(V1Pod pod) {
    @Nullable V1PodStatus status = pod.getStatus();
    @Nullable String phase = status == null ? null : status.getPhase();
    return phase == null ? "Pending" : phase;
  }

  private static List<V1ContainerStatus> containers(V1Pod pod) {
    @Nullable V1PodStatus status = pod.getStatus();
    @Nullable List<V1ContainerStatus> containers =
        status == null ? null : status.getContainerStatuses();
    return containers == null ? List.of() : containers;
  }

  private static V1ObjectMeta metadata(V1Pod pod) {
    return Objects.requireNonNull(pod.getMetadata());
  }
}
