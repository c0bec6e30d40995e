// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples.trainingjob;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.junit5.CoxswainExtension;
import dev.coxswain.junit5.CoxswainTest;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1Pod;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.slf4j.LoggerFactory;

/**
 * A training job with many Pods, one of which is killed, ends the same under more than a thousand
 * perturbations; with {@code CI} set under some hundreds.
 */
@ExtendWith(CoxswainExtension.class)
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class ManyPerturbationsIT {

  /** A build has the short form. */
  private static final boolean SHORT = System.getenv("CI") != null;

  private static final int PODS = SHORT ? 5 : 14;

  private static final String JOB =
      """
      apiVersion: training.coxswain.dev/v1
      kind: TrainingJob
      metadata: {namespace: default, name: train}
      spec:
        replicas:
          worker:
            replicas: %d
            restartPolicy: ExitCode
            template: {spec: {containers: [{name: train, image: example.com/train}]}}
      """
          .formatted(PODS);

  /** Each perturbation makes attempts fail, and each of them is logged with its stack trace. */
  @BeforeAll
  static void failuresAreExpected() {
    log().setLevel(Level.OFF);
  }

  @AfterAll
  static void failuresAreLoggedAgain() {
    log().setLevel(null);
  }

  private static Logger log() {
    return (Logger) LoggerFactory.getLogger("dev.coxswain");
  }

  private static String definition() throws IOException {
    String file = "/coxswain/dev/training-job/crd-trainingjobs.yaml";
    try (InputStream in =
        Objects.requireNonNull(ManyPerturbationsIT.class.getResourceAsStream(file), file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static Scenario.Action all(String status) {
    return k8s -> {
      for (int i = 0; i < PODS; i++) {
        setStatus(k8s, i, status);
      }
    };
  }

  private static void setStatus(Kubernetes k8s, int pod, String status) {
    JsonObject patch = JsonParser.parseString("{\"status\": " + status + "}").getAsJsonObject();
    k8s.resource(V1Pod.class).patchStatus(Request.of("default", "train-worker-" + pod), patch);
  }

  @Test
  void aTrainingJob_endsTheSame_underManyPerturbations(CoxswainTest kit) throws IOException {
    String running = "{\"phase\": \"Running\"}";
    String killed =
        """
        {"phase": "Failed", "containerStatuses": [{"name": "train", "image": "example.com/train",
         "imageID": "", "ready": false, "restartCount": 0, "state": {"terminated": {"exitCode": 137}}}]}
        """;
    Scenario scenario =
        Scenario.of(new TrainingJobController())
            .inParallel()
            .install(definition())
            .apply("a job", JOB)
            .whenAtRest("all Pods run", all(running))
            .whenAtRest("one is killed", k8s -> setStatus(k8s, 3, killed))
            .whenAtRest("its successor runs", k8s -> setStatus(k8s, 3, running))
            .whenAtRest("all Pods have succeeded", all("{\"phase\": \"Succeeded\"}"))
            // The uid of a Pod that is gone.
            .mayDiffer("TrainingJob", "status.failures.train-worker-3.uid");
    long begun = System.nanoTime();
    Optional<Duration> before = ProcessHandle.current().info().totalCpuDuration();

    ExplorationReport report = kit.explore(scenario);

    Duration took = Duration.ofNanos(System.nanoTime() - begun);
    System.out.printf(
        "%d perturbations in %d s (%d for each thousand), %d s of processor time, %s%n%s%n",
        report.total(),
        took.toSeconds(),
        took.toSeconds() * 1000 / report.total(),
        ProcessHandle.current().info().totalCpuDuration().orElseThrow().toSeconds()
            - before.orElseThrow().toSeconds(),
        report.runs(),
        report.text());
    report.verify();
    assertThat(report.total()).isGreaterThan(SHORT ? 100 : 1_000);
  }
}
