// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/**
 * The chart, rendered by Helm's own engine. A host with exactly its configuration, service account
 * and rights reconciles.
 */
@Timeout(300)
class ChartIT {

  private static final Path CHART = Path.of("..", "chart").toAbsolutePath().normalize();
  private static final ObjectMapper JSON = new ObjectMapper();

  /** What the controller of this test needs, and what a cluster has. */
  private static final String RULES =
      """
      controllerRules:
      - {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch, patch]}
      """;

  private static final String CLUSTER =
      """
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRole
      metadata: {name: "system:auth-delegator"}
      rules:
      - {apiGroups: [authentication.k8s.io], resources: [tokenreviews], verbs: [create]}
      - {apiGroups: [authorization.k8s.io], resources: [subjectaccessreviews], verbs: [create]}
      """;

  @TempDir private Path folder;

  @Test
  void theChart_passesTheLinter() {
    LintResult result = new Helm(CHART).lint().strict().call();
    assertThat(result.isFailed()).as("%s", result.getMessages()).isFalse();
  }

  @Test
  void wrongValues_areRefused() {
    assertThatThrownBy(() -> template().set("replicas", "many").call())
        .hasMessageContaining("replicas");
    assertThatThrownBy(() -> template().set("replica", 3).call()).hasMessageContaining("replica");
    assertThatThrownBy(() -> template().set("replicas", 10).call())
        .hasMessageContaining("maxReplicas (10) must be larger than replicas (10)");
  }

  @Test
  void optionalParts_areThereOnlyWhenWanted() throws Exception {
    List<JsonNode> plain = objects(template());
    assertThat(kinds(plain)).doesNotContain("ServiceMonitor", "PrometheusRule");
    assertThat(names(plain)).doesNotContain("coxswain-dashboards");
    List<JsonNode> all =
        objects(
            template()
                .set("serviceMonitor.enabled", true)
                .set("prometheusRule.enabled", true)
                .set("prometheusRule.runbooks", "https://wiki.example.com/alerts")
                .set("dashboards.enabled", true)
                .set("admin.tlsSecret", "admin-tls"));
    assertThat(kinds(all)).contains("ServiceMonitor", "PrometheusRule");
    assertThat(one(all, "Service", "coxswain-admin").at("/spec/ports/0/port").asInt())
        .isEqualTo(8090);
    JsonNode board = one(all, "ConfigMap", "coxswain-dashboards");
    assertThat(board.at("/metadata/labels/grafana_dashboard").asText()).isEqualTo("1");
    assertThat(JSON.readTree(board.at("/data/coxswain.json").asText()))
        .isEqualTo(JSON.readTree(CHART.resolve("dashboards/coxswain.json").toFile()));
    String rules = one(all, "PrometheusRule", "coxswain").toString();
    assertThat(rules).contains("\"https://wiki.example.com/alerts#coxswainnotready\"");
    String metrics = Files.readString(Path.of("../../docs/reference/metrics.md"));
    for (String metric :
        List.of(
            "coxswain_slot_unowned_seconds",
            "coxswain_replica_leases_fenced_total",
            "coxswain_writes_refused_total")) {
      assertThat(rules).contains(metric + "{");
      assertThat(metrics).contains("`" + metric + "`");
    }
  }

  @Test
  void aPod_isRestricted_andStopsWithinItsGrace() throws Exception {
    JsonNode pod = one(objects(template()), "Deployment", "coxswain").at("/spec/template/spec");
    assertThat(pod.path("terminationGracePeriodSeconds").asInt()).isEqualTo(45);
    assertThat(pod.at("/securityContext/runAsNonRoot").asBoolean()).isTrue();
    assertThat(pod.at("/securityContext/seccompProfile/type").asText()).isEqualTo("RuntimeDefault");
    JsonNode container = pod.at("/containers/0/securityContext");
    assertThat(container.path("allowPrivilegeEscalation").asBoolean(true)).isFalse();
    assertThat(container.path("readOnlyRootFilesystem").asBoolean()).isTrue();
    assertThat(container.at("/capabilities/drop/0").asText()).isEqualTo("ALL");
  }

