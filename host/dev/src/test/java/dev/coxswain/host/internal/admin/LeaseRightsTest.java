// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Without the rights on its Lease a replica owns no slots, and names the right.
 */
class LeaseRightsTest {

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

  private final HttpClient http = HttpClient.newHttpClient();
  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults().withTokens(List.of(Guide.HOST)));
  private final Host host =
      new Host(
          Admin.configuration(
              "one", "changes.pauses.enabled=false", "membership.renewPeriod=100ms"),
          List.of(new Mirror()),
          Guide.access(server, Guide.HOST.token()),
          new HostMetrics("one"),
          Clock.system());
  private final Admin admin = new Admin(host);

  @AfterEach
  void stop() {
    admin.close();
    http.close();
    host.stop().await();
    server.close();
  }

  @Test
  void aMissingRight_isNamedInReadinessAndApi_andNothingRunsUntilItIsGiven() {
    host.start().await();
    Admin.await(() -> shown().path("state").asText().equals("failed"));
    assertThat(shown().path("error").asText()).contains("cannot own any slot", "list", "leases");
    assertThat(readiness())
        .contains("[-]slots: ", "leases", "[!]controller/mirror/leaseUnavailable: ");
    server.apply(RIGHTS);
    Admin.await(() -> shown().path("state").asText().matches("syncing|running"));
    Admin.await(() -> !readiness().contains("slots: "));
    assertThat(readiness()).doesNotContain("leaseUnavailable");
  }

  private JsonNode shown() {
    return StreamSupport.stream(admin.get("/controllers").path("items").spliterator(), false)
        .filter(one -> one.path("name").asText().equals("mirror"))
        .findFirst()
        .orElseThrow();
  }

  private String readiness() {
    try {
      URI probe = URI.create(host.report().health() + "/readyz?verbose");
      return http.send(HttpRequest.newBuilder(probe).build(), HttpResponse.BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private static final class Mirror implements ControllerDefinition {
    @Override
    public String name() {
      return "mirror";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      Kubernetes kubernetes = environment.get(Kubernetes.class);
      return Controller.named("mirror")
          .watches(kubernetes.kind(V1ConfigMap.class).toSource())
          .reconciles((request, context) -> Result.done());
    }
  }
}
