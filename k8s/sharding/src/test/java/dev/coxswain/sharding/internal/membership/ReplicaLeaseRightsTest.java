// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.sharding.internal.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.sharding.internal.lease.LeaseOptions;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rights to Leases in the documentation are enough. */
class ReplicaLeaseRightsTest {

  private static final Path DOCUMENT = Path.of("../../docs/reference/access-rights.md");
  private static final String ACCOUNT = "system:serviceaccount:default:shop";
  private static final LeaseOptions LONG =
      new LeaseOptions(Duration.ofHours(2), Duration.ofHours(1), Duration.ofMillis(100));

  @Test
  void aReplicaLease_isAcquired_withTheRightsOfThePage() throws IOException {
    List<String[]> rows =
        Files.readAllLines(DOCUMENT).stream()
            .map(line -> line.replace("`", "").split("\\|", -1))
            .filter(cells -> cells.length > 4 && cells[3].strip().equals("leases"))
            .toList();
    assertThat(rows).hasSize(1);
    Token token = new Token("s", ACCOUNT, List.of());
    try (EmbeddedApiServer server =
            EmbeddedApiServer.startBlocking(
                EmbeddedApiServerOptions.defaults().withTokens(List.of(token)));
        Kubernetes shop = Kubernetes.of(client(server, token), KubernetesOptions.DEFAULT)) {
      server.apply(
          """
          apiVersion: rbac.authorization.k8s.io/v1
          kind: Role
          metadata: {name: shop, namespace: default}
          rules:
          - {apiGroups: [%s], resources: [leases], verbs: [%s]}
          ---
          apiVersion: rbac.authorization.k8s.io/v1
          kind: RoleBinding
          metadata: {name: shop, namespace: default}
          roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: shop}
          subjects:
          - {kind: ServiceAccount, name: shop, namespace: default}
          """
              .formatted(rows.getFirst()[2].strip(), rows.getFirst()[4].strip()));
      ReplicaLeases leases =
          new ReplicaLeases(
              KubernetesRuntime.of(shop).transport(),
              new MembershipOptions("default", "replica", 3, "me", "one", LONG),
              Clock.system(),
              () -> false);
      leases.start();

      Await.until("a lease", leases::mayAct);

      Await.get(leases.stop());
    }
  }

  private static ApiClient client(EmbeddedApiServer server, Token token) {
    ApiClient client = new ApiClient().setBasePath(server.url());
    client.setApiKeyPrefix("Bearer");
    client.setApiKey(token.token());
    return client;
  }
}
