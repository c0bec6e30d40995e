// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.UpgradeCommand;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.host.e2e.process.ApiCalls;
import dev.coxswain.host.e2e.process.CommandProcess;
import dev.coxswain.host.e2e.process.Distribution;
import dev.coxswain.host.e2e.process.Launcher;
import dev.coxswain.host.e2e.process.PortForward;
import dev.coxswain.host.e2e.process.RenderedChart;
import dev.coxswain.host.internal.dev.FreePorts;
import dev.coxswain.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The way of docs/guides/upgrade.md from v1alpha1 of a kind to v1: Helm upgrades the chart of each release, and
 * two replicas are replaced one by one, while clients write in both versions.
 */
@Timeout(600)
@SuppressWarnings("NullAway.Init") // start() comes first
@Order(2) // the next longest
class VersionUpgradeIT {

  private static final int REPLICAS = 2;
  private static final int PARCELS = 4;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  /** Twice what the API server waits for a conversion: seconds, but for a machine that is busy otherwise. */
  private static final Duration LONGEST_REFUSAL = Duration.ofSeconds(60);

  private static final String DEFINITION =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/parcels.shop.example.com";

  private static final Token ROOT = new Token("of-root", "root", List.of("system:masters"));
  private static final Token HOST =
      new Token("of-host", "system:serviceaccount:default:parcels", List.of());

  @TempDir private Path folder;
  private final HttpClient http = HttpClient.newHttpClient();
  private final Map<ParcelPlugin, Path> jars = new EnumMap<>(ParcelPlugin.class);
  private final Map<ParcelPlugin, Path> charts = new EnumMap<>(ParcelPlugin.class);
  private final Deque<Replica> running = new ArrayDeque<>();

  /** The ports of all replicas that have webhooks, whether they are ready or not: the chart's Service has those, too. */
  private final List<Integer> endpoints = new CopyOnWriteArrayList<>();

  private final AtomicInteger connections = new AtomicInteger();
  private final List<ParcelClient> clients = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private EmbeddedApiServer server;
  private ApiCalls api;
  private PortForward service;
  private PortForward secured; // Helm sends no token without TLS
  private Path helmAccess;
  private int replicas;

  private record Replica(Launcher run, int port) {}

  @BeforeEach
  void start() throws Exception {
    server =
        EmbeddedApiServer.startBlocking(
            EmbeddedApiServerOptions.defaults().withTokens(List.of(ROOT, HOST)));
    server.apply(RenderedChart.CLUSTER);
    api = new ApiCalls(server, ROOT.token());
    service = PortForward.start(null, 0, this::connect, null);
    PortForward.Key key = PortForward.Key.create(folder);
    int port = URI.create(server.url()).getPort();
    secured =
        PortForward.start(null, 0, () -> new Socket(InetAddress.getLoopbackAddress(), port), key);
    helmAccess = Workstation.kubeconfig(folder.resolve("helm"), secured.port(), key, ROOT.token());
    try (CommandProcess commands = CommandProcess.start(folder)) {
      for (ParcelPlugin release : ParcelPlugin.values()) {
        Path jar = release.jar(folder);
        CommandProcess.Result made =
            commands.run(
                "chart",
                "--jar=" + jar,
                "--name=registry.example.com/shop/parcels",
                "--version=" + release.version(),
                "--output=" + jar.getParent());
        assertThat(made.exitCode()).as(made.errors()).isZero();
        jars.put(release, jar);
        charts.put(release, Path.of(made.output().strip()));
      }
    }
  }

  @AfterEach
  void stop() throws Exception {
    clients.forEach(ParcelClient::end);
    running.forEach(replica -> replica.run().close());
    service.close();
    secured.close();
    api.close();
    server.close();
    http.close();
  }

  /** As a Service does: each connection leads to one of the pods. */
  private Socket connect() throws IOException {
    int port = endpoints.get(connections.getAndIncrement() % endpoints.size());
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }

