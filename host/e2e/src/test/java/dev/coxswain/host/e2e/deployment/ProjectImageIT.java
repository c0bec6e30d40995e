// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.marcnuri.helm.Helm;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.host.e2e.controller.OrderController;
import dev.coxswain.host.e2e.process.ApiCalls;
import dev.coxswain.host.e2e.process.Distribution;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.PortForward;
import dev.coxswain.host.e2e.process.RenderedChart;
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
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code coxswain image} and {@code coxswain chart} make of a jar: the pods of {@code coxswain pods}, with that
 * image and the rights of that chart alone, reconcile objects of the definition in the chart.
 */
@Timeout(1200)
@Order(2) // the next longest
class ProjectImageIT {

  private static final Token ROOT = new Token("of-root", "root", List.of("system:masters"));
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NAMESPACE = "shop";
  private static final String RELEASE = "orders";
  private static final String DEFINITION =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/orders.shop.example.com";
  private static final String PODS = "/api/v1/namespaces/shop/pods";
  private static final int ORDERS = 12;
  private static final int PROCESSES = 3;
  private static final String ALL = "/apis/shop.example.com/v1/namespaces/shop/orders";
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Three processes start at once, perhaps on a busy machine. */
  private static final Duration START_LIMIT = Duration.ofMinutes(5);

  @TempDir private Path folder;

  @Test
  void
      podsOfTheImage_withTheChartAlone_takeOver_anUpgradeChangesTheDefinition_andAnUninstallKeepsIt()
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
        takeOver(api, chart, image, kubeconfig);
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
        assertThat(api.get(ALL + "/order-0").at("/status/replica").asText()).isNotEmpty();
        Helm.uninstall(RELEASE).withNamespace(NAMESPACE).withKubeConfig(kubeconfig).call();
        assertThat(api.get("/apis/apps/v1/namespaces/shop/deployments").path("items")).isEmpty();
        assertThat(api.get(DEFINITION).at("/metadata/name").asText()).startsWith("orders.");
        assertThat(api.get(ALL).path("items")).hasSize(ORDERS);
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

  /** Three pods share orders; when one is killed the others reconcile its orders, too. */
  private void takeOver(ApiCalls api, Path chart, Path image, Path kubeconfig) throws Exception {
    Path logs = chart.resolveSibling(chart.getFileName().toString().replace("-chart.tgz", "-pods"));
    try (Launcher pods =
        Launcher.start(
            folder,
            Map.of(),
            "pods",
            "--chart=" + chart,
            "--image=" + image,
            "--namespace=" + NAMESPACE,
            "--kubeconfig=" + kubeconfig,
            "--set=membership.leaseDuration=10s",
            "--set=membership.renewPeriod=1s")) {
      pods.await("three ready pods", START_LIMIT, () -> pods.output().contains("Ctrl-C"));
      Matcher pod = Pattern.compile("(?m)^  (orders-\\d), pid (\\d+)$").matcher(pods.output());
      Map<String, ProcessHandle> processes = new TreeMap<>();
      while (pod.find()) {
        processes.put(pod.group(1), pods.child(Long.parseLong(pod.group(2))));
      }
      assertThat(processes).containsOnlyKeys("orders-0", "orders-1", "orders-2");
      for (JsonNode object : api.get(PODS).path("items")) {
        assertThat(object.at("/status/containerStatuses/0/ready").asBoolean()).isTrue();
      }
      create(api);
      reconciled(api, logs);
      String victim = api.get(ALL + "/order-0").at("/status/replica").asText();
      Objects.requireNonNull(processes.get(victim), victim).destroyForcibly();
      for (int i = 0; i < ORDERS; i++) {
        api.delete(ALL + "/order-" + i);
      }
      create(api);
      reconciled(api, logs);
      assertThat(pods.errors())
          .contains("pod %s was ended by signal 9; it is started again".formatted(victim));
      pods.terminate();
      assertThat(pods.exitCode()).as(pods.errors()).isZero();
    }
    assertThat(api.get(PODS).path("items")).isEmpty();
    for (int i = 0; i < PROCESSES; i++) {
      assertThat(Files.readAllLines(logs.resolve("orders-" + i + ".log")))
          .isNotEmpty()
          .filteredOn(line -> line.contains("orbidden") || line.contains("\"level\":\"error\""))
          .isEmpty();
    }
  }

  private static void create(ApiCalls api) throws Exception {
    for (int i = 0; i < ORDERS; i++) {
      api.post(
          ALL,
          "{\"apiVersion\": \"shop.example.com/v1\", \"kind\": \"Order\", \"metadata\": {\"name\": \"order-%d\"}}"
              .formatted(i));
    }
  }

  private static void reconciled(ApiCalls api, Path logs) throws Exception {
    try {
      Await.until(
          "all orders are reconciled",
          LIMIT,
          () -> {
            for (JsonNode order : api.get(ALL).path("items")) {
              if (order.at("/status/replica").asText().isEmpty()) {
                return false;
              }
            }
            return true;
          });
    } catch (AssertionError e) {
      StringBuilder all = new StringBuilder(e.getMessage()).append(api.get(ALL));
      for (int i = 0; i < PROCESSES; i++) {
        all.append('\n').append(Files.readString(logs.resolve("orders-" + i + ".log")));
      }
      throw new AssertionError(all.toString(), e);
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
