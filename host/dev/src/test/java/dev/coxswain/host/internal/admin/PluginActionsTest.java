// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.host.internal.plugins.PluginProbe;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.PluginJars;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A whole host with a plug-in, which is steered over HTTP while a client follows all events and others
 * look at its items, some of which fail.
 */
class PluginActionsTest {

  private static final String REASON = "{\"reason\":\"test\"}";
  private static final int REDEPLOYS = 3;

  private static final String DEFINITION =
      """
      public class Failing implements dev.coxswain.controller.ControllerDefinition {
        public Failing() { dev.coxswain.host.internal.plugins.PluginProbe.of("actions").loaded(this); }
        public String name() { return "failing"; }
        public dev.coxswain.controller.Controller<?> create(
            dev.coxswain.controller.ControllerEnvironment environment) {
          return dev.coxswain.controller.Controller.named(name())
              .watches(environment.get(dev.coxswain.k8s.Kubernetes.class)
                  .kind(io.kubernetes.client.openapi.models.V1ConfigMap.class)
                  .labels("fail").toSource())
              .reconciles((request, context) -> { throw new Own(); });
        }
        static class Own extends RuntimeException {
          Own() { super("on purpose"); }
        }
      }
      """;

  @TempDir private Path work;
  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final HttpClient http = HttpClient.newHttpClient();
  private final Queue<String> events = new ConcurrentLinkedQueue<>();
  private PluginProbe probe;
  private Host host;
  private Admin admin;

  @BeforeEach
  void open() {
    probe = PluginProbe.reset("actions");
    PluginJars jars = new PluginJars(work);
    jars.write(work.resolve("plugins/failing.jar"), jars.plugin(List.of("Failing"), DEFINITION));
    server.apply(
        """
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: one, namespace: default, labels: {fail: "yes"}}
        """);
    host =
        new Host(
            Admin.configuration(
                "one",
                "membership.renewPeriod=200ms",
                "plugins.directory=" + work.resolve("plugins"),
                "plugins.scanInterval=100ms"),
            List.of(),
            Kubernetes.at(server.url(), KubernetesOptions.DEFAULT),
            new HostMetrics("one"),
            Clock.system());
    admin = new Admin(host);
    host.start().await();
    host.ready().await();
    Thread.ofVirtual().start(this::follow);
  }

  @AfterEach
  void close() {
    admin.close();
    host.stop().await();
    http.shutdownNow();
    server.close();
  }

  private void follow() {
    try {
      HttpResponse<Stream<String>> stream =
          http.send(
              HttpRequest.newBuilder(URI.create(host.report().admin() + "/api/v1/events")).build(),
              HttpResponse.BodyHandlers.ofLines());
      stream.body().forEach(events::add);
    } catch (IOException | InterruptedException | RuntimeException e) {
      events.add("ended");
    }
  }

  private List<String> controllers() {
    List<String> names = new ArrayList<>();
    admin
        .get("/controllers")
        .path("items")
        .forEach(one -> {
          if (one.path("state").asText().equals("running")) {
            names.add(one.path("name").asText());
          }
        });
    return names;
  }

  private String phase() {
    return admin.get("/plugins/failing").path("phase").asText();
  }

  /** Begins an action as soon as the one before has ended. */
  private void act(String action) {
    Admin.await(() -> {
      HttpResponse<String> answer = admin.change("POST", "/plugins/failing/" + action, REASON);
      assertThat(answer.statusCode()).as(answer.body()).isIn(200, 409);
      return answer.statusCode() == 200 && answer.body().contains("applied");
    });
  }

  private boolean isFailing() {
    JsonNode item = admin.get("/controllers/failing/items?failing=true").at("/items/0");
    return item.path("lastError").asText().contains("on purpose");
  }

  @Test
  void aPlugin_isListed_replaced_stopped_andDeployed_andTheHostKeepsNothingOfItsFormerClasses() {
    Admin.await(() -> controllers().equals(List.of("failing")));
    for (int i = 1; i <= REDEPLOYS; i++) {
      Admin.await(this::isFailing);
      String id = admin.get("/controllers/failing/items").at("/items/0/id").asText();
      assertThat(admin.get("/controllers/failing/items/" + id + "/explain").path("kind").asText())
          .isEqualTo("Explanation");
      admin.get("/controllers/failing/stats");
      act("redeploy");
      int deployments = i + 1;
      Admin.await(() -> admin.get("/plugins/failing").path("deployments").asInt() == deployments);
    }
    Admin.await(this::isFailing);
    JsonNode plugin = admin.get("/plugins").at("/items/0");
    assertThat(plugin.path("phase").asText()).isEqualTo("running");
    assertThat(plugin.at("/controllers/0").asText()).isEqualTo("failing");
    assertThat(probe.loaders()).isEqualTo(REDEPLOYS + 1);
    probe.awaitAlive(1);

    act("stop");
    Admin.await(() -> phase().equals("stopped"));
    assertThat(controllers()).isEmpty();
    assertThat(admin.get("/controllers").path("items")).isEmpty();
    probe.awaitAlive(0);
    Admin.await(() -> events.stream().anyMatch(line -> line.contains("failing")));

    act("deploy");
    Admin.await(this::isFailing);
    Admin.await(() -> phase().equals("running"));
    assertThat(admin.change("POST", "/plugins/failing/deploy", REASON, 200).path("result").asText())
        .isEqualTo("skipped");
    admin.change("POST", "/plugins/other/deploy", REASON, 404);
    List<String> actions = new ArrayList<>();
    admin.get("/audit").path("items").forEach(one -> actions.add(one.path("action").asText()));
    assertThat(actions).contains("redeploy-plugin", "stop-plugin", "deploy-plugin");
  }
}
