// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.samples.visitors;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.junit5.CoxswainExtension;
import dev.coxswain.junit5.CoxswainTest;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.object.StatusConditions;
import dev.coxswain.k8s.resource.ListOptions;
import dev.coxswain.reconcile.Request;
import dev.coxswain.testing.TestLength;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(CoxswainExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // hundreds of runs
class VisitorsAppControllerTest {

  private static final Request SITE = Request.of("visitors", "site");

  private static final String DEFINITION =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: visitorsapps.example.com}
      spec:
        group: example.com
        scope: Namespaced
        names: {kind: VisitorsApp, listKind: VisitorsAppList, plural: visitorsapps, singular: visitorsapp}
        versions:
        - name: v1
          served: true
          storage: true
          subresources: {status: {}}
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec:
                  type: object
                  required: [size]
                  properties:
                    size: {type: integer, format: int32, minimum: 1}
                    title: {type: string}
                status: {type: object, x-kubernetes-preserve-unknown-fields: true}
      """;

  private static String site(int size, String title) {
    return """
    apiVersion: example.com/v1
    kind: VisitorsApp
    metadata: {namespace: visitors, name: site}
    spec: {size: %d, title: %s}
    """
        .formatted(size, title);
  }

  private static Request tier(String tier) {
    return Request.of("visitors", "site-" + tier);
  }

  private static List<String> deployments(Kubernetes k8s) {
    return k8s.resource(V1Deployment.class).list(ListOptions.ALL.inNamespace("visitors")).stream()
        .map(one -> Objects.requireNonNull(one.getMetadata().getName()))
        .sorted()
        .toList();
  }

  /** What the controller of Deployments and a node do. */
  private static void run(Kubernetes k8s, String tier) {
    k8s.resource(V1Deployment.class)
        .modifyStatus(
            tier(tier),
            one -> {
              int pods = Objects.requireNonNull(one.getSpec()).getReplicas();
              one.setStatus(
                  new V1DeploymentStatus()
                      .observedGeneration(one.getMetadata().getGeneration())
                      .replicas(pods)
                      .readyReplicas(pods));
            });
  }

  private static List<V1Condition> conditions(CoxswainTest kit) {
    return kit.client().resource(VisitorsApp.class).get(SITE).orElseThrow().conditions();
  }

  private static String reason(CoxswainTest kit, String condition) {
    return StatusConditions.find(conditions(kit), condition).orElseThrow().getReason();
  }

  private static void start(CoxswainTest kit) {
    kit.install(DEFINITION);
    kit.run(new VisitorsAppController());
    kit.apply(site(2, "Hello"));
    kit.settle();
  }

  private static void startAll(CoxswainTest kit) {
    start(kit);
    for (String tier : List.of("mysql", "backend", "frontend")) {
      run(kit.client(), tier);
      kit.settle();
    }
    assertThat(conditions(kit)).allMatch(one -> one.getStatus().equals(StatusConditions.TRUE));
  }

  @Test
  void eachTier_waitsForTheOneBeforeIt(CoxswainTest kit) {
    start(kit);
    assertThat(deployments(kit.client())).containsExactly("site-mysql");
    assertThat(kit.client().resource(V1Service.class).get(tier("mysql"))).isPresent();
    assertThat(reason(kit, "DatabaseReady")).isEqualTo("NotReady");
    assertThat(reason(kit, "BackendReady")).isEqualTo("Waiting");

    run(kit.client(), "mysql");
    kit.settle();
    assertThat(deployments(kit.client())).containsExactly("site-backend", "site-mysql");
    assertThat(reason(kit, "FrontendReady")).isEqualTo("Waiting");

    run(kit.client(), "backend");
    kit.settle();
    run(kit.client(), "frontend");
    kit.settle();
    assertThat(StatusConditions.isTrue(conditions(kit), "Ready")).isTrue();
  }

  @Test
  void anotherSize_isThatOfTheBackend_andThePasswordStays(CoxswainTest kit) {
    startAll(kit);
    V1Secret before = kit.client().resource(V1Secret.class).get(tier("mysql")).orElseThrow();
    kit.apply(site(3, "Hello"));
    kit.settle();

    assertThat(kit.client().resource(V1Deployment.class).get(tier("backend")))
        .map(one -> Objects.requireNonNull(one.getSpec()).getReplicas())
        .contains(3);
    assertThat(reason(kit, "BackendReady")).isEqualTo("NotReady");
    assertThat(kit.client().resource(V1Secret.class).get(tier("mysql"))).contains(before);
  }

  @Test
  void aDeletedSite_endsInReverse(CoxswainTest kit) {
    startAll(kit);
    kit.client()
        .resource(V1Deployment.class)
        .modify(tier("backend"), one -> one.getMetadata().addFinalizersItem("example.com/hold"));
    kit.settle();
    kit.client().resource(VisitorsApp.class).delete(SITE);

    kit.eventually(
        "the frontend is gone",
        () -> deployments(kit.client()),
        List.of("site-backend", "site-mysql")::equals);
    kit.settle();
    assertThat(kit.client().resource(VisitorsApp.class).get(SITE)).isPresent();
    assertThat(kit.client().resource(V1Deployment.class).get(tier("mysql")))
        .map(V1Deployment::getMetadata)
        .map(V1ObjectMeta::getDeletionTimestamp)
        .as("the database of a backend that is not gone")
        .isEmpty();

    kit.client()
        .resource(V1Deployment.class)
        .modify(
            tier("backend"),
            one ->
                Objects.requireNonNull(one.getMetadata().getFinalizers())
                    .remove("example.com/hold"));
    kit.eventually("nothing is left", () -> deployments(kit.client()), List::isEmpty);
    kit.eventually(
        "the site is gone",
        () -> kit.client().resource(VisitorsApp.class).get(SITE).isEmpty(),
        Boolean.TRUE::equals);
  }

  @Test
  void aSite_endsTheSame_whateverFails(CoxswainTest kit) {
    Scenario scenario =
        Scenario.of(new VisitorsAppController())
            .inParallel()
            .install(DEFINITION)
            .apply("it is created", site(1, "Hello"))
            .whenAtRest("the database runs", k8s -> run(k8s, "mysql"))
            .whenAtRest("the backend runs", k8s -> run(k8s, "backend"))
            .whenAtRest("the frontend runs", k8s -> run(k8s, "frontend"))
            .apply("its title changes", site(1, "Bye"))
            .then("it is deleted", k8s -> k8s.resource(VisitorsApp.class).delete(SITE))
            .mayDiffer("Secret", "data.password");

    ExplorationReport report = kit.explore(scenario.atMost(TestLength.of(30, Integer.MAX_VALUE)));

    System.out.println("visitors: " + report.text());
    report.verify();
  }
}
