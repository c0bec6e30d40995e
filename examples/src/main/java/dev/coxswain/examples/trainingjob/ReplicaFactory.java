// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.trainingjob;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.coxswain.examples.trainingjob.JobStatus.PodFailures;
import dev.coxswain.examples.trainingjob.TrainingJob.ReplicaGroup;
import dev.coxswain.examples.trainingjob.TrainingJob.RestartPolicy;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.ResourceType;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The Pods and Services of a job. Their names follow from the job, the group and the index: the same
 * replica can never be created twice.
 *
 * <p>Thread rule: any thread; the job is not changed.
 */
final class ReplicaFactory {

  static final String JOB = "training.coxswain.dev/job";
  static final String GROUP = "training.coxswain.dev/group";
  static final String INDEX = "training.coxswain.dev/index";

  /** How many Pods of this name have failed before this one. */
  static final String RESTARTS = "training.coxswain.dev/restarts";

  /** The environment variable with the addresses of all replicas and the place of this one. */
  static final String CLUSTER = "TF_CONFIG";

  static final int PORT = 2222;

  private final ResourceType<TrainingJob> type;

  ReplicaFactory(ResourceType<TrainingJob> type) {
    this.type = type;
  }

  static String name(TrainingJob job, String group, int index) {
    return job.getMetadata().getName() + "-" + group + "-" + index;
  }

  V1Pod pod(TrainingJob job, String group, int index) {
    ReplicaGroup replicas = Objects.requireNonNull(job.spec().replicas().get(group));
    // Each Pod gets a copy, since the parts of the template are changed.
    V1PodTemplateSpec template =
        Json.decode(
            Json.encode(Objects.requireNonNull(replicas.template())), V1PodTemplateSpec.class);
    V1ObjectMeta metadata = metadata(job, group, index);
    @Nullable V1ObjectMeta given = template.getMetadata();
    if (given != null) {
      metadata.setAnnotations(merged(given.getAnnotations(), metadata.getAnnotations()));
      metadata.setLabels(merged(given.getLabels(), metadata.getLabels()));
    }
    V1PodSpec spec = Objects.requireNonNull(template.getSpec());
    spec.setRestartPolicy(
        switch (replicas.policy()) {
          case Always -> "Always";
          case OnFailure -> "OnFailure";
          case Never, ExitCode -> "Never";
        });
    for (V1Container container : spec.getContainers()) {
      List<V1EnvVar> env =
          container.getEnv() == null ? new ArrayList<>() : new ArrayList<>(container.getEnv());
      env.removeIf(variable -> variable.getName().equals(CLUSTER));
      env.add(new V1EnvVar().name(CLUSTER).value(cluster(job, group, index).toString()));
      container.setEnv(env);
    }
    V1Pod pod = new V1Pod().metadata(metadata).spec(spec);
    OwnerReferences.setController(type, job, pod);
    return pod;
  }

  V1Service service(TrainingJob job, String group, int index) {
    V1ObjectMeta metadata = metadata(job, group, index);
    V1Service service =
        new V1Service()
            .metadata(metadata)
            .spec(
                new V1ServiceSpec()
                    .clusterIP("None")
                    .selector(metadata.getLabels())
                    .addPortsItem(new V1ServicePort().name("training").port(PORT)));
    OwnerReferences.setController(type, job, service);
    return service;
  }

  private static V1ObjectMeta metadata(TrainingJob job, String group, int index) {
    String name = name(job, group, index);
    @Nullable PodFailures failures = job.status().failures().get(name);
    return new V1ObjectMeta()
        .namespace(job.getMetadata().getNamespace())
        .name(name)
        .labels(
            Map.of(
                JOB,
                Objects.requireNonNull(job.getMetadata().getName()),
                GROUP,
                group,
                INDEX,
                Integer.toString(index)))
        .annotations(Map.of(RESTARTS, Integer.toString(failures == null ? 0 : failures.count())));
  }

  private static Map<String, String> merged(
      @Nullable Map<String, String> given, @Nullable Map<String, String> own) {
    Map<String, String> all = new HashMap<>();
    if (given != null) {
      all.putAll(given);
    }
    if (own != null) {
      all.putAll(own);
    }
    return all;
  }

  /** The addresses of all replicas, and which of them this one is, in the form of TF_CONFIG. */
  private static JsonObject cluster(TrainingJob job, String group, int index) {
    JsonObject cluster = new JsonObject();
    for (String type : TrainingJob.GROUPS) {
      @Nullable ReplicaGroup replicas = job.spec().replicas().get(type);
      if (replicas != null) {
        JsonArray addresses = new JsonArray();
        for (int i = 0; i < replicas.count(); i++) {
          addresses.add(
              name(job, type, i) + "." + job.getMetadata().getNamespace() + ".svc:" + PORT);
        }
        cluster.add(type, addresses);
      }
    }
    JsonObject task = new JsonObject();
    task.addProperty("type", group);
    task.addProperty("index", index);
    JsonObject config = new JsonObject();
    config.add("cluster", cluster);
    config.add("task", task);
    config.addProperty("environment", "cloud");
    return config;
  }

  /** Returns whether the kubelet restarts the containers of a group, so that no Pod is replaced. */
  static boolean restartsInPlace(ReplicaGroup group) {
    return group.policy() == RestartPolicy.Always || group.policy() == RestartPolicy.OnFailure;
  }
}
