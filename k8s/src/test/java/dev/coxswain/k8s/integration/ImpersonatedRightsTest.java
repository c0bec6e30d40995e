// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.WatchStream;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A kubeconfig with {@code as} has the rights of that user, whatever its credential may do. */
class ImpersonatedRightsTest {

  private static final String MAPS = "/api/v1/namespaces/default/configmaps";

  @TempDir private Path folder;
  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withTokens(
                  List.of(
                      new EmbeddedApiServerOptions.Token("r", "root", List.of("system:masters")))));

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void readsWatchesAndWrites_haveTheRightsOfTheImpersonatedUser() throws IOException {
    server.apply(
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: Role
        metadata: {name: look, namespace: default}
        rules:
        - {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch]}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: RoleBinding
        metadata: {name: look, namespace: default}
        subjects: [{kind: Group, name: lookers}]
        roleRef: {kind: Role, name: look, apiGroup: rbac.authorization.k8s.io}
        """);
    V1ConfigMap map = new V1ConfigMap().metadata(new V1ObjectMeta().namespace("default").name("x"));
    try (Kubernetes root = as("")) {
      root.resource(V1ConfigMap.class).create(map);
    }
    try (Kubernetes looker = as(", as: jane, as-groups: [lookers]")) {
      Resource<V1ConfigMap> maps = looker.resource(V1ConfigMap.class);
      assertThat(maps.get(Request.of("default", "x"))).isNotNull();
      try (WatchStream watch =
          KubernetesRuntime.of(looker)
              .transport()
              .watch(MAPS, Map.of("resourceVersion", "0"), "application/json")) {
        assertThat(watch.next()).isNotNull();
      }
      Objects.requireNonNull(map.getMetadata()).name("y");
      assertThatThrownBy(() -> maps.create(map))
          .isInstanceOfSatisfying(
              ApiStatusException.class, e -> assertThat(e.code()).isEqualTo(403))
          .hasMessageContaining("jane");
    }
    try (Kubernetes other = as(", as: joe")) {
      assertThatThrownBy(() ->
              KubernetesRuntime.of(other).transport().watch(MAPS, Map.of(), "application/json"))
          .hasMessageContaining("User \"joe\" cannot watch");
    }
  }

  private Kubernetes as(String more) throws IOException {
    Path file =
        Files.writeString(
            folder.resolve("config"),
            """
            current-context: c
            contexts: [{name: c, context: {cluster: c, user: u}}]
            clusters: [{name: c, cluster: {server: '%s'}}]
            users: [{name: u, user: {token: r%s}}]
            """
                .formatted(server.url(), more));
    return Kubernetes.fromKubeconfig(file, KubernetesOptions.DEFAULT);
  }
}
