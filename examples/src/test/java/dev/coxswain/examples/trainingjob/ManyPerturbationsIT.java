// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.trainingjob;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.junit5.CoxswainExtension;
import dev.coxswain.junit5.CoxswainTest;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.TestLength;
import io.kubernetes.client.openapi.models.V1Pod;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Training jobs of several kinds end the same under more than a thousand perturbations; in a build
 * some dozens, other ones each time.
 */
@ExtendWith(CoxswainExtension.class)
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class ManyPerturbationsIT {

  /** Of each scenario. */
  private static final int PERTURBATIONS = TestLength.of(12, Integer.MAX_VALUE);

  private static final int WORKERS = 2;

  private static final String RUNNING = "{\"phase\": \"Running\"}";
  private static final String SUCCEEDED = "{\"phase\": \"Succeeded\"}";

  private static String definition() throws IOException {
    String file = "/coxswain/dev/training-job/crd-trainingjobs.yaml";
    try (InputStream in =
        Objects.requireNonNull(ManyPerturbationsIT.class.getResourceAsStream(file), file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /**
   * Returns the scenario of a job whose Pods run first.
   *
   * @param groups of its spec, in YAML
   * @param pods the names of its Pods without that of the job
   */
  private static Scenario job(String cleanUp, String groups, List<String> pods) throws IOException {
    return Scenario.of(new TrainingJobController())
        .inParallel()
        .install(definition())
        .apply(
            "a job",
            """
            apiVersion: training.coxswain.dev/v1
            kind: TrainingJob
            metadata: {namespace: default, name: train}
            spec:
              runPolicy: {cleanPodPolicy: %s}
              replicas: {%s}
            """
                .formatted(cleanUp, groups))
        .whenAtRest("all Pods run", all(pods, RUNNING));
  }

  private static String group(String name, int replicas, String policy) {
    return "%s: {replicas: %d, restartPolicy: %s, template: {spec: {containers: [{name: train, image: example.com/train}]}}}"
        .formatted(name, replicas, policy);
  }

  private static List<String> pods(String group, int replicas) {
    return IntStream.range(0, replicas).mapToObj(i -> group + "-" + i).toList();
  }

  private static Scenario.Action all(List<String> pods, String status) {
    return k8s -> pods.forEach(pod -> setStatus(k8s, pod, status));
  }

  private static Scenario.Action one(String pod, String status) {
    return k8s -> setStatus(k8s, pod, status);
  }

  private static void setStatus(Kubernetes k8s, String pod, String status) {
    JsonObject patch = JsonParser.parseString("{\"status\": " + status + "}").getAsJsonObject();
    k8s.resource(V1Pod.class).patchStatus(Request.of("default", "train-" + pod), patch);
  }

  private static String failed(int exitCode) {
    return """
    {"phase": "Failed", "containerStatuses": [{"name": "train", "image": "example.com/train",
     "imageID": "", "ready": false, "restartCount": 0, "state": {"terminated": {"exitCode": %d}}}]}
    """
        .formatted(exitCode);
  }

  private static Map<String, Scenario> scenarios() throws IOException {
    List<String> workers = pods("worker", WORKERS);
    Map<String, Scenario> scenarios = new LinkedHashMap<>();
    scenarios.put(
        "a worker is killed and replaced",
        job("Running", group("worker", WORKERS, "ExitCode"), workers)
            .whenAtRest("one is killed", one("worker-1", failed(137)))
            .whenAtRest("its successor runs", one("worker-1", RUNNING))
            .whenAtRest("all have succeeded", all(workers, SUCCEEDED)));
    scenarios.put(
        "a worker fails, and with it the job",
        job("All", group("worker", WORKERS, "ExitCode"), workers)
            .whenAtRest("one fails", one("worker-1", failed(1))));
    scenarios.put(
        "the chief ends the job",
        job(
                "Running",
                group("chief", 1, "Never") + ", " + group("worker", WORKERS, "OnFailure"),
                Stream.concat(Stream.of("chief-0"), workers.stream()).toList())
            .whenAtRest("a worker fails", one("worker-1", failed(1)))
            .whenAtRest("its successor runs", one("worker-1", RUNNING))
            .whenAtRest("the chief has succeeded", one("chief-0", SUCCEEDED)));
    scenarios.put(
        "a parameter server is replaced and outlives the workers",
        job(
                "All",
                group("worker", WORKERS, "Never") + ", " + group("ps", 2, "Always"),
                Stream.concat(workers.stream(), Stream.of("ps-0", "ps-1")).toList())
            .whenAtRest("a parameter server ends", one("ps-1", SUCCEEDED))
            .whenAtRest("its successor runs", one("ps-1", RUNNING))
            .whenAtRest("all workers have succeeded", all(workers, SUCCEEDED)));
    // The uid of a Pod that is gone.
    for (String pod : List.of("worker-1", "ps-1")) {
      scenarios
          .values()
          .forEach(one -> one.mayDiffer("TrainingJob", "status.failures.train-" + pod + ".uid"));
    }
    return scenarios;
  }

  @Test
  void trainingJobs_endTheSame_underManyPerturbations(CoxswainTest kit) throws IOException {
    int total = 0;
    long begun = System.nanoTime();
    Optional<Duration> before = ProcessHandle.current().info().totalCpuDuration();
    for (Map.Entry<String, Scenario> one : scenarios().entrySet()) {
      ExplorationReport report = kit.explore(one.getValue().atMost(PERTURBATIONS));
      System.out.printf("== %s: %s %s%n", one.getKey(), report.runs(), report.text());
      report.verify();
      total += report.total();
    }
    Duration took = Duration.ofNanos(System.nanoTime() - begun);
    System.out.printf(
        "%d perturbations in %d s (%d for a thousand), %d s of processor time%n",
        total,
        took.toSeconds(),
        took.toSeconds() * 1000 / total,
        ProcessHandle.current().info().totalCpuDuration().orElseThrow().toSeconds()
            - before.orElseThrow().toSeconds());
    assertThat(total).isGreaterThanOrEqualTo(TestLength.of(48, 1_001));
  }
}
