// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.author;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.marcnuri.helm.Helm;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.e2e.controller.GuardingController;
import dev.coxswain.host.e2e.controller.OrderController;
import dev.coxswain.host.e2e.deployment.KustomizeIT;
import dev.coxswain.host.e2e.process.ApiCalls;
import dev.coxswain.host.e2e.process.DebianPackages;
import dev.coxswain.host.e2e.process.Distribution;
import dev.coxswain.host.e2e.process.Launcher;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** What {@code coxswain bundle} writes, and what {@code coxswain verify} finds. */
@Timeout(600)
@Order(2) // the next longest
class ProjectVerifyIT {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final String ORDER =
      """
      apiVersion: shop.example.com/v1
      kind: Order
      metadata: {name: one, namespace: mall}
      """;
  private static final String ORDER_RULES =
      """
      controllerRules:
      - {apiGroups: [shop.example.com], resources: [orders], verbs: [get, list, watch]}
      - {apiGroups: [shop.example.com], resources: [orders/status], verbs: [patch]}
      """;

  @TempDir private Path folder;

  private record Ended(int code, String output, String errors) {}

  private Path jar(Class<?> definition) throws Exception {
    Path place = Files.createDirectories(folder.resolve(definition.getSimpleName()));
    return Distribution.controllers(place, place.resolve("project.jar"), definition);
  }

  private Ended run(Path jar, String... command) throws Exception {
    List<String> arguments = new ArrayList<>(Arrays.asList(command));
    arguments.addAll(
        List.of("--jar=" + jar, "--name=registry.example.com/shop/orders", "--version=1.2.3"));
    Path temporary = Files.createDirectories(folder.resolve("temporary"));
    try (Launcher run =
        Launcher.start(
            folder,
            Map.of("COXSWAIN_JAVA_OPTS", "-Djava.io.tmpdir=" + temporary),
            arguments.toArray(String[]::new))) {
      Ended ended = new Ended(run.exitCode(LIMIT), run.output(), run.errors());
      assertThat(temporary).as("files that are left").isEmptyDirectory();
      return ended;
    }
  }

  /** The limit of a busy machine, not that of a user. */
  private Ended verified(Path jar, String objects, String rules) throws Exception {
    List<String> arguments = new ArrayList<>(List.of("verify", "--timeout=240s"));
    if (!objects.isEmpty()) {
      arguments.add("--objects=" + Files.writeString(folder.resolve("objects.yaml"), objects));
    }
    if (!rules.isEmpty()) {
      arguments.add("--rules=" + Files.writeString(folder.resolve("values.yaml"), rules));
    }
    return run(jar, arguments.toArray(String[]::new));
  }

  @Test
  void aProject_isVerifiedWithTheRightsOfItsChart_andWithItsOwnRules() throws Exception {
    Path jar = jar(OrderController.class);
    Ended ofChart = verified(jar, ORDER, "");
    assertThat(ofChart.code()).as(ofChart.toString()).isZero();
    assertThat(ofChart.output())
        .contains(
            "ok       definitions   accepted: orders.shop.example.com",
            "ok       start         ready as system:serviceaccount:orders-system:orders",
            "-        webhooks      none is declared",
            "ok       objects       1 of ",
            "ok       rights        no request was forbidden",
            "5 passed, 0 failed, 2 skipped in ");
    Ended own = verified(jar, ORDER, ORDER_RULES);
    assertThat(own.code()).as(own.toString()).isZero();
    assertThat(own.output()).contains("ok       rules         each is declared or used");
  }

  /** Its controllers would write to them. */
  @Test
  void aConfigurationWithFurtherClusters_isRefused() throws Exception {
    Ended ended =
        run(
            jar(OrderController.class),
            "verify",
            "--set=kubernetes.clusters.eu.kubeconfig=/nowhere/config");
    assertThat(ended.code()).as(ended.toString()).isEqualTo(2);
    assertThat(ended.errors()).contains("kubernetes.clusters").hasLineCount(1);
  }

  @Test
  void aRuleThatIsNeitherDeclaredNorUsed_fails() throws Exception {
    Ended ended =
        verified(
            jar(OrderController.class),
            ORDER,
            ORDER_RULES + "- {apiGroups: [\"\"], resources: [secrets], verbs: [get, delete]}\n");
    assertThat(ended.code()).as(ended.toString()).isEqualTo(1);
    assertThat(ended.output())
        .contains(
            "FAILED   rules         not what the controllers need",
            "          remove: - {apiGroups: [\"\"], resources: [secrets], verbs: [get, delete]}",
            " 1 failed, ");
  }

