// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.controller.Controller;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Result;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/**
 * Without the rights on its Lease a replica owns no slots, and names the right.
 */
class LeaseRightsTest extends ReplicaFixture {

  private static final String RIGHTS =
      """
      apiVersion: rbac.authorization.k8s.io/v1
      kind: Role
      metadata: {name: leases, namespace: default}
      rules:
      - {apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, list, create, update]}
      - {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch, create, update]}
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: RoleBinding
      metadata: {name: leases, namespace: default}
      roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: leases}
      subjects: [{kind: ServiceAccount, name: coxswain, namespace: default}]
      """;

  private final Replica one;

  LeaseRightsTest() {
    super(Guide.ROOT);
    Definition mirror =
        new Definition(
            "mirror",
            environment ->
                Controller.named("mirror")
                    .watches(environment.get(Kubernetes.class).kind(V1ConfigMap.class).toSource())
                    .reconciles((request, context) -> Result.done()));
    one =
        replica(
            "one", List.of(mirror), "changes.pauses.enabled=false", "membership.renewPeriod=100ms");
  }

  @Test
  void aMissingRight_isNamedInReadinessAndApi_andNothingRunsUntilItIsGiven() {
    one.start();
    Admin.await(() -> shown().path("state").asText().equals("failed"));
    assertThat(shown().path("error").asText()).contains("cannot own any slot", "list", "leases");
    assertThat(one.admin.readiness().body())
        .contains("[-]slots: ", "leases", "[!]controller/mirror/leaseUnavailable: ");
    server.apply(RIGHTS);
    Admin.await(() -> shown().path("state").asText().matches("syncing|running"));
    Admin.await(() -> !one.admin.readiness().body().contains("slots: "));
    assertThat(one.admin.readiness().body()).doesNotContain("leaseUnavailable");
  }

  private JsonNode shown() {
    return StreamSupport.stream(one.admin.get("/controllers").path("items").spliterator(), false)
        .filter(one -> one.path("name").asText().equals("mirror"))
        .findFirst()
        .orElseThrow();
  }
}
