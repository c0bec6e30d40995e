// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.marcnuri.helm.Helm;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.host.e2e.Kubelet.Pod;
import dev.coxswain.testing.Await;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code coxswain image} and {@code coxswain chart} make of a jar: a pod of that image, with what Helm has
 * installed of that chart and the rights of it alone, reconciles objects of the definition in the chart.
 */
@Timeout(1200)
class ProjectImageIT {

  private static final Token ROOT = new Token("of-root", "root", List.of("system:masters"));
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NAMESPACE = "shop";
  private static final String RELEASE = "orders";
  private static final String DEFINITION =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/orders.shop.example.com";
  private static final String ORDERS = "/apis/shop.example.com/v1/namespaces/shop/orders";
  private static final Duration LIMIT = Duration.ofMinutes(2);

  @TempDir private Path folder;

  @BeforeAll
  static void skipWithoutNamespaces() throws Exception {
    String refusal = NetworkNamespace.refusal();
    assumeTrue(refusal.isEmpty(), refusal);
  }

  @Test
  void
      aPodOfTheImage_withTheChartAlone_reconciles_anUpgradeChangesTheDefinition_andAnUninstallKeepsIt()
          throws Exception {
    Path jar =
        Distribution.controllers(folder, folder.resolve("orders.jar"), OrderController.class);
    Path image =
        Distribution.exclusively(() ->
            Path.of(JSON.readTree(made(jar, "1.2.3", "image", "--json")).path("image").asText()));
    Path chart = Path.of(made(jar, "1.2.3", "chart").strip());
    theSchema_hasTheKeysOfTheController(chart);
    try (EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults().withTokens(List.of(ROOT)))) {
      server.apply(RenderedChart.CLUSTER);
      int port = URI.create(server.url()).getPort();
      PortForward.Key key = PortForward.Key.create(folder);
      try (PortForward secured =
              PortForward.start(
                  null, 0, () -> new Socket(InetAddress.getLoopbackAddress(), port), key);
          ApiCalls api = new ApiCalls(server, ROOT.token())) {
        Path kubeconfig =
            Workstation.kubeconfig(folder.resolve("helm"), secured.port(), key, ROOT.token());
        new Helm(chart)
            .upgrade()
            .install()
            .withName(RELEASE)
            .withNamespace(NAMESPACE)
            .createNamespace()
            .withKubeConfig(kubeconfig)
            .call();
        assertThat(
                api.get("/apis/apps/v1/namespaces/shop/deployments/orders")
                    .findValuesAsText("image"))
            .containsOnly("registry.example.com/shop/orders:1.2.3");
        reconciles(new UnpackedImage(image, folder), api, port, key);
        assertThat(schema(api)).doesNotContain("price");
        Path next = folder.resolve("next");
        new Helm(
                Path.of(
                    made(
                            Distribution.controllers(
                                Files.createDirectory(next),
                                next.resolve("orders.jar"),
                                PricedOrderController.class),
                            "1.2.4",
                            "chart")
                        .strip()))
            .upgrade()
            .withName(RELEASE)
            .withNamespace(NAMESPACE)
            .withKubeConfig(kubeconfig)
            .call();
        assertThat(schema(api)).as("an upgrade changes the definition").contains("price");
        assertThat(api.get(ORDERS + "/one").at("/status/replica").asText()).isNotEmpty();
        Helm.uninstall(RELEASE).withNamespace(NAMESPACE).withKubeConfig(kubeconfig).call();
        assertThat(api.get("/apis/apps/v1/namespaces/shop/deployments").path("items")).isEmpty();
        assertThat(api.get(DEFINITION).at("/metadata/name").asText()).startsWith("orders.");
        assertThat(api.get(ORDERS).path("items")).hasSize(1);
      }
    }
  }

  private static void theSchema_hasTheKeysOfTheController(Path chart) {
    String config = "config.controllers.orders.config.";
    assertThat(rendered(chart, config + "again", "30m")).contains("30m");
    assertThatThrownBy(() -> rendered(chart, config + "again", "soon"))
        .hasMessageContaining("/config/controllers/orders/config/again");
    assertThatThrownBy(() -> rendered(chart, config + "agian", "30m"))
        .hasMessageContaining("agian");
  }

  private static String rendered(Path chart, String key, String value) {
    return new Helm(chart).template().withKubeVersion("1.33.0").set(key, value).call();
  }

  private static String schema(ApiCalls api) throws Exception {
    return api.get(DEFINITION).at("/spec/versions/0/schema").toString();
  }

  private void reconciles(UnpackedImage image, ApiCalls api, int port, PortForward.Key key)
      throws Exception {
    assertThat(image.config().at("/config/Labels/org.opencontainers.image.version").asText())
        .isEqualTo("1.2.3");
    try (Kubelet kubelet = new Kubelet(image, api, port, key, NAMESPACE, folder)) {
      Pod pod = kubelet.start(RELEASE, RELEASE + "-6b8d-a");
      kubelet.awaitReady(pod);
      api.post(
          ORDERS,
          "{\"apiVersion\": \"shop.example.com/v1\", \"kind\": \"Order\", \"metadata\": {\"name\": \"one\"}}");
      Await.until(
          "the order is reconciled",
          LIMIT,
          () -> {
            JsonNode order = api.get(ORDERS + "/one");
            return order.at("/status/replica").asText().equals(pod.name());
          });
      assertThat(kubelet.terminate(pod)).as(pod.run().output()).isZero();
      assertThat(pod.run().output().lines())
          .filteredOn(line -> line.contains("orbidden") || line.contains("\"level\":\"error\""))
          .isEmpty();
      pod.close();
    }
  }

  private String made(Path jar, String version, String... command) throws Exception {
    List<String> arguments = new ArrayList<>(Arrays.asList(command));
    arguments.addAll(
        List.of(
            "--jar=" + jar,
            "--name=registry.example.com/shop/orders",
            "--version=" + version,
            "--output=" + Files.createDirectories(folder.resolve("made"))));
    try (Launcher run = Launcher.start(folder, Map.of(), arguments.toArray(String[]::new))) {
      assertThat(run.exitCode(Duration.ofMinutes(9))).as(run.errors()).isZero();
      return run.output();
    }
  }
}
