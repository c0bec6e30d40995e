// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.fault.ActiveFault;
import dev.coxswain.apiserver.fault.Fault;
import dev.coxswain.apiserver.fault.FaultFilter;
import dev.coxswain.controller.Controller;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1ConfigMap;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/**
 * What has ended is kept by the API server with the rights of the guide, and an API server that
 * does not keep it fails nothing.
 */
@Order(1) // takes long
class HistoryTest extends ReplicaFixture {

  private static final String NAME = "one";
  private static final Request STORE = Request.of("default", "coxswain-history");
  private static final String FORGET =
      "{\"action\":\"forget\",\"selector\":{\"failing\":true},\"reason\":\"INC-1\"}";

  HistoryTest() {
    super(Guide.ROOT);
  }

  @BeforeEach
  void giveTheRights() {
    Guide.apply(server);
  }

  @Test
  void anOperationAndAnAuditedChange_areShownUnchanged_afterTheReplicaWasReplaced() {
    Replica first = host("first");
    Admin.await(() -> failing(first) == 1);
    String id = operate(first);
    Admin.await(() -> !shown(first, id).path("state").asText().equals("Running"));
    JsonNode over = content(shown(first, id));
    resume(first, "INC-2");
    List<JsonNode> records = records(first);
    assertThat(reasons(records)).contains("INC-1", "INC-2");

    Replica second = host("second"); // before the first has written what it had
    first.stop();
    Admin.await(() -> records(second).size() >= records.size());
    assertThat(records(second)).isEqualTo(records);
    assertThat(content(shown(second, id))).isEqualTo(over);
    assertThat(content(second.admin.get("/operations").at("/items/0"))).isEqualTo(over);
  }

  @Test
  void replicasThatWriteAtTheSameTime_loseNothing() {
    Replica first = host("first");
    Replica second = host("second");
    Set<String> made = ConcurrentHashMap.newKeySet();
    List<CompletableFuture<Void>> sent = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      Replica host = i % 2 == 0 ? first : second;
      String reason = "INC-" + i;
      made.add(reason);
      sent.add(CompletableFuture.runAsync(() -> resume(host, reason)));
    }
    sent.forEach(CompletableFuture::join);
    List<CompletableFuture<Void>> stops = new ArrayList<>();
    for (Replica host : replicas) {
      stops.add(CompletableFuture.runAsync(host::stop));
    }
    stops.forEach(CompletableFuture::join);
    String all = String.join("", stored().values());
    assertThat(made).allMatch(reason -> all.contains("\"" + reason + "\""));
  }

  @Test
  void aConfigMapThatIsNotThere_andMayNotBeMade_failsNoChange_andIsWrittenWhenItIsThere() {
    user.resource(V1ConfigMap.class).delete(STORE);
    Replica host = host("first");
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
    Replica host = host("first");
    Admin.await(() -> failing(host) == 1);
    ActiveFault fault =
        server
            .faults()
            .inject(
                Fault.fail(500)
                    .on(FaultFilter.resources("configmaps").withVerbs("get", "patch", "update")));
    String id = operate(host);
    Admin.await(() -> shown(host, id).path("state").asText().equals("Succeeded"));
    JsonNode list = host.admin.get("/audit");
    assertThat(list.path("historyProblem").asText()).contains("default/coxswain-history");
    assertThat(list.path("partial").asBoolean()).isTrue();
    Admin.await(() -> meter("coxswain_history_failures_total") > 0);
    server.faults().clear(fault.id());
    Admin.await(() -> stored().keySet().stream().anyMatch(key -> key.endsWith(id)));
    Admin.await(() -> !host.admin.get("/audit").has("historyProblem"));
  }

  /** Some other key takes most of what a ConfigMap may have. */
  @Test
  void aConfigMapThatIsFull_isWrittenWithLess() {
    user.resource(V1ConfigMap.class)
        .modify(
            STORE,
            map -> {
              map.putDataItem("other", "x".repeat(900 * 1024));
              for (int i = 0; i < 12; i++) {
                map.putDataItem(
                    "audit-1.10000000000%02d.0a0a0a0a.00000001".formatted(i), "y".repeat(10_000));
              }
            });
    Replica host = host("first");
    resume(host, "INC-1");
    host.stop();
    assertThat(stored().values().toString()).contains("INC-1");
    assertThat(stored()).containsKey("other");
  }

  private Map<String, String> stored() {
    Map<String, String> data = user.resource(V1ConfigMap.class).get(STORE).orElseThrow().getData();
    return data == null ? Map.of() : data;
  }

  private String operate(Replica host) {
    return host.admin
        .change("POST", "/controllers/" + NAME + "/operations", FORGET, 202)
        .path("id")
        .asText();
  }

  private void resume(Replica host, String reason) {
    Admin.await(() ->
        host.admin
                .change(
                    "POST", "/controllers/" + NAME + "/resume", "{\"reason\":\"" + reason + "\"}")
                .statusCode()
            == 200);
  }

  private int failing(Replica host) {
    return host.admin.get("/controllers/" + NAME).path("failing").asInt();
  }

  private JsonNode shown(Replica host, String id) {
    return host.admin.get("/operations/" + id);
  }

  private List<JsonNode> records(Replica host) {
    List<JsonNode> records = new ArrayList<>();
    host.admin.get("/audit?limit=500").path("items").forEach(records::add);
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
    return replicas
        .getLast()
        .metrics
        .scrape(null)
        .text()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .sum();
  }

  /** Starts a host whose controller fails for its one object. */
  private Replica host(String name) {
    Definition failing =
        new Definition(
            NAME,
            _ ->
                Controller.named(NAME)
                    .watches(oneObject())
                    .reconciles((request, context) -> {
                      throw new IllegalStateException("always");
                    }));
    Replica host = replica(name, List.of(failing), "controllers." + NAME + ".ownership=everywhere");
    host.startUntilReady();
    return host;
  }
}
