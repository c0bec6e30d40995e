// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1Pod;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A job with many Pods ends the same under more than a thousand perturbations; with {@code CI} set
 * under some hundreds.
 */
@ExtendWith(CoxswainExtension.class)
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class ManyPerturbationsIT {

  /** A build has the short form. */
  private static final boolean SHORT = System.getenv("CI") != null;

  private static final int PODS = SHORT ? 5 : 13;

  private static Scenario.Action phase(String phase) {
    return k8s -> {
      for (int i = 0; i < PODS; i++) {
        setPhase(k8s, i, phase);
      }
    };
  }

  private static void setPhase(Kubernetes k8s, int pod, String phase) {
    JsonObject patch =
        JsonParser.parseString("{\"status\": {\"phase\": \"" + phase + "\"}}").getAsJsonObject();
    k8s.resource(V1Pod.class).patchStatus(Request.of("default", "train-" + pod), patch);
  }

  @Test
  void aJob_endsTheSame_underManyPerturbations(CoxswainTest kit) {
    Scenario scenario =
        Scenario.of(new JobController())
            .install(Site.DEFINITION)
            .apply("a job", Site.yaml("train", PODS, "train"))
            .whenAtRest("the first Pod runs", k8s -> setPhase(k8s, 0, "Running"))
            .whenAtRest("all Pods run", phase("Running"))
            .whenAtRest(
                "a Pod is lost",
                k8s -> k8s.resource(V1Pod.class).delete(Request.of("default", "train-3")))
            .whenAtRest("it runs again", k8s -> setPhase(k8s, 3, "Running"))
            .whenAtRest("all Pods have succeeded", phase("Succeeded"));
    long begun = System.nanoTime();

    ExplorationReport report = kit.explore(scenario);

    Duration took = Duration.ofNanos(System.nanoTime() - begun);
    System.out.printf(
        "%d perturbations in %d s (%d for each thousand), %s%n%s%n",
        report.total(),
        took.toSeconds(),
        took.toSeconds() * 1000 / report.total(),
        report.runs(),
        report.text());
    report.verify();
    assertThat(report.total()).isGreaterThan(SHORT ? 100 : 1_000);
  }
}
