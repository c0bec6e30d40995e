// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.trainingjob;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.examples.trainingjob.JobStatus.Conditions;
import dev.coxswain.examples.trainingjob.TrainingJob.CleanPodPolicy;
import dev.coxswain.examples.trainingjob.TrainingJob.RestartPolicy;
import dev.coxswain.examples.trainingjob.TrainingJob.RunPolicy;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Service;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** How jobs start and end. */
class TrainingJobTest extends TrainingJobTestSupport {

  @Test
  void runningJob_hasAPodAndAHeadlessServiceForEachReplica_whichKnowTheCluster() {
    Request key =
        create(
            "mnist", Map.of("chief", endless(1), "worker", endless(2), "ps", endless(1)), DEFAULT);

    awaitCondition(key, Conditions.RUNNING);

    assertThat(podNames())
        .containsExactly("mnist-chief-0", "mnist-ps-0", "mnist-worker-0", "mnist-worker-1");
    assertThat(serviceNames()).isEqualTo(podNames());
    V1Service service = services.get(Request.of("default", "mnist-worker-1")).orElseThrow();
    assertThat(Objects.requireNonNull(service.getSpec()).getClusterIP()).isEqualTo("None");
    V1Pod pod = pods.get(Request.of("default", "mnist-worker-1")).orElseThrow();
    V1Container container = Objects.requireNonNull(pod.getSpec()).getContainers().getFirst();
    String config =
        Objects.requireNonNull(container.getEnv()).stream()
            .filter(variable -> variable.getName().equals(ReplicaFactory.CLUSTER))
            .findFirst()
            .orElseThrow()
            .getValue();
    JsonObject cluster = JsonParser.parseString(config).getAsJsonObject();
    assertThat(cluster.getAsJsonObject("cluster").getAsJsonArray("worker").toString())
        .isEqualTo("[\"mnist-worker-0.default.svc:2222\",\"mnist-worker-1.default.svc:2222\"]");
    assertThat(cluster.getAsJsonObject("task").toString())
        .isEqualTo("{\"type\":\"worker\",\"index\":1}");
    assertThat(pod.getSpec().getRestartPolicy()).isEqualTo("Always");
  }

  @Test
  void chiefThatSucceeds_endsTheJob_andPodsThatStillRunAreDeleted() {
    Request key =
        create(
            "chief",
            Map.of(
                "chief", group(1, RestartPolicy.Never, "100ms", "0"),
                "worker", endless(2),
                "ps", endless(1)),
            DEFAULT);

    awaitCondition(key, Conditions.SUCCEEDED);
    await(() -> "" + podNames(), () -> podNames().equals(java.util.List.of("chief-chief-0")));
    await(() -> "" + serviceNames(), () -> serviceNames().isEmpty());

    assertThat(status(key).is(Conditions.RUNNING)).isFalse();
    assertThat(status(key).completionTime()).isNotNull();
    assertThat(status(key).restarts()).isZero();
  }

  @Test
  void withoutAChief_allWorkersMustSucceed() {
    Request key =
        create("workers", Map.of("worker", group(3, RestartPolicy.Never, "100ms", "0")), DEFAULT);

    awaitCondition(key, Conditions.SUCCEEDED);

    assertThat(status(key).replicas().get("worker")).isEqualTo(new JobStatus.GroupStatus(0, 3, 0));
    assertThat(podNames()).as("those that are done keep their logs").hasSize(3);
  }

  @Test
  void policyAll_deletesEverything_andNoneKeepsEverything() {
    Request all =
        create(
            "all",
            Map.of("worker", group(2, RestartPolicy.Never, "50ms", "0")),
            new RunPolicy(CleanPodPolicy.All, null, null, null));
    Request none =
        create(
            "none",
            Map.of("chief", group(1, RestartPolicy.Never, "50ms", "0"), "ps", endless(1)),
            new RunPolicy(CleanPodPolicy.None, null, null, null));

    awaitCondition(all, Conditions.SUCCEEDED);
    awaitCondition(none, Conditions.SUCCEEDED);

    await(
        () -> podNames() + " " + serviceNames(),
        () ->
            podNames().equals(java.util.List.of("none-chief-0", "none-ps-0"))
                && serviceNames().equals(java.util.List.of("none-chief-0", "none-ps-0")));
  }

  @Test
  void deadline_failsTheJob() {
    Request key = create("slow", Map.of("worker", endless(1)), new RunPolicy(null, 1L, null, null));

    awaitCondition(key, Conditions.FAILED);

    assertThat(reason(key, Conditions.FAILED)).isEqualTo("DeadlineExceeded");
    JobStatus status = status(key);
    Duration active =
        Duration.between(
            Instant.parse(Objects.requireNonNull(status.startTime())),
            Instant.parse(Objects.requireNonNull(status.completionTime())));
    assertThat(active).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
    await(() -> "" + podNames(), () -> podNames().isEmpty());
  }

  @Test
  void finishedJob_isDeletedAfterItsTimeToLive_withItsPods() {
    Request key =
        create(
            "shortlived",
            Map.of("worker", group(1, RestartPolicy.Never, "50ms", "0")),
            new RunPolicy(CleanPodPolicy.None, null, null, 1L));

    await(() -> "" + status(key), () -> status(key).finished());
    await(() -> "" + status(key), () -> jobs.get(key).isEmpty());

    await(() -> "" + podNames(), () -> podNames().isEmpty() && serviceNames().isEmpty());
  }

  @Test
  void podAndServiceThatAreDeletedByHand_areCreatedAgain_andSurplusOnesGo() {
    Request key = create("scaled", Map.of("worker", endless(3)), DEFAULT);
    awaitCondition(key, Conditions.RUNNING);
    String first = uid("scaled-worker-0").orElseThrow();

    pods.delete(Request.of("default", "scaled-worker-0"));
    services.delete(Request.of("default", "scaled-worker-1"));

    await(
        () -> podNames() + " " + serviceNames(),
        () ->
            uid("scaled-worker-0").filter(uid -> !uid.equals(first)).isPresent()
                && serviceNames().size() == 3);
    jobs.modify(
        key, job -> job.setSpec(new TrainingJob.Spec(Map.of("worker", endless(1)), DEFAULT)));
    await(
        () -> podNames() + " " + serviceNames(),
        () -> podNames().size() == 1 && serviceNames().equals(podNames()));
    assertThat(status(key).restarts()).as("nothing failed").isZero();
  }

  @Test
  void podOfTheSameNameThatIsNotOfTheJob_isKept_andTheJobFailsUntilItIsGone() {
    V1Pod other =
        pods.create(
            new V1Pod()
                .metadata(
                    new io.kubernetes.client.openapi.models.V1ObjectMeta()
                        .namespace("default")
                        .name("taken-worker-0"))
                .spec(Objects.requireNonNull(endless(1).template()).getSpec()));

    Request key = create("taken", Map.of("worker", endless(1)), DEFAULT);
    await(() -> failures() + " failures", () -> failures() > 0);
    assertThat(uid("taken-worker-0")).contains(JobPods.uid(other));

    pods.delete(pods.key(other));
    awaitCondition(key, Conditions.RUNNING);
  }
}
