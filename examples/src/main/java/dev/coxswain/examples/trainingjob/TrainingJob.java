// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.trainingjob;

import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A training run of several Pods that find each other: a chief, workers and parameter servers.
 *
 * <p>Thread rule: one thread.
 */
@KubernetesResource(group = "training.coxswain.dev", version = "v1", plural = "trainingjobs")
public final class TrainingJob extends CustomObject {

  /** The replica groups, in the order in which they are started. */
  public static final List<String> GROUPS = List.of("chief", "worker", "ps");

  private @Nullable Spec spec;
  private @Nullable JobStatus status;

  /** What happens to a Pod whose container ends. */
  public enum RestartPolicy {
    /** The container is started again, whatever its exit code. */
    Always,
    /** The container is started again when it failed. */
    OnFailure,
    /** A failure of one Pod is a failure of the job. */
    Never,
    /** The exit code decides: from 1 to 127 the job fails, from 128 the Pod is replaced. */
    ExitCode
  }

  /** Which Pods are deleted when the job has finished. */
  public enum CleanPodPolicy {
    /** Those that still run; the others keep their logs. */
    Running,
    /** All. */
    All,
    /** None. */
    None
  }

  /**
   * The desired state.
   *
   * @param replicas the groups by their type: {@code chief}, {@code worker}, {@code ps}
   * @param runPolicy the limits of the run
   */
  public record Spec(Map<String, ReplicaGroup> replicas, RunPolicy runPolicy) {
    public Spec {
      replicas = replicas == null ? Map.of() : Map.copyOf(replicas);
      runPolicy = runPolicy == null ? RunPolicy.DEFAULT : runPolicy;
    }
  }

  /**
   * Pods of one kind.
   *
   * @param replicas how many; null for 1
   * @param restartPolicy what happens to a Pod whose container ends; null for {@code Never}
   * @param template what each Pod is made from
   */
  public record ReplicaGroup(
      @Nullable Integer replicas,
      @Nullable RestartPolicy restartPolicy,
      @Nullable V1PodTemplateSpec template) {

    int count() {
      return replicas == null ? 1 : replicas;
    }

    RestartPolicy policy() {
      return restartPolicy == null ? RestartPolicy.Never : restartPolicy;
    }
  }

  /**
   * The limits of a run.
   *
   * @param cleanPodPolicy which Pods are deleted at the end; null for {@code Running}
   * @param activeDeadlineSeconds how long it may take; null for no limit
   * @param backoffLimit how many restarts it may need; null for 6
   * @param ttlSecondsAfterFinished when the finished job is deleted; null for never
   */
  public record RunPolicy(
      @Nullable CleanPodPolicy cleanPodPolicy,
      @Nullable Long activeDeadlineSeconds,
      @Nullable Integer backoffLimit,
      @Nullable Long ttlSecondsAfterFinished) {

    /** No deadline, six restarts, kept for ever. */
    public static final RunPolicy DEFAULT = new RunPolicy(null, null, null, null);

    CleanPodPolicy cleanUp() {
      return cleanPodPolicy == null ? CleanPodPolicy.Running : cleanPodPolicy;
    }

    int restartsAllowed() {
      return backoffLimit == null ? 6 : backoffLimit;
    }
  }

  /** Returns the spec, or an empty one. */
  public Spec spec() {
    return spec == null ? new Spec(Map.of(), RunPolicy.DEFAULT) : spec;
  }

  /** Sets the spec. */
  public void setSpec(Spec value) {
    spec = value;
  }

  /** Returns the status, or an empty one. */
  public JobStatus status() {
    return status == null ? JobStatus.EMPTY : status;
  }

  /** Sets the status. */
  public void setStatus(JobStatus value) {
    status = value;
  }
}