  @Test
  void fromV1alpha1ToV1_whileClientsWriteInBoth_noFieldIsLost_andEachObjectIsReconciled()
      throws Exception {
    upgrade(ParcelPlugin.FORMER);
    rollOut(ParcelPlugin.FORMER);
    beginWrites();
    assertThatThrownBy(() -> upgrade(ParcelPlugin.SERVED))
        .hasMessageContaining(
            "the version v1 of the definition parcels.shop.example.com would be served before a replica converts it");
    upgrade(ParcelPlugin.HIDDEN);
    rollOut(ParcelPlugin.HIDDEN);
    upgrade(ParcelPlugin.SERVED);
    rollOut(ParcelPlugin.SERVED);
    Await.until(
        "writes in v1", LIMIT, () -> clients.stream().allMatch(one -> one.currentWrites > 9));
    endWrites();

    assertThat(api.get(DEFINITION).at("/status/storedVersions"))
        .hasToString("[\"v1alpha1\",\"v1\"]");
    assertThatThrownBy(() -> upgrade(ParcelPlugin.ALONE)).hasMessageContaining("storedVersions");
    for (JsonNode parcel : api.get(ParcelClient.CURRENT).path("items")) {
      api.put(ParcelClient.CURRENT + "/" + parcel.at("/metadata/name").asText(), parcel.toString());
    }
    api.patch(DEFINITION + "/status", "{\"status\": {\"storedVersions\": [\"v1\"]}}");
    upgrade(ParcelPlugin.ALONE);
    api.patch(
        DEFINITION, "{\"spec\": {\"conversion\": {\"strategy\": \"None\", \"webhook\": null}}}");
    for (ParcelClient client : clients) {
      client.check(api.get(ParcelClient.CURRENT + "/" + client.name()), true);
      assertThat(client.losses).isEmpty();
    }
  }

  private void beginWrites() throws Exception {
    for (int i = 0; i < PARCELS; i++) {
      ParcelClient client =
          new ParcelClient(http, server, ROOT.token(), "parcel-" + i, new Random(i));
      client.create();
      clients.add(client);
      threads.add(Thread.ofVirtual().start(client::work));
    }
  }

  private void endWrites() throws Exception {
    clients.forEach(ParcelClient::end);
    for (Thread thread : threads) {
      thread.join();
    }
    for (ParcelClient client : clients) {
      System.out.printf(
          "%s: %d writes in v1alpha1, %d in v1, refused: %s%n",
          client.name(), client.formerWrites, client.currentWrites, client.refusals);
      assertThat(client.losses).isEmpty();
      assertThat(Duration.ofNanos(client.longestNanos)).isLessThan(LONGEST_REFUSAL);
      Await.until(
          "the last change of " + client.name() + " is reconciled",
          LIMIT,
          () -> client.isReconciled(api.get(ParcelClient.CURRENT + "/" + client.name())));
    }
  }

  private void upgrade(ParcelPlugin release) throws Exception {
    UpgradeCommand command =
        new Helm(charts.get(release))
            .upgrade()
            .install()
            .withName("parcels")
            .withNamespace("default")
            .withKubeConfig(helmAccess)
            .set("sharedLimiter.enabled", false);
    if (release.converts()) {
      // The API server in memory reaches no Service.
      command
          .set("config.webhooks.service", "")
          .set("config.webhooks.url", "https://127.0.0.1:" + service.port());
    }
    command.call();
  }

  /** Replaces the replicas one by one: one ends as soon as another one is ready. */
  private void rollOut(ParcelPlugin release) throws Exception {
    for (int i = 0; i < REPLICAS; i++) {
      Replica replica = replica(release);
      String ready = release.converts() ? "webhooks registered" : "host started";
      replica
          .run()
          .await(
              ready,
              LIMIT,
              () ->
                  replica.run().output().contains("host started")
                      && replica.run().output().contains(ready));
      running.add(replica);
      if (running.size() > REPLICAS) {
        Replica former = running.removeFirst();
        former.run().terminate();
        assertThat(former.run().exitCode(LIMIT)).as(former.run().output()).isZero();
        endpoints.remove(Integer.valueOf(former.port()));
        assertThat(former.run().output()).doesNotContain("orbidden");
      }
    }
  }

  private Replica replica(ParcelPlugin release) throws Exception {
    int port = FreePorts.find(1).getFirst();
    Path config =
        Files.writeString(
            folder.resolve("config-" + replicas + ".yaml"),
            api.get("/api/v1/namespaces/default/configmaps/parcels-config")
                .at("/data/config.yaml")
                .asText());
    Map<String, String> environment = Distribution.freePorts();
    environment.put("COXSWAIN_WEBHOOKS__PORT", String.valueOf(port));
    environment.put("COXSWAIN_REPLICA_NAME", "parcels-6b8d-" + replicas++);
    environment.put("COXSWAIN_MEMBERSHIP__HOST", "127.0.0.1");
    environment.put("COXSWAIN_CLASSPATH", jars.get(release).toString());
    Launcher run =
        Launcher.start(
            folder,
            environment,
            "run",
            "--config",
            config.toString(),
            "--kubeconfig",
            ApiCalls.kubeconfig(folder.resolve("kubeconfig"), server, HOST).toString());
    if (release.converts()) {
      endpoints.add(port);
    }
    return new Replica(run, port);
  }
}
