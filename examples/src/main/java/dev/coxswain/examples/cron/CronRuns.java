// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.cron;

import dev.coxswain.k8s.cache.Index;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.resource.DeleteOptions;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.k8s.source.KindSource;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The Pods of a task, one for each run. The name of a Pod has its due time, so that no run is
 * started twice.
 *
 * <p>Thread rule: any thread that may block.
 */
record CronRuns(KindSource<V1Pod> source, Resource<V1Pod> pods, ResourceType<CronTask> type) {

  static final String TASK = "cron.coxswain.dev/task";
  static final String SCHEDULED = "cron.coxswain.dev/scheduled-at";

  static final String SUCCEEDED = "Succeeded";
  static final String FAILED = "Failed";

  /** The longest value of a label. */
  private static final int MAX_NAME = 63;

  /**
   * Checks what the definition cannot: the name, which becomes a label, and the Pod, of which it has
   * no schema.
   *
   * @throws IllegalArgumentException when the name is too long or the Pod has no containers
   */
  static void check(String name, CronTask.Spec spec) {
    if (name.length() > MAX_NAME) {
      throw new IllegalArgumentException(
          "metadata.name is longer than " + MAX_NAME + " characters: its Pods have it as a label");
    }
    V1PodSpec pod = spec.templateOrDate().getSpec();
    if (pod == null || pod.getContainers() == null || pod.getContainers().isEmpty()) {
      throw new IllegalArgumentException("spec.template.spec.containers is empty: add a container");
    }
  }

  /** Returns the Pods of a task that are not being deleted, the newest run first. */
  List<V1Pod> of(CronTask task) {
    return all(task)
        .filter(pod -> metadata(pod).getDeletionTimestamp() == null)
        .sorted(Comparator.comparing(CronRuns::scheduled).reversed())
        .toList();
  }

  private Stream<V1Pod> all(CronTask task) {
    String uid = Objects.requireNonNull(task.getMetadata().getUid());
    return source.owned().list(Index.byOwnerUid(), uid).stream();
  }

  /** Returns whether the run of a due time has a Pod, also one that is being deleted. */
  boolean wasStarted(CronTask task, Instant due) {
    return all(task).anyMatch(pod -> scheduled(pod).equals(due.toString()));
  }

  /** Returns whether a Pod has not ended, also one that is being deleted. */
  boolean isAnyRunning(CronTask task) {
    return all(task).anyMatch(CronRuns::isActive);
  }

  /** Starts the run of a due time, unless it was started already. */
  void start(CronTask task, Instant due) {
    try {
      pods.create(pod(task, due));
    } catch (ApiStatusException e) {
      if (!e.isAlreadyExists()) {
        throw e;
      }
      // A crash came between this and the status.
    }
  }

  private V1Pod pod(CronTask task, Instant due) {
    // A copy: each run changes the parts of the template.
    V1PodTemplateSpec template =
        Json.decode(Json.encode(task.spec().templateOrDate()), V1PodTemplateSpec.class);
    @Nullable V1ObjectMeta given = template.getMetadata();
    Map<String, String> labels = new HashMap<>();
    Map<String, String> annotations = new HashMap<>();
    if (given != null && given.getLabels() != null) {
      labels.putAll(given.getLabels());
    }
    if (given != null && given.getAnnotations() != null) {
      annotations.putAll(given.getAnnotations());
    }
    labels.put(TASK, Objects.requireNonNull(task.getMetadata().getName()));
    annotations.put(SCHEDULED, due.toString());
    V1PodSpec spec = Objects.requireNonNull(template.getSpec());
    if (spec.getRestartPolicy() == null || spec.getRestartPolicy().equals("Always")) {
      spec.setRestartPolicy("Never"); // or the run would never end
    }
    V1Pod pod =
        new V1Pod()
            .metadata(
                new V1ObjectMeta()
                    .namespace(task.getMetadata().getNamespace())
                    .name(task.getMetadata().getName() + "-" + due.getEpochSecond())
                    .labels(labels)
                    .annotations(annotations))
            .spec(spec);
    OwnerReferences.setController(type, task, pod);
    return pod;
  }

  void delete(V1Pod pod) {
    pods.delete(
        pods.key(pod),
        DeleteOptions.BACKGROUND.withUid(Objects.requireNonNull(metadata(pod).getUid())));
  }

  /** Deletes the Pods that ended, beyond the newest ones that the task keeps. */
  void keepLast(CronTask task) {
    List<V1Pod> runs = of(task);
    keep(runs, SUCCEEDED, task.spec().succeededToKeep());
    keep(runs, FAILED, task.spec().failedToKeep());
  }

  private void keep(List<V1Pod> runs, String phase, int limit) {
    runs.stream().filter(pod -> phase(pod).equals(phase)).skip(limit).forEach(this::delete);
  }

  static boolean isActive(V1Pod pod) {
    return !phase(pod).equals(SUCCEEDED) && !phase(pod).equals(FAILED);
  }

  static Optional<String> lastSuccess(List<V1Pod> runs) {
    return runs.stream()
        .filter(pod -> phase(pod).equals(SUCCEEDED))
        .map(CronRuns::scheduled)
        .findFirst();
  }

  private static String phase(V1Pod pod) {
    String phase = pod.getStatus() == null ? null : pod.getStatus().getPhase();
    return phase == null ? "Pending" : phase;
  }

  private static String scheduled(V1Pod pod) {
    Map<String, String> annotations = metadata(pod).getAnnotations();
    return annotations == null ? "" : annotations.getOrDefault(SCHEDULED, "");
  }

  private static V1ObjectMeta metadata(V1Pod pod) {
    return Objects.requireNonNull(pod.getMetadata());
  }
}