  @Test
  void aHostOfTheChart_ownsSlotsAndReconciles_withItsRightsAlone() throws Exception {
    Token host = new Token("of-host", "system:serviceaccount:default:coxswain", List.of());
    Token root = new Token("of-root", "root", List.of("system:masters"));
    try (EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults().withTokens(List.of(host, root)))) {
      server.apply(CLUSTER);
      Path values = Files.writeString(folder.resolve("values.yaml"), RULES);
      String rendered = template().withValuesFile(values).call();
      server.apply(rendered); // the server checks each against its schema
      server.apply(GreetingController.OBJECT);
      try (Launcher run = run(server, host, objects(rendered))) {
        Distribution.awaitGreeting(run, server, root.token());
        String slots = get(server, root, "/api/v1/namespaces/default/configmaps/coxswain-slots");
        assertThat(slots).contains("coxswain-6b8d-x2x4");
        run.terminate();
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).doesNotContain("orbidden", " ERROR ", "\"level\":\"ERROR\"");
      }
    }
  }

  /** Runs what the container of the Deployment runs, with other ports and names of this machine. */
  private Launcher run(EmbeddedApiServer server, Token account, List<JsonNode> objects)
      throws Exception {
    JsonNode container =
        one(objects, "Deployment", "coxswain").at("/spec/template/spec/containers/0");
    Path config =
        Files.writeString(
            folder.resolve("config.yaml"),
            one(objects, "ConfigMap", "coxswain-config").at("/data/config.yaml").asText());
    List<String> arguments = new ArrayList<>();
    for (JsonNode argument : container.path("args")) {
      arguments.add(argument.asText().replace("/etc/coxswain/config.yaml", config.toString()));
    }
    for (String setting : List.of("service=localhost", "port=" + free())) {
      arguments.addAll(List.of("--set", "sharedLimiter." + setting));
    }
    Path kubeconfig =
        Files.writeString(
            folder.resolve("kubeconfig"),
            """
            apiVersion: v1
            kind: Config
            current-context: test
            clusters: [{name: test, cluster: {server: "%s"}}]
            users: [{name: host, user: {token: "%s"}}]
            contexts: [{name: test, context: {cluster: test, user: host}}]
            """
                .formatted(server.url(), account.token()));
    arguments.addAll(List.of("--kubeconfig", kubeconfig.toString()));
    Map<String, String> environment = Distribution.freePorts();
    for (JsonNode variable : container.path("env")) {
      environment.put(
          variable.path("name").asText(),
          switch (variable.at("/valueFrom/fieldRef/fieldPath").asText()) {
            case "status.podIP" -> "127.0.0.1";
            case "metadata.namespace" -> "default";
            case "metadata.name" -> "coxswain-6b8d-x2x4";
            default -> throw new AssertionError(variable);
          });
    }
    environment.put(
        "COXSWAIN_CLASSPATH",
        Distribution.controllers(folder, folder.resolve("greeting.jar")).toString());
    return Launcher.start(folder, environment, arguments.toArray(String[]::new));
  }

  private static TemplateCommand template() {
    return new Helm(CHART)
        .template()
        .withName("coxswain")
        .withNamespace("default")
        .withKubeVersion("1.33.0");
  }

  private static List<JsonNode> objects(TemplateCommand command) {
    return objects(command.call());
  }

  private static List<JsonNode> objects(String rendered) {
    List<JsonNode> objects = new ArrayList<>();
    for (Object object : new Yaml().loadAll(rendered)) {
      if (object != null) {
        objects.add(JSON.valueToTree(object));
      }
    }
    return objects;
  }

  private static List<String> kinds(List<JsonNode> objects) {
    return objects.stream().map(object -> object.path("kind").asText()).toList();
  }

  private static List<String> names(List<JsonNode> objects) {
    return objects.stream().map(object -> object.at("/metadata/name").asText()).toList();
  }

  private static JsonNode one(List<JsonNode> objects, String kind, String name) {
    return objects.stream()
        .filter(object -> object.path("kind").asText().equals(kind))
        .filter(object -> object.at("/metadata/name").asText().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static String get(EmbeddedApiServer server, Token user, String path)
      throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(
              HttpRequest.newBuilder(URI.create(server.url() + path))
                  .header("Authorization", "Bearer " + user.token())
                  .build(),
              BodyHandlers.ofString())
          .body();
    }
  }

  private static int free() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
