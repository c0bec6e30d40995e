// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.pods;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.host.internal.lifecycle.HostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the pods need from the API server. */
class PodClusterTest {

  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir private Path folder;
  private EmbeddedApiServer server;
  private PodCluster cluster;

  @BeforeEach
  void start() throws Exception {
    server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults()
                .withTokens(List.of(new Token("of-root", "root", List.of("system:masters")))));
    cluster =
        new PodCluster(
            Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig()), "shop", PATIENCE);
    apply("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");
    apply("{apiVersion: v1, kind: ServiceAccount, metadata: {name: orders, namespace: shop}}");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private void apply(String yaml) throws HostException {
    cluster.apply(CrdYaml.read(yaml).getFirst());
  }

  @Test
  void aToken_isThatOfTheAccount_andIsRenewedBeforeItEnds() throws Exception {
    Path token = folder.resolve("token");
    Instant renewal = cluster.writeToken("orders", token);
    String first = Files.readString(token);
    assertThat(Duration.between(Instant.now(), renewal))
        .isBetween(Duration.ofMinutes(40), Duration.ofMinutes(50));
    PodCluster account =
        new PodCluster(
            Files.writeString(folder.resolve("pod"), cluster.kubeconfig(token)), "shop", PATIENCE);
    assertThatThrownBy(() -> account.hasNodes())
        .hasMessageContaining("system:serviceaccount:shop:orders");
    cluster.writeToken("orders", token);
    assertThat(Files.readString(token)).isNotEqualTo(first);
  }

  @Test
  void aPod_takesThePlaceOfOne_thatWasLeft() throws Exception {
    JsonObject pod =
        CrdYaml.read(
                "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}, spec: {containers: [{name: a, image: a}]}}")
            .getFirst();
    cluster.createPod(pod);
    cluster.createPod(pod);
    assertThat(cluster.hasPod("a")).isTrue();
    cluster.deletePod("a");
    cluster.deletePod("a");
    assertThat(cluster.hasPod("a")).isFalse();
  }

  @Test
  void aClusterWithANode_isFound() throws Exception {
    assertThat(cluster.hasNodes()).isFalse();
    apply("{apiVersion: v1, kind: Node, metadata: {name: one}}");
    assertThat(cluster.hasNodes()).isTrue();
  }

  @Test
  void aPodOfOthers_isNeitherReplacedNorTaken() throws Exception {
    String pod =
        "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}, spec: {containers: [{name: a, image: a}]}}";
    apply(pod);
    JsonObject own = CrdYaml.read(pod).getFirst();
    assertThatThrownBy(() -> cluster.createPod(own))
        .isInstanceOf(HostException.class)
        .hasMessageContaining("the pod a in the namespace shop was not created by coxswain pods");
    assertThat(cluster.hasPod("a")).isTrue();
  }

  @Test
  void onlyTheNamespace_thatThisCommandHasCreated_isItsOwn() throws Exception {
    assertThat(cluster.createNamespace()).as("it was there").isFalse();
    PodCluster other =
        new PodCluster(
            Files.writeString(folder.resolve("other"), server.kubeconfig()), "new", PATIENCE);
    assertThat(other.createNamespace()).isTrue();
    assertThat(other.createNamespace()).as("of the last run").isTrue();
  }

  @Test
  void webhooks_atAnotherAddress_stay() throws Exception {
    String configuration =
        """
        apiVersion: admissionregistration.k8s.io/v1
        kind: ValidatingWebhookConfiguration
        metadata: {name: orders.coxswain.dev}
        webhooks:
        - name: orders.coxswain.dev
          clientConfig: {url: "https://127.0.0.1:41005/validate"}
          sideEffects: None
          admissionReviewVersions: [v1]
        """;
    apply(configuration);
    cluster.deleteWebhooks("orders", "https://127.0.0.1:4100");
    String path =
        "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/orders.coxswain.dev";
    assertThat(cluster.find(path)).isNotNull();
    cluster.deleteWebhooks("orders", "https://127.0.0.1:41005");
    assertThat(cluster.find(path)).isNull();
  }
}
