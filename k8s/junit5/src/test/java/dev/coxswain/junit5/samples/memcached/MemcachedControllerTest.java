// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.junit5.samples.memcached;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.junit5.CoxswainExtension;
import dev.coxswain.junit5.CoxswainTest;
import dev.coxswain.junit5.explore.ExplorationReport;
import dev.coxswain.junit5.explore.Scenario;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.object.StatusConditions;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1DeploymentStatus;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(CoxswainExtension.class)
@Timeout(value = 10, unit = TimeUnit.MINUTES) // hundreds of runs
class MemcachedControllerTest {

  private static final Request SAMPLE = Request.of("default", "sample");

  private static final String DEFINITION =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: memcacheds.cache.example.com}
      spec:
        group: cache.example.com
        scope: Namespaced
        names: {kind: Memcached, listKind: MemcachedList, plural: memcacheds, singular: memcached}
        versions:
        - name: v1alpha1
          served: true
          storage: true
          subresources: {status: {}}
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec:
                  type: object
                  properties:
                    size: {type: integer, format: int32, minimum: 1, maximum: 3}
                status: {type: object, x-kubernetes-preserve-unknown-fields: true}
      """;

  private static String memcached(int size) {
    return """
    apiVersion: cache.example.com/v1alpha1
    kind: Memcached
    metadata: {namespace: default, name: sample}
    spec: {size: %d}
    """
        .formatted(size);
  }

  private static V1Deployment deployment(Kubernetes k8s) {
    return k8s.resource(V1Deployment.class).get(SAMPLE).orElseThrow();
  }

  private static void run(Kubernetes k8s, int pods) {
    k8s.resource(V1Deployment.class)
        .modifyStatus(
            SAMPLE,
            one ->
                one.setStatus(
                    new V1DeploymentStatus()
                        .observedGeneration(
                            Objects.requireNonNull(one.getMetadata()).getGeneration())
                        .replicas(pods)
                        .availableReplicas(pods)));
  }

  private static boolean isAvailable(Kubernetes k8s) {
    return StatusConditions.isTrue(
        k8s.resource(Memcached.class).get(SAMPLE).orElseThrow().conditions(), "Available");
  }

  @Test
  void itsDeployment_hasItsSize_andItIsAvailableWithItsPods(CoxswainTest kit) {
    kit.install(DEFINITION);
    kit.run(new MemcachedController());
    kit.apply(memcached(2));
    kit.settle();

    assertThat(Objects.requireNonNull(deployment(kit.client()).getSpec()).getReplicas())
        .isEqualTo(2);
    assertThat(isAvailable(kit.client())).isFalse();

    run(kit.client(), 2);
    kit.settle();
    assertThat(isAvailable(kit.client())).isTrue();

    kit.apply(memcached(3));
    kit.settle();
    assertThat(Objects.requireNonNull(deployment(kit.client()).getSpec()).getReplicas())
        .isEqualTo(3);
    assertThat(isAvailable(kit.client())).isFalse();

    assertThatThrownBy(() -> kit.apply(memcached(4))).hasMessageContaining("size");
  }

  @Test
  void aMemcached_endsTheSame_whateverFails(CoxswainTest kit) {
    Scenario scenario =
        Scenario.of(new MemcachedController())
            .inParallel()
            .install(DEFINITION)
            .apply("it is created", memcached(1))
            .whenAtRest("its pod runs", k8s -> run(k8s, 1))
            .apply("it grows", memcached(3))
            .whenAtRest("its pods run", k8s -> run(k8s, 3));

    ExplorationReport report = kit.explore(scenario);

    System.out.println("memcached: " + report.text());
    report.verify();
  }
}
