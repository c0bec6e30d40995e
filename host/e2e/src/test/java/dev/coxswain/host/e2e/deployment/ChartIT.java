// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import static dev.coxswain.host.e2e.process.RenderedChart.CHART;
import static dev.coxswain.host.e2e.process.RenderedChart.kinds;
import static dev.coxswain.host.e2e.process.RenderedChart.names;
import static dev.coxswain.host.e2e.process.RenderedChart.objects;
import static dev.coxswain.host.e2e.process.RenderedChart.one;
import static dev.coxswain.host.e2e.process.RenderedChart.template;
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
import dev.coxswain.host.e2e.process.ApiCalls;
import dev.coxswain.host.e2e.process.Distribution;
import dev.coxswain.host.e2e.process.GreetingController;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.RenderedChart;
import dev.coxswain.host.internal.dev.FreePorts;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The chart, rendered by Helm's own engine. A host with exactly its configuration, service account
 * and rights reconciles.
 */
@Timeout(300)
class ChartIT {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** What the controller of this test needs, and what a cluster has. */
  private static final String RULES =
      """
      controllerRules:
      - {apiGroups: [""], resources: [configmaps], verbs: [get, list, watch, patch]}
      """;

  private static final String BINDINGS =
      """
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRoleBinding
      metadata: {name: anna-views}
      roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: default-coxswain-viewer}
      subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: anna}]
      ---
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRoleBinding
      metadata: {name: prometheus-scrapes}
      roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: default-coxswain-metrics-reader}
      subjects: [{kind: ServiceAccount, name: prometheus, namespace: monitoring}]
      """;

  private static final String SECRET = "coxswain-admin-tls";

