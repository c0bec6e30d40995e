// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.cli.KubernetesAccess;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.tracing.Tracing;
import dev.coxswain.k8s.ControllerBuilder;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.source.Handlers;
import dev.coxswain.reconcile.LostOwnershipException;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.ItemId;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A host with two clusters besides its own, by configuration. */
class SeveralClustersTest {

  @TempDir private Path folder;
  private final EmbeddedApiServer hub = server(0);
  private final EmbeddedApiServer eu = server(0);
  private EmbeddedApiServer us = server(0);
  private final Set<String> reconciled = ConcurrentHashMap.newKeySet();
  private final HostMetrics metrics = new HostMetrics("one");
  private Kubernetes kubernetes;

  /** What a controller has received. */
  private volatile Kubernetes given;

  private Host host;
  private Admin admin;

  private static EmbeddedApiServer server(int port) {
    return EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults().withPort(port));
  }

  /** Reconciles the ConfigMaps of some clusters with a label, and marks them. */
  private final class Marks implements ControllerDefinition {
    private final String name;
    private final List<String> clusters;

    Marks(String name, String... clusters) {
      this.name = name;
      this.clusters = List.of(clusters);
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      Kubernetes k8s = environment.get(Kubernetes.class);
      given = k8s;
      ControllerBuilder builder = k8s.controller(name);
      clusters.forEach(cluster ->
          builder.watches(
              k8s.cluster(cluster)
                  .kind(V1ConfigMap.class)
                  .labels("mark=" + name)
                  .handledBy(Handlers.inCluster(cluster, Handlers.object()))));
      return builder.reconciles((request, context) -> {
        k8s.cluster(request.cluster())
            .resource(V1ConfigMap.class)
            .modify(request.inCluster(""), map -> map.putDataItem("seen", request.toString()));
        reconciled.add(name + " " + request);
        return Result.done();
      });
    }
  }

  private static void create(EmbeddedApiServer server, String name, String mark) {
    server.apply(
        """
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: %s, namespace: default, labels: {mark: %s}}
        """
            .formatted(name, mark));
  }

  private String seen(EmbeddedApiServer server, String name) {
    try (Kubernetes user = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT)) {
      return user.resource(V1ConfigMap.class)
          .get(Request.of("default", name))
          .orElseThrow()
          .getData()
          .get("seen");
    }
  }

  private Path kubeconfig(String name, EmbeddedApiServer server) throws Exception {
    return Files.writeString(
        folder.resolve(name),
        """
        apiVersion: v1
        kind: Config
        current-context: c
        contexts: [{name: c, context: {cluster: c, user: u}}]
        clusters: [{name: c, cluster: {server: "%s"}}]
        users: [{name: u, user: {}}]
        """
            .formatted(server.url()));
  }

  private CoxswainConfiguration configuration(String us) throws Exception {
    return ConfigurationLoader.load(
        Files.writeString(
            folder.resolve("coxswain.yaml"),
            """
            apiVersion: config.coxswain.dev/v1alpha1
            kind: CoxswainConfiguration
            replicaName: one
            admin: {port: 0, auth: {mode: none}}
            metrics: {port: 0}
            health: {port: 0}
            membership: {renewPeriod: 200ms, slots: 16, maxReplicas: 2}
            changes: {pauses: {enabled: false}, events: {enabled: false}}
            kubernetes:
              kubeconfig: %s
              clusters:
                eu: {kubeconfig: %s}
                us: {kubeconfig: %s}
            """
                .formatted(kubeconfig("hub", hub), kubeconfig("eu", eu), us)),
        Map.of(),
        List.of());
  }

  @BeforeEach
  void open() throws Exception {
    CoxswainConfiguration configuration = configuration(kubeconfig("us", us).toString());
    kubernetes = KubernetesAccess.open(configuration.kubernetes(), metrics, Tracing.OFF);
    host =
        new Host(
            configuration,
            List.of(new Marks("both", "eu", "us"), new Marks("one", "eu")),
            kubernetes,
            metrics,
            Clock.system());
    admin = new Admin(host);
  }

  @AfterEach
  void close() {
    host.stop().await();
    admin.close();
    hub.close();
    eu.close();
    us.close();
  }

  @Test
  void aController_reconcilesObjectsOfTwoClusters_andTheAdminApiShowsThemApart() throws Exception {
    create(eu, "x", "both");
    create(us, "x", "both");
    host.start().await();
    Admin.await(() -> reconciled.containsAll(List.of("both default/eu/x", "both default/us/x")));
    assertThat(seen(eu, "x")).isEqualTo("default/eu/x");
    assertThat(seen(us, "x")).isEqualTo("default/us/x");

    admin.change(
        "POST",
        "/controllers/both/items",
        "{\"namespace\":\"default\",\"name\":\"eu/x\",\"delay\":\"30m\",\"reason\":\"test\"}",
        201);
    String item = "/controllers/both/items/" + new ItemId("default", "eu/x").encoded();
    assertThat(admin.get(item).path("phase").asText()).isEqualTo("delayed");
    assertThat(admin.get(item + "/explain").toString()).contains("default", "eu/x");
    reconciled.clear();
    admin.change("POST", item + "/retry", "{\"reason\":\"test\"}", 200);
    Admin.await(() -> reconciled.contains("both default/eu/x"));
    assertThat(
            admin
                .change(
                    "POST",
                    "/controllers/both/items",
                    "{\"namespace\":\"default\",\"name\":\"EU/x\",\"reason\":\"test\"}",
                    422)
                .toString())
        .contains("begins with \\\"EU/\\\", which names no cluster");

    assertThat(admin.get("/controllers/both?scope=local").path("sources").toString())
        .contains("ConfigMap of cluster eu labels mark=both", "ConfigMap of cluster us labels");
    assertThat(kubernetes.caches())
        .extracting(cache -> cache.name())
        .contains(
            "ConfigMap of cluster eu labels mark=both", "ConfigMap of cluster us labels mark=both");
    assertThat(metrics())
        .contains("coxswain_cache_objects{cache=\"ConfigMap of cluster eu labels mark=both\"} 1.0")
        .containsPattern("rest_client_requests_total\\{cluster=\"eu\",code=\"200\"")
        .containsPattern("rest_client_requests_total\\{cluster=\"\",code=\"200\"");

    for (Kubernetes cluster : List.of(given, given.cluster("eu"))) {
      assertThatThrownBy(() ->
              cluster
                  .resource(V1ConfigMap.class)
                  .delete(Request.of("default", "x"))) // on a thread without an attempt
          .isInstanceOf(LostOwnershipException.class);
    }
    assertThat(seen(eu, "x")).isEqualTo("default/eu/x");

    host.stop().await();
    assertThatThrownBy(() -> kubernetes.cluster("eu").kind(V1ConfigMap.class).openCache())
        .hasMessageContaining("have been closed");
  }

  private String metrics() throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      URI address = URI.create(host.report().metrics() + "/metrics");
      return http.send(HttpRequest.newBuilder(address).build(), BodyHandlers.ofString()).body();
    }
  }

  @Test
  void aClusterThatIsAbsentAtTheStart_isACondition_andDelaysOnlyTheControllersThatNeedIt()
      throws Exception {
    int port = URI.create(us.url()).getPort();
    us.close();
    create(eu, "x", "one");
    create(eu, "y", "both");
    host.start().await();
    Admin.await(() -> reconciled.contains("one default/eu/x"));
    assertThat(reconciled).containsExactly("one default/eu/x");
    Admin.await(() -> admin.get("/replicas").toString().contains("clusterUnreachable"));
    assertThat(admin.get("/replicas").toString())
        .contains("The API server of cluster us at http://127.0.0.1:" + port)
        .doesNotContain("apiServerUnreachable");
    assertThat(admin.get("/controllers/both?scope=local").path("sources").toString())
        .contains("GET /api/v1/configmaps of cluster us got no usable answer");
    us = server(port);
    Admin.await(() -> reconciled.contains("both default/eu/y"));
    create(us, "z", "both");
    Admin.await(() -> reconciled.contains("both default/us/z"));
    Admin.await(() -> !admin.get("/replicas").toString().contains("clusterUnreachable"));
  }

  @Test
  void aFileOfAClusterThatIsMissing_isOneLineThatNamesTheKey() throws Exception {
    CoxswainConfiguration missing = configuration(folder + "/none");
    assertThatThrownBy(
            () -> KubernetesAccess.open(missing.kubernetes(), new HostMetrics("two"), Tracing.OFF))
        .isInstanceOf(HostException.class)
        .hasMessageStartingWith("the API server of kubernetes.clusters.us cannot be used: ")
        .hasMessageContaining("none");
  }
}