  @Test
  void aRequestThatNoRuleAllows_failsWithTheRuleToAdd() throws Exception {
    Ended ended =
        verified(
            jar(SecretiveController.class),
            """
            apiVersion: v1
            kind: ConfigMap
            metadata: {name: one, namespace: mall, labels: {secretive: "yes"}}
            """,
            "");
    assertThat(ended.code()).as(ended.toString()).isEqualTo(1);
    assertThat(ended.output())
        .contains(
            "FAILED   rights        missing",
            "          get secrets in the namespace mall",
            "          add: - {apiGroups: [\"\"], resources: [secrets], verbs: [get]}");
  }

  @Test
  void aRightThatCachesNeed_isNamedWithoutWaitingForTheEnd() throws Exception {
    Ended ended = verified(jar(OrderController.class), ORDER, "controllerRules: []\n");
    assertThat(ended.code()).as(ended.toString()).isEqualTo(1);
    assertThat(ended.output())
        .contains(
            "          list orders.shop.example.com in the whole cluster",
            "          add: - {apiGroups: [shop.example.com], resources: [orders], verbs: [list")
        .doesNotContain("in time");
  }

  @Test
  void webhooks_areRegisteredWithTheRightsOfTheChart_andAnswer() throws Exception {
    Ended ended = verified(jar(GuardingController.class), "", "");
    assertThat(ended.code()).as(ended.toString()).isZero();
    assertThat(ended.output())
        .contains(
            "ok       webhooks      1 registered, each answers",
            "-        objects       there is none: name some with --objects");
  }

  @Test
  void aBundle_hasTheObjectsOfTheChart_andAppliesWithKubectl() throws Exception {
    assumeTrue(DebianPackages.onPath("kubectl").isPresent(), "kubectl is missing");
    for (Class<?> definition : List.of(OrderController.class, GuardingController.class)) {
      Path jar = jar(definition);
      String output = "--output=" + Files.createDirectories(folder.resolve("made"));
      Ended made = run(jar, "bundle", "--namespace=shop", output);
      assertThat(made.code()).as(made.toString()).isZero();
      Path bundle = Path.of(made.output().strip());
      assertThat(bundle.getFileName()).hasToString("orders-1.2.3-bundle");
      Path chart = Path.of(run(jar, "chart", output).output().strip());
      Map<String, JsonNode> expected =
          comparable(
              new Helm(chart)
                  .template()
                  .withName("orders")
                  .withNamespace("shop")
                  .withKubeVersion("1.33.0")
                  .call());
      assertThat(comparable(DebianPackages.run("kubectl", "kustomize", bundle.toString())))
          .isEqualTo(expected);
      applies(bundle, expected.get("ClusterRole/shop-orders-controllers"));
    }
  }

  private void applies(Path bundle, JsonNode role) throws Exception {
    try (EmbeddedApiServer server =
            EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
        ApiCalls api = new ApiCalls(server, "")) {
      server.apply("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");
      Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
      String kubectl = "--kubeconfig=" + kubeconfig;
      DebianPackages.run("kubectl", kubectl, "apply", "-k", bundle.toString());
      if (role != null) {
        assertThat(
                api.get("/apis/rbac.authorization.k8s.io/v1/clusterroles/shop-orders-controllers")
                    .get("rules"))
            .isEqualTo(role.get("rules"));
      }
      assertThat(DebianPackages.run("kubectl", kubectl, "apply", "-k", bundle.toString()))
          .as("a second time")
          .doesNotContain("created");
      DebianPackages.run("kubectl", kubectl, "delete", "-k", bundle.resolve("operator").toString());
      assertThat(api.get("/apis/apps/v1/namespaces/shop/deployments").path("items")).isEmpty();
    }
  }

  /** Returns objects by kind and name; the configuration is compared as what it means. */
  private static Map<String, JsonNode> comparable(String rendered) {
    Map<String, JsonNode> objects = KustomizeIT.objects(rendered);
    objects.forEach((name, object) -> {
      ((ObjectNode) object.get("metadata")).remove("annotations");
      if (name.endsWith("-config")) {
        ObjectNode data = (ObjectNode) object.get("data");
        Object config = new Yaml().load(data.get("config.yaml").asText());
        data.set("config.yaml", JSON.valueToTree(config));
      }
    });
    return objects;
  }
}
