// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.examples;

import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.examples.cron.CronController;
import dev.coxswain.examples.cron.CronTask;
import dev.coxswain.examples.errorbackoff.ErrorBackoffController;
import dev.coxswain.examples.errorbackoff.Trial;
import dev.coxswain.examples.mirror.ConfigMirrorController;
import dev.coxswain.junit5.CoxswainExtension;
import dev.coxswain.junit5.CoxswainTest;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.TestLength;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The examples end in the same state whatever single thing goes wrong; a build tries a random part of
 * what can go wrong, the long suite all of it.
 */
@ExtendWith(CoxswainExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // hundreds of runs
class ExplorationTest {

  /** An invalid schedule can be stored without the webhooks only. */
  private static final ControllerDefinition CRON_WITHOUT_WEBHOOKS =
      new ControllerDefinition() {
        private final CronController cron = new CronController();

        @Override
        public String name() {
          return cron.name();
        }

        @Override
        public Controller<?> create(ControllerEnvironment environment) {
          return cron.create(environment);
        }
      };

  private static String resource(String file) {
    try (InputStream in =
        Objects.requireNonNull(
            ExplorationTest.class.getResourceAsStream("/coxswain/dev/" + file), file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void explore(CoxswainTest kit, String what, Scenario scenario) {
    ExplorationReport report = kit.explore(scenario.atMost(TestLength.of(30, Integer.MAX_VALUE)));
    System.out.println("== " + what + ": " + report.text());
    report.verify();
  }

  private static String trial(String name, String message, String outcome) {
    return """
    apiVersion: error-backoff.coxswain.dev/v1
    kind: Trial
    metadata: {namespace: default, name: %s}
    spec: {message: %s, outcome: %s}
    """
        .formatted(name, message, outcome);
  }

  @Test
  void aTrial_hasTheStatusOfItsSpec_whateverFails(CoxswainTest kit) {
    explore(
        kit,
        "error-backoff",
        Scenario.of(new ErrorBackoffController())
            .slotsByNamespace()
            .install(resource("error-backoff/crd-trials.yaml"))
            .apply(
                "two trials", trial("one", "hello", "Done") + "---\n" + trial("two", "hi", "Error"))
            .apply("the message changes", trial("one", "welcome", "Done"))
            .apply("the other is repaired", trial("two", "hi", "Done"))
            .then(
                "one is deleted",
                k8s -> k8s.resource(Trial.class).delete(Request.of("default", "one"))));
  }

  private static String task(String spec) {
    return """
    apiVersion: cron.coxswain.dev/v1
    kind: CronTask
    metadata: {namespace: default, name: backup}
    spec: %s
    """
        .formatted(spec);
  }

  @Test
  void aCronTask_leavesItsLastRun_whateverFails(CoxswainTest kit) {
    explore(
        kit,
        "cron",
        Scenario.of(CRON_WITHOUT_WEBHOOKS)
            .install(resource("cron/crd-crontasks.yaml"))
            .rest(Duration.ofSeconds(16))
            // No Pod ever ends here, so each run replaces the one before.
            .apply("a task", task("{every: 10s, concurrencyPolicy: Replace}"))
            .apply("its schedule is invalid", task("{every: never, concurrencyPolicy: Replace}"))
            .apply("it goes on", task("{every: 15s, concurrencyPolicy: Replace}"))
            .apply(
                "it is suspended", task("{every: 15s, concurrencyPolicy: Replace, suspend: true}"))
            // A delay may cost a run or add one; each has its due time in the name.
            .mayDiffer("CronTask", "status.runs")
            .mayDiffer("CronTask", "status.missed")
            .mayDiffer("Pod", "metadata.name"));
  }

  @Test
  void aDeletedCronTask_leavesNothing_whateverFails(CoxswainTest kit) {
    explore(
        kit,
        "cron, deleted",
        Scenario.of(new CronController())
            .slotsByNamespace()
            .install(resource("cron/crd-crontasks.yaml"))
            .rest(Duration.ofSeconds(5))
            .apply("a task", task("{every: 10s}"))
            .then(
                "it is deleted",
                k8s -> k8s.resource(CronTask.class).delete(Request.of("default", "backup"))));
  }

  private static String source(String targets, String value) {
    return """
    apiVersion: v1
    kind: ConfigMap
    metadata:
      namespace: default
      name: settings
      labels: {mirror.coxswain.dev/enabled: "true"}
      annotations: {mirror.coxswain.dev/targets: "%s"}
    data: {key: %s}
    """
        .formatted(targets, value);
  }

  private static final String NAMESPACES =
      """
      apiVersion: v1
      kind: Namespace
      metadata: {name: east}
      ---
      apiVersion: v1
      kind: Namespace
      metadata: {name: west}
      """;

  @Test
  void copies_areThoseOfTheSource_whateverFails(CoxswainTest kit) {
    explore(
        kit,
        "config-mirror",
        Scenario.of(new ConfigMirrorController())
            .apply("namespaces", NAMESPACES)
            .apply("a source", source("east, west", "one"))
            .apply("its data changes", source("east, west", "two"))
            .apply("it loses a target", source("west", "two"))
            .whenAtRest(
                "a copy is damaged",
                k8s ->
                    k8s.resource(V1ConfigMap.class)
                        .modify(
                            Request.of("west", "settings"),
                            copy -> copy.setData(Map.of("key", "three")))));
  }

  @Test
  void aDeletedSource_leavesNoCopies_whateverFails(CoxswainTest kit) {
    explore(
        kit,
        "config-mirror, deleted",
        Scenario.of(new ConfigMirrorController())
            .apply("namespaces", NAMESPACES)
            .apply("a source", source("east, west", "one"))
            .then(
                "it is deleted",
                k8s -> k8s.resource(V1ConfigMap.class).delete(Request.of("default", "settings"))));
  }
}
