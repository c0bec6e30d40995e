// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.samples.propagation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.junit5.CoxswainExtension;
import dev.coxswain.junit5.CoxswainTest;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.TestLength;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(CoxswainExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // hundreds of runs
class PropagationControllerTest {

  private static final Request COLOURS = Request.of("settings", "colours");
  private static final String NAMESPACE =
      """
      apiVersion: v1
      kind: Namespace
      metadata: {name: settings}
      """;

  private static String colours(String propagate, String sky) {
    return """
    apiVersion: v1
    kind: ConfigMap
    metadata: {namespace: settings, name: colours, labels: {example.io/propagate: "%s"}}
    data: {sky: %s}
    """
        .formatted(propagate, sky);
  }

  private static String sky(Kubernetes k8s) {
    return k8s.resource(V1ConfigMap.class)
        .get(COLOURS)
        .map(one -> one.getData().get("sky"))
        .orElse("none");
  }

  private static void paint(Kubernetes k8s, String sky) {
    k8s.resource(V1ConfigMap.class).modify(COLOURS, one -> one.putDataItem("sky", sky));
  }

  @Test
  void aCopy_isInEachCluster_keptAsTheOriginalIs_andGoneWithIt(CoxswainTest kit) {
    CoxswainTest.Cluster eu = kit.cluster("eu");
    CoxswainTest.Cluster us = kit.cluster("us");
    eu.apply(NAMESPACE);
    us.apply(NAMESPACE);
    kit.run(new PropagationController());

    kit.apply(colours("true", "blue"));
    kit.eventually("eu has the copy", () -> sky(eu.client()), "blue"::equals);
    kit.eventually("us has the copy", () -> sky(us.client()), "blue"::equals);

    paint(eu.client(), "green");
    kit.eventually("the change there is reverted", () -> sky(eu.client()), "blue"::equals);

    kit.client().resource(V1ConfigMap.class).delete(COLOURS);
    kit.eventually("eu has no copy", () -> sky(eu.client()), "none"::equals);
    kit.eventually("us has no copy", () -> sky(us.client()), "none"::equals);
  }

  @Test
  void anOriginalWithoutItsLabel_hasNoCopies(CoxswainTest kit) {
    CoxswainTest.Cluster eu = kit.cluster("eu");
    eu.apply(NAMESPACE);
    kit.apply(colours("true", "blue"));
    kit.run(new PropagationController());
    kit.eventually("eu has the copy", () -> sky(eu.client()), "blue"::equals);

    kit.apply(colours("false", "blue"));

    kit.eventually("eu has no copy", () -> sky(eu.client()), "none"::equals);
    assertThat(sky(kit.client())).isEqualTo("blue");
  }

  @Test
  void aClusterThatFails_delaysItsOwnCopyOnly(CoxswainTest kit) {
    CoxswainTest.Cluster eu = kit.cluster("eu");
    CoxswainTest.Cluster us = kit.cluster("us");
    eu.apply(NAMESPACE);
    us.apply(NAMESPACE);
    kit.run(new PropagationController());
    kit.settle();

    eu.faults().failNext(3, 500, Duration.ZERO, uri -> uri.contains("/settings/configmaps?"));
    kit.apply(colours("true", "blue"));

    kit.eventually("us has the copy", () -> sky(us.client()), "blue"::equals);
    kit.eventually("eu has it later", () -> sky(eu.client()), "blue"::equals);
    assertThat(kit.timeline())
        .contains("POST /api/v1/namespaces/settings/configmaps in eu  500")
        .doesNotContain("configmaps in us  500");
  }

  @Test
  void copies_endTheSame_whateverFails(CoxswainTest kit) {
    for (String cluster : List.of("eu", "us")) {
      kit.cluster(cluster);
    }
    Scenario scenario =
        Scenario.of(new PropagationController())
            .inParallel()
            .slotsByNamespace()
            .then(
                "the clusters have the namespace",
                k8s -> {
                  for (String cluster : k8s.clusters()) {
                    k8s.cluster(cluster)
                        .resource(V1Namespace.class)
                        .create(new V1Namespace().metadata(new V1ObjectMeta().name("settings")));
                  }
                })
            .apply("a map is created", colours("true", "blue"))
            .apply("it changes", colours("true", "red"))
            .whenAtRest("a copy is changed", k8s -> paint(k8s.cluster("eu"), "green"))
            .then("the map is deleted", k8s -> k8s.resource(V1ConfigMap.class).delete(COLOURS));

    ExplorationReport report = kit.explore(scenario.atMost(TestLength.of(30, Integer.MAX_VALUE)));

    System.out.println("propagation: " + report.text());
    report.verify();
  }
}
