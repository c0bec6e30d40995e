// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.trainingjob;

import dev.coxswain.examples.ExampleTestSupport;
import dev.coxswain.examples.podsimulator.PodSimulatorController;
import dev.coxswain.examples.trainingjob.TrainingJob.ReplicaGroup;
import dev.coxswain.examples.trainingjob.TrainingJob.RestartPolicy;
import dev.coxswain.examples.trainingjob.TrainingJob.RunPolicy;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.retry.Backoff;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Service;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;

/** Training jobs whose Pods the simulator runs, on the embedded API server. */
abstract class TrainingJobTestSupport extends ExampleTestSupport {

  static final RunPolicy DEFAULT = RunPolicy.DEFAULT;

  /** In real time: a test that makes every third write fail must not wait for seconds. */
  private static final Backoff SHORT =
      Backoff.exponential(Duration.ofMillis(5), Duration.ofMillis(200));

  final Resource<TrainingJob> jobs = k8s.resource(TrainingJob.class);
  final Resource<V1Pod> pods = k8s.resource(V1Pod.class);
  final Resource<V1Service> services = k8s.resource(V1Service.class);

  @BeforeEach
  void runControllers() throws Exception {
    install("training-job/crd-trainingjobs.yaml");
    run(new TrainingJobController(), SHORT);
    run(new PodSimulatorController(), SHORT);
  }

  /** A group whose Pods run for a time, and end with these exit codes one after the other. */
  static ReplicaGroup group(int replicas, RestartPolicy policy, String run, String codes) {
    return new ReplicaGroup(
        replicas,
        policy,
        template(
            Map.of("simulator.coxswain.dev/run", run, "simulator.coxswain.dev/exit-codes", codes)));
  }

  /** A group whose Pods run for ever. */
  static ReplicaGroup endless(int replicas) {
    return new ReplicaGroup(replicas, RestartPolicy.Always, template(Map.of()));
  }

  private static V1PodTemplateSpec template(Map<String, String> annotations) {
    return new V1PodTemplateSpec()
        .metadata(
            new V1ObjectMeta()
                .labels(Map.of("simulator.coxswain.dev/enabled", "true"))
                .annotations(annotations))
        .spec(
            new V1PodSpec()
                .addContainersItem(new V1Container().name("train").image("example.com/train")));
  }

  Request create(String name, Map<String, ReplicaGroup> groups, RunPolicy policy) {
    TrainingJob job = new TrainingJob();
    job.setMetadata(new V1ObjectMeta().namespace("default").name(name));
    job.setSpec(new TrainingJob.Spec(groups, policy));
    jobs.create(job);
    return Request.of("default", name);
  }

  JobStatus status(Request key) {
    return jobs.get(key).map(TrainingJob::status).orElse(JobStatus.EMPTY);
  }

  void awaitCondition(Request key, String type) {
    await(() -> key + " " + status(key) + " " + podNames(), () -> status(key).is(type));
  }

  String reason(Request key, String type) {
    return status(key).condition(type).orElseThrow().reason();
  }

  List<String> podNames() {
    return pods.list(ListOptions.ALL.labels(ReplicaFactory.JOB)).stream()
        .map(pod -> pods.key(pod).name())
        .sorted()
        .toList();
  }

  List<String> serviceNames() {
    return services.list(ListOptions.ALL.labels(ReplicaFactory.JOB)).stream()
        .map(service -> services.key(service).name())
        .sorted()
        .toList();
  }

  Optional<String> uid(String pod) {
    return pods.get(Request.of("default", pod))
        .map(found -> Objects.requireNonNull(Objects.requireNonNull(found.getMetadata()).getUid()));
  }
}