  @TempDir private Path folder;
  private int adminPort;
  private int metricsPort;
  private final Token host =
      new Token("of-host", "system:serviceaccount:default:coxswain", List.of());

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
    assertThatThrownBy(() -> template().set("webhooks.enabled", true).call())
        .hasMessageContaining("needs webhooks.controllers or webhooks.definitions");
    assertThat(
            template()
                .set("webhooks.enabled", true)
                .set("webhooks.callbacks", true)
                .call()
                .toString())
        .contains("service: default/coxswain-webhooks");
  }

  @Test
  void aChangeOfReloadedKeys_restartsNoPods_andAnyOtherDoes() {
    String before = checksum(template());
    assertThat(
            checksum(
                template()
                    .set("config.limiters.default.rate", 20)
                    .set("config.limiters.default.burst", 50)
                    .set("config.logging.level", "debug")
                    .set("config.controllers.error-backoff.concurrency", 9)))
        .isEqualTo(before);
    assertThat(checksum(template().set("drainSeconds", 31))).isNotEqualTo(before);
    assertThat(checksum(template().set("config.limiters.vendor.rate", 1))).isNotEqualTo(before);
    assertThat(checksum(template().set("config.controllers.error-backoff.enabled", false)))
        .isNotEqualTo(before);
    assertThat(checksum(template().set("config.logging.format", "text"))).isNotEqualTo(before);
  }

  private static String checksum(TemplateCommand command) {
    return one(objects(command), "Deployment", "coxswain")
        .at("/spec/template/metadata/annotations/coxswain.dev~1config-checksum")
        .asText();
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
                .set("webhooks.enabled", true)
                .set("webhooks.controllers[0]", "greeter")
                .set("admin.tlsSecret", "admin-tls"));
    assertThat(one(all, "Service", "coxswain-webhooks").at("/spec/ports/0/port").asInt())
        .isEqualTo(443);
    assertThat(one(all, "ClusterRole", "default-coxswain-webhooks").toString())
        .contains("\"resourceNames\":[\"greeter.coxswain.dev\"],\"verbs\":[\"patch\",\"delete\"]");
    assertThat(one(all, "ConfigMap", "coxswain-config").at("/data/config.yaml").asText())
        .contains("service: default/coxswain-webhooks");
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
  void watchedNamespaces_haveARoleEach_inPlaceOfTheClusterRole_andRestartNoPods() {
    String rules = "controllerRules[0]";
    TemplateCommand some =
        template()
            .set(rules + ".apiGroups[0]", "shop.example.com")
            .set(rules + ".resources[0]", "orders")
            .set(rules + ".verbs[0]", "watch")
            .set("watchNamespaces[0]", "shop")
            .set("watchNamespaces[1]", "blog");
    List<JsonNode> all = objects(some);
    assertThat(names(all)).contains("default-coxswain-controllers");
    List<JsonNode> ofControllers =
        all.stream()
            .filter(one -> one.at("/metadata/name").asText().equals("default-coxswain-controllers"))
            .toList();
    assertThat(ofControllers)
        .extracting(one -> one.path("kind").asText() + " " + one.at("/metadata/namespace").asText())
        .containsExactlyInAnyOrder(
            "Role shop", "RoleBinding shop", "Role blog", "RoleBinding blog");
    assertThat(ofControllers)
        .filteredOn(one -> one.path("kind").asText().equals("RoleBinding"))
        .allSatisfy(
            one -> assertThat(one.at("/subjects/0/namespace").asText()).isEqualTo("default"));
    assertThat(one(all, "ConfigMap", "coxswain-config").at("/data/config.yaml").asText())
        .contains("watchNamespaces:\n  - shop\n  - blog");
    assertThat(checksum(some)).isEqualTo(checksum(template()));

    List<JsonNode> withNodes =
        objects(
            template()
                .set("watchNamespaces[0]", "shop")
                .set("controllerClusterRules[0].apiGroups[0]", "")
                .set("controllerClusterRules[0].resources[0]", "nodes")
                .set("controllerClusterRules[0].verbs[0]", "get"));
    assertThat(one(withNodes, "ClusterRole", "default-coxswain-controllers").toString())
        .contains("nodes")
        .doesNotContain("configmaps");
    assertThatThrownBy(() -> template().set("config.kubernetes.watchNamespaces[0]", "a").call())
        .hasMessageContaining("set watchNamespaces, which the Roles follow");
    List<JsonNode> byLabel =
        objects(
            template()
                .set(rules + ".apiGroups[0]", "shop.example.com")
                .set(rules + ".resources[0]", "orders")
                .set(rules + ".verbs[0]", "watch")
                .set("watchNamespaceSelector", "team=shop"));
    assertThat(one(byLabel, "ClusterRole", "default-coxswain-controllers").toString())
        .contains("orders");
    assertThat(one(byLabel, "ClusterRole", "default-coxswain-namespaces").toString())
        .contains("namespaces", "list", "watch");
    assertThat(one(byLabel, "ConfigMap", "coxswain-config").at("/data/config.yaml").asText())
        .contains("watchNamespaceSelector: team=shop");
    assertThatThrownBy(() ->
            template().set("watchNamespaceSelector", "a").set("watchNamespaces[0]", "b").call())
        .hasMessageContaining("set either watchNamespaces or watchNamespaceSelector");
    assertThatThrownBy(() -> template().set("watchNamespaces[0]", "Shop").call())
        .hasMessageContaining("watchNamespaces");
  }

  @Test
  void aVolumeOfPlugins_isMountedReadOnly_andConfigured() throws Exception {
    for (String value : List.of("plugins.claim", "plugins.volume.image.reference")) {
      List<JsonNode> all = objects(template().set(value, "coxswain-plugins"));
      JsonNode pod = one(all, "Deployment", "coxswain").at("/spec/template/spec");
      assertThat(pod.at("/containers/0/volumeMounts").toString())
          .contains("{\"name\":\"plugins\",\"mountPath\":\"/plugins\",\"readOnly\":true}");
      assertThat(pod.path("volumes").toString())
          .contains(
              value.endsWith("claim")
                  ? "\"persistentVolumeClaim\":{\"claimName\":\"coxswain-plugins\"}"
                  : "\"image\":{\"reference\":\"coxswain-plugins\"}");
      assertThat(one(all, "ConfigMap", "coxswain-config").at("/data/config.yaml").asText())
          .contains("plugins:\n  directory: /plugins");
    }
    assertThat(template().call()).doesNotContain("plugins");
    assertThatThrownBy(() ->
            template().set("plugins.claim", "a").set("plugins.volume.image.reference", "b").call())
        .hasMessageContaining("set one of them");
  }

  @Test
  void securedMetrics_areScrapedWithTheCertificate_andNeedOne() throws Exception {
    assertThatThrownBy(() -> template().set("metrics.secured", true).call())
        .hasMessageContaining("metrics.secured needs a certificate");
    List<JsonNode> all =
        objects(
            template()
                .set("metrics.secured", true)
                .set("admin.certificate.from", "cert-manager")
                .set("serviceMonitor.enabled", true));
    assertThat(one(all, "ServiceMonitor", "coxswain").at("/spec/endpoints/0").toString())
        .contains("\"scheme\":\"https\"", "\"serverName\":\"coxswain-admin\"")
        .contains("{\"secret\":{\"name\":\"coxswain-admin-tls\",\"key\":\"ca.crt\"}}");
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
  void eachObject_fitsTheSchemaOfTheApiServer() throws Exception {
    try (EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults())) {
      server.apply(
          template()
              .set("admin.tlsSecret", "admin-tls")
              .set("dashboards.enabled", true)
              .set("topologySpread", "DoNotSchedule")
              .withValuesFile(Files.writeString(folder.resolve("rules.yaml"), RULES))
              .call());
    }
  }

  @Test
  void anAutoscaler_setsTheNumberOfReplicas_whenTheChartHasNone() throws Exception {
    Path values = Files.writeString(folder.resolve("values.yaml"), "replicas: null");
    JsonNode spec =
        one(objects(template().withValuesFile(values)), "Deployment", "coxswain").path("spec");
    assertThat(spec.has("replicas")).isFalse();
    assertThat(spec.has("strategy")).isTrue();
  }

  @Test
  void aHostOfTheChart_ownsSlotsAndReconciles_withItsRightsAlone() throws Exception {
    Token root = new Token("of-root", "root", List.of("system:masters"));
    Token scraper =
        new Token("of-scraper", "system:serviceaccount:monitoring:prometheus", List.of());
    Token anna = new Token("of-anna", "anna", List.of(), List.of("coxswain-admin"));
    try (EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults().withTokens(List.of(host, root, anna, scraper)))) {
      server.apply(RenderedChart.CLUSTER);
      server.apply(BINDINGS);
      Path values = Files.writeString(folder.resolve("values.yaml"), RULES);
      server.apply(template().withValuesFile(values).call());
      server.apply(GreetingController.OBJECT);
      List<JsonNode> objects = installed(values);
      try (Launcher run = run(server, host, objects)) {
        Distribution.awaitGreeting(run, server, root.token());
        String slots = get(server, root, "/api/v1/namespaces/default/configmaps/coxswain-slots");
        assertThat(slots).contains("coxswain-6b8d-x2x4");
        overTls(one(objects, "Secret", SECRET), anna, scraper);
        run.terminate();
        assertThat(run.exitCode()).as(run.output()).isZero();
        assertThat(run.output()).doesNotContain("orbidden", " ERROR ", "\"level\":\"error\"");
      }
    }
  }

  /**
   * Returns what a pod of the chart reads, as Helm installs it with a certificate. Its client sends
   * no token without TLS, so the server is one that wants none.
   */
  private List<JsonNode> installed(Path values) throws Exception {
    try (EmbeddedApiServer server =
        EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults())) {
      Token none = new Token("none", "helm", List.of());
      new Helm(CHART)
          .install()
          .withName("coxswain")
          .withNamespace("default")
          .withKubeConfig(kubeconfig(server, none))
          .withValuesFile(values)
          .set("admin.certificate.from", "helm")
          .set("metrics.secured", true)
          .call();
      List<JsonNode> objects = new ArrayList<>();
      for (String path :
          List.of(
              "/apis/apps/v1/namespaces/default/deployments/coxswain",
              "/api/v1/namespaces/default/configmaps/coxswain-config",
              "/api/v1/namespaces/default/secrets/" + SECRET)) {
        objects.add(JSON.readTree(get(server, none, path)));
      }
      return objects;
    }
  }

  private Path kubeconfig(EmbeddedApiServer server, Token user) throws IOException {
    return ApiCalls.kubeconfig(
        folder.resolve("kubeconfig-" + user.user().replace(':', '-')), server, user);
  }

  /** Both ports serve the certificate of the chart, and accept clients with the roles of the chart. */
  private void overTls(JsonNode secret, Token viewer, Token scraper) throws Exception {
    String metrics = "https://127.0.0.1:" + metricsPort + "/metrics";
    String controllers = "https://127.0.0.1:" + adminPort + "/api/v1/controllers";
    try (HttpClient trusting =
        HttpClient.newBuilder().sslContext(trust(content(secret, "ca.crt"))).build()) {
      assertThat(send(trusting, controllers, "none").statusCode()).isEqualTo(401);
      HttpResponse<String> seen = send(trusting, controllers, viewer.token());
      assertThat(seen.statusCode()).as(seen.body()).isEqualTo(200);
      assertThat(seen.body()).contains("\"greeting\"");
      assertThat(send(trusting, metrics, "none").statusCode()).isEqualTo(401);
      assertThat(send(trusting, metrics, host.token()).statusCode()).isEqualTo(403);
      assertThat(send(trusting, metrics, scraper.token()).body())
          .contains("coxswain_queue_items{controller=\"greeting\"");
    }
    try (HttpClient distrusting = HttpClient.newHttpClient()) {
      assertThatThrownBy(() -> send(distrusting, controllers, viewer.token()))
          .isInstanceOf(SSLHandshakeException.class);
    }
  }

  private static SSLContext trust(byte[] authority) throws Exception {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    store.setCertificateEntry(
        "authority",
        CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(authority)));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  private static byte[] content(JsonNode secret, String key) {
    return Base64.getDecoder().decode(secret.path("data").path(key).asText());
  }

  private static HttpResponse<String> send(HttpClient http, String url, String token)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create(url)).header("Authorization", "Bearer " + token).build(),
        BodyHandlers.ofString());
  }

  /** Runs what the container of the Deployment runs, with other ports and names of this machine. */
  private Launcher run(EmbeddedApiServer server, Token account, List<JsonNode> objects)
      throws Exception {
    JsonNode container =
        one(objects, "Deployment", "coxswain").at("/spec/template/spec/containers/0");
    Path config =
        Files.writeString(
            folder.resolve("config.yaml"),
            one(objects, "ConfigMap", "coxswain-config")
                .at("/data/config.yaml")
                .asText()
                .replace("/tls/", folder + "/"));
    JsonNode secret = one(objects, "Secret", SECRET);
    for (String file : List.of("tls.crt", "tls.key")) {
      Files.write(folder.resolve(file), content(secret, file));
    }
    List<Integer> free = FreePorts.find(3);
    adminPort = free.getFirst();
    metricsPort = free.get(1);
    List<String> arguments = new ArrayList<>();
    for (JsonNode argument : container.path("args")) {
      arguments.add(argument.asText().replace("/etc/coxswain/config.yaml", config.toString()));
    }
    for (String setting : List.of("service=localhost", "port=" + free.getLast())) {
      arguments.addAll(List.of("--set", "sharedLimiter." + setting));
    }
    Path kubeconfig = kubeconfig(server, account);
    arguments.addAll(List.of("--kubeconfig", kubeconfig.toString()));
    Map<String, String> environment = Distribution.freePorts();
    environment.put("COXSWAIN_ADMIN__PORT", String.valueOf(adminPort));
    environment.put("COXSWAIN_METRICS__PORT", String.valueOf(metricsPort));
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

  private static String get(EmbeddedApiServer server, Token user, String path)
      throws IOException, InterruptedException {
    try (HttpClient http = HttpClient.newHttpClient()) {
      return send(http, server.url() + path, user.token()).body();
    }
  }
}
