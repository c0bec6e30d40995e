// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.apiserver.fault.ActiveFault;
import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.host.internal.Host;
import dev.coxswain.host.internal.metrics.HostMetrics;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.source.PeriodicSource;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * What has ended is kept by the API server with the rights of the guide, and an API server that
 * does not keep it fails nothing.
 */
@Order(1) // takes long
class HistoryTest {

  private static final String NAME = "one";
  private static final Request STORE = Request.of("default", "coxswain-history");
  private static final String FORGET =
      "{\"action\":\"forget\",\"selector\":{\"failing\":true},\"reason\":\"INC-1\"}";

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withTokens(
                  List.of(new Token("of-root", "root", List.of("system:masters")), Guide.HOST)));
  private final Kubernetes root = Guide.access(server, "of-root");
  private final List<Host> hosts = new ArrayList<>();
  private final Map<Host, Admin> admins = new ConcurrentHashMap<>();

  @BeforeEach
  void giveTheRights() {
    Guide.apply(server);
  }

  @AfterEach
  void close() {
    hosts.forEach(host -> host.stop().await());
    root.close();
    admins.values().forEach(Admin::close);
    server.close();
  }

  @Test
  void anOperationAndAnAuditedChange_areShownUnchanged_afterTheReplicaWasReplaced() {
    Host first = host("first");
    Admin.await(() -> failing(first) == 1);
    String id = operate(first);
    Admin.await(() -> !shown(first, id).path("state").asText().equals("Running"));
    JsonNode over = content(shown(first, id));
    resume(first, "INC-2");
    List<JsonNode> records = records(first);
    assertThat(reasons(records)).contains("INC-1", "INC-2");

    Host second = host("second"); // before the first has written what it had
    first.stop().await();
    Admin.await(() -> records(second).size() >= records.size());
    assertThat(records(second)).isEqualTo(records);
    assertThat(content(shown(second, id))).isEqualTo(over);
    assertThat(content(admin(second).get("/operations").at("/items/0"))).isEqualTo(over);
  }

  @Test
  void replicasThatWriteAtTheSameTime_loseNothing() {
    Host first = host("first");
    Host second = host("second");
    Set<String> made = ConcurrentHashMap.newKeySet();
    List<CompletableFuture<Void>> sent = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Host host = i % 2 == 0 ? first : second;
      String reason = "INC-" + i;
      made.add(reason);
      sent.add(CompletableFuture.runAsync(() -> resume(host, reason)));
    }
    sent.forEach(CompletableFuture::join);
    List<CompletableFuture<Void>> stops = new ArrayList<>();
    for (Host host : hosts) {
      stops.add(CompletableFuture.runAsync(() -> host.stop().await()));
    }
    stops.forEach(CompletableFuture::join);
    String all = String.join("", stored().values());
    assertThat(made).allMatch(reason -> all.contains("\"" + reason + "\""));
  }

  @Test
  void aConfigMapThatIsNotThere_andMayNotBeMade_failsNoChange_andIsWrittenWhenItIsThere() {
    root.resource(V1ConfigMap.class).delete(STORE);
    Host host = host("first");
    resume(host, "INC-1");
    Admin.await(() -> meter("coxswain_history_failures_total") > 0);
    assertThat(meter("coxswain_history_waiting_entries")).isGreaterThan(0);
    Guide.apply(server);
    resume(host, "INC-2");
    Admin.await(() -> stored().values().toString().contains("INC-2"));
    assertThat(stored().values().toString()).contains("INC-1");
    Admin.await(() -> meter("coxswain_history_waiting_entries") == 0);
  }

  @Test
  void anApiServerThatFails_failsNoOperation_andIsSaid() {
    Host host = host("first");
    Admin.await(() -> failing(host) == 1);
    ActiveFault fault =
        server
            .faults()
            .inject(
                Fault.fail(500)
                    .on(FaultFilter.resources("configmaps").withVerbs("get", "patch", "update")));
    String id = operate(host);
    Admin.await(() -> shown(host, id).path("state").asText().equals("Succeeded"));
    JsonNode list = admin(host).get("/audit");
    assertThat(list.path("historyProblem").asText()).contains("default/coxswain-history");
    assertThat(list.path("partial").asBoolean()).isTrue();
    Admin.await(() -> meter("coxswain_history_failures_total") > 0);
    server.faults().clear(fault.id());
    Admin.await(() -> stored().keySet().stream().anyMatch(key -> key.endsWith(id)));
    Admin.await(() -> !admin(host).get("/audit").has("historyProblem"));
  }

  /** Some other key takes most of what a ConfigMap may have. */
  @Test
  void aConfigMapThatIsFull_isWrittenWithLess() {
    root.resource(V1ConfigMap.class)
        .modify(
            STORE,
            map -> {
              map.putDataItem("other", "x".repeat(900 * 1024));
              for (int i = 0; i < 12; i++) {
                map.putDataItem(
                    "audit-1.10000000000%02d.0a0a0a0a.00000001".formatted(i), "y".repeat(10_000));
              }
            });
    Host host = host("first");
    resume(host, "INC-1");
    host.stop().await();
    assertThat(stored().values().toString()).contains("INC-1");
    assertThat(stored()).containsKey("other");
  }

  private Map<String, String> stored() {
    Map<String, String> data = root.resource(V1ConfigMap.class).get(STORE).orElseThrow().getData();
    return data == null ? Map.of() : data;
  }

  private String operate(Host host) {
    return admin(host)
        .change("POST", "/controllers/" + NAME + "/operations", FORGET, 202)
        .path("id")
        .asText();
  }

  private void resume(Host host, String reason) {
    Admin.await(() ->
        admin(host)
                .change(
                    "POST", "/controllers/" + NAME + "/resume", "{\"reason\":\"" + reason + "\"}")
                .statusCode()
            == 200);
  }

  private int failing(Host host) {
    return admin(host).get("/controllers/" + NAME).path("failing").asInt();
  }

  private JsonNode shown(Host host, String id) {
    return admin(host).get("/operations/" + id);
  }

  private List<JsonNode> records(Host host) {
    List<JsonNode> records = new ArrayList<>();
    admin(host).get("/audit?limit=500").path("items").forEach(records::add);
    return records;
  }

  private static Set<String> reasons(List<JsonNode> records) {
    Set<String> reasons = new HashSet<>();
    records.forEach(record -> reasons.add(record.path("reason").asText()));
    return reasons;
  }

  /** Returns a response without the names of the replicas that answered. */
  private static JsonNode content(JsonNode response) {
    return response
        .<ObjectNode>deepCopy()
        .without(List.of("replica", "replicas", "partial", "historyProblem"));
  }

  /** Returns the value of a meter of the last host. */
  private double meter(String name) {
    return metrics
        .getLast()
        .scrape(null)
        .text()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .sum();
  }

  private final List<HostMetrics> metrics = new ArrayList<>();

  private Host host(String name) {
    HostMetrics meters = new HostMetrics(name);
    Host host =
        new Host(
            Admin.configuration(name, "controllers." + NAME + ".ownership=everywhere"),
            List.<ControllerDefinition>of(new Failing()),
            Guide.access(server, Guide.HOST.token()),
            meters,
            Clock.system());
    hosts.add(host);
    metrics.add(meters);
    host.start().await();
    host.ready().await();
    return host;
  }

  private Admin admin(Host host) {
    return admins.computeIfAbsent(host, Admin::new);
  }

  /** Fails for its one object. */
  private static final class Failing implements ControllerDefinition {
    @Override
    public String name() {
      return NAME;
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named(NAME)
          .watches(
              new PeriodicSource<>(
                  "one object", Duration.ofHours(1), () -> List.of(new Request("default", "one"))))
          .reconciles((request, context) -> {
            throw new IllegalStateException("always");
          });
    }
  }
}
