// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.table;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.FakeDirectory;
import dev.coxswain.admin.FakePlugins;
import dev.coxswain.admin.FakeSlots;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.spi.ConfigurationStatus;
import dev.coxswain.admin.spi.ControllerDirectory.IdleController;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import dev.coxswain.view.Phase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;

/** Tables are the values of the API in columns, for clients that accept them. */
class TablesTest {

  private static final String CONTROLLERS = "/api/v1/controllers";
  private static final Clock FOUR_HOURS_LATER =
      new Clock() {
        @Override
        public long nanos() {
          return 0;
        }

        @Override
        public Instant instant() {
          return FakeController.START.plusSeconds(4 * 3600);
        }
      };

  private static Api api() {
    return new Api(AccessControl.open(), FOUR_HOURS_LATER, options -> options);
  }

  private static Api.Answer accepting(Api api, String path, String accept) {
    return api.send(api.request(path).header("Accept", accept));
  }

  private static JsonNode table(Api api, String path) {
    Api.Answer answer = accepting(api, path, TableRequest.TYPE);
    assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
    assertThat(answer.header("Content-Type")).isEqualTo(TableRequest.TYPE);
    assertThat(answer.json().path("kind").asText()).isEqualTo("Table");
    return answer.json();
  }

  private static List<String> texts(JsonNode list) {
    return StreamSupport.stream(list.spliterator(), false).map(JsonNode::asText).toList();
  }

  private static List<String> headers(JsonNode table, int priority) {
    return StreamSupport.stream(table.path("columnDefinitions").spliterator(), false)
        .filter(column -> column.path("priority").asInt() == priority)
        .map(column -> column.path("name").asText())
        .toList();
  }

  private static List<String> headers(JsonNode table) {
    return StreamSupport.stream(table.path("columnDefinitions").spliterator(), false)
        .map(column -> column.path("name").asText())
        .toList();
  }

  /** Returns the cell of a row by the header of its column. */
  private static JsonNode cell(JsonNode table, int row, String header) {
    return table.path("rows").path(row).path("cells").path(headers(table).indexOf(header));
  }

  @Test
  void controllers_areRows_withAgesOfTheServer() {
    try (Api api = api()) {
      api.demo.put("a", "b", Phase.READY, 0, null);
      for (String path : List.of(CONTROLLERS, Api.DEMO)) {
        JsonNode table = table(api, path);
        assertThat(headers(table, 0))
            .containsExactly(
                "NAME", "STATE", "READY", "DELAYED", "WAITING", "IN-FLIGHT", "FAILING", "AGE");
        assertThat(headers(table, 1)).startsWith("TERMINAL", "WORKERS").endsWith("PROBLEM");
        assertThat(table.path("rows")).hasSize(1);
        assertThat(texts(table.at("/rows/0/cells")).subList(0, 8))
            .containsExactly("demo", "running", "1", "0", "0", "0", "0", "4h");
        assertThat(table.at("/rows/0/cells/2").isIntegralNumber()).isTrue();
        assertThat(table.at("/rows/0/name").asText()).isEqualTo("demo");
        assertThat(table.at("/rows/0").has("object")).isFalse();
        assertThat(cell(table, 0, "REPLICAS").asText()).isEqualTo("coxswain-0");
      }
    }
  }

  @Test
  void eachRow_hasItsObject_whenItIsRequested() {
    try (Api api = api()) {
      JsonNode controller = api.get(Api.DEMO).ok(200);
      Api.Answer answer = accepting(api, Api.DEMO, TableRequest.WITH_OBJECTS);
      assertThat(answer.header("Content-Type")).isEqualTo(TableRequest.TYPE);
      JsonNode object = answer.json().at("/rows/0/object");
      assertThat(object.path("kind").asText()).isEqualTo("Controller");
      assertThat(object.fieldNames())
          .toIterable()
          .containsExactlyElementsOf(() -> controller.fieldNames());
    }
  }

  @Test
  void aTable_isForClientsThatAcceptIt() {
    try (Api api = api()) {
      for (String tables :
          new String[] {
            "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
            "application/json, application/json; as=Table",
            "application/json;q=0.5;as=table, */*;q=0.1"
          }) {
        assertThat(accepting(api, CONTROLLERS, tables).json().path("kind").asText())
            .as(tables)
            .isEqualTo("Table");
      }
      for (String lists :
          new String[] {
            "*/*",
            "application/*",
            "application/json;v=v1",
            "application/json;as=Table;q=0.5, application/json",
            "application/json;as=PartialObjectMetadata, application/json"
          }) {
        assertThat(accepting(api, CONTROLLERS, lists).ok(200).path("kind").asText())
            .as(lists)
            .isEqualTo("ControllerList");
      }
    }
  }

  @Test
  void whatIsNoTable_isNotAcceptable() {
    try (Api api = api()) {
      accepting(api, CONTROLLERS, "application/json;as=Tree").problem(406, "not-acceptable");
      accepting(api, Api.DEMO + "/stats", TableRequest.TYPE).problem(406, "not-acceptable");
      accepting(api, "/api/v1/controllers/nothing", TableRequest.TYPE)
          .problem(404, "controller-not-found");
    }
  }

  /** Its texts change with every second, so a revision of it would never be known. */
  @Test
  void aTable_hasNoRevisionOfItsList() {
    try (Api api = api()) {
      assertThat(api.get(CONTROLLERS).header("ETag")).isNotEmpty();
      assertThat(accepting(api, CONTROLLERS, TableRequest.TYPE).header("ETag")).isEmpty();
    }
  }

  @Test
  void theTableOfSeveralReplicas_isThatOfTheirMergedList() {
    try (Cluster3 cluster = new Cluster3()) {
      for (int i = 0; i < 3; i++) {
        cluster.at(i).demo.put("a", "item-" + i, Phase.READY, 0, null);
      }
      JsonNode table = table(cluster.at(1), CONTROLLERS);
      assertThat(table.path("rows")).hasSize(1);
      assertThat(cell(table, 0, "READY").asInt()).isEqualTo(3);
      assertThat(cell(table, 0, "REPLICAS").asText().split(",")).hasSize(3);
      assertThat(table.path("replicas")).hasSize(3);
      assertThat(table.path("partial").asBoolean(true)).isFalse();
      assertThat(table.path("replica").asText()).isEqualTo("coxswain-1");
      cluster.kill(2);
      JsonNode partial = table(cluster.at(1), CONTROLLERS);
      assertThat(partial.path("partial").asBoolean()).isTrue();
      assertThat(cell(partial, 0, "READY").asInt()).isEqualTo(2);
    }
  }

  /** The routes of lists and of single objects, with the name of their first row. */
  @Test
  void eachListAndEachObject_hasATable() {
    try (Api api = api()) {
      String id = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
      api.directory.budgets.add(
          new LocalRetryBudget("default", 10, 100, Clock.system()).snapshot());
      api.directory.plugins = new FakePlugins();
      api.directory.caches.add(FakeDirectory.cache("Pod", "server"));
      api.directory.slots = new FakeSlots().spread(1).at(0);
      api.directory.configuration = ConfigurationStatus.started("a.yaml", FakeController.START);
      String operations = Api.DEMO + "/operations";
      String order = "{\"action\":\"retry\",\"selector\":{\"failing\":true},\"reason\":\"x\"}";
      String operation =
          api.operate(operations, api.confirmed(operations, order)).path("id").asText();
      Map<String, String> names = new LinkedHashMap<>();
      names.put(CONTROLLERS, "demo");
      names.put(Api.DEMO, "demo");
      String cause = api.get(Api.DEMO + "/causes").ok(200).at("/items/0/id").asText();
      names.put("/api/v1/causes", cause);
      names.put(Api.DEMO + "/causes", cause);
      names.put(Api.DEMO + "/causes/" + cause, cause);
      names.put(Api.DEMO + "/items", "a/b");
      names.put(Api.item(id), "a/b");
      names.put("/api/v1/objects?namespace=a&name=b", "demo");
      names.put("/api/v1/operations", operation);
      names.put("/api/v1/operations/" + operation, operation);
      names.put("/api/v1/limiters", "default");
      names.put("/api/v1/limiters/default", "default");
      names.put("/api/v1/replicas", "coxswain-0");
      names.put("/api/v1/caches", "Pod");
      names.put("/api/v1/plugins", "copier");
      names.put("/api/v1/plugins/copier", "copier");
      names.put("/api/v1/config", "coxswain-0");
      names.put("/api/v1/slots", "0");
      String audit = "/api/v1/audit";
      names.put(audit, api.get(audit).ok(200).at("/items/0/seq").asText());
      // Of a type that nothing in this test adds to: a look at the plug-in is another event.
      String started = "/api/v1/timeline?type=replicaStarted";
      Await.until("the start", () -> api.get(started).ok(200).at("/items/0").isObject());
      names.put(started, "replicaStarted");
      String changes = "/api/v1/changes";
      names.put(changes, api.get(changes).ok(200).at("/items/0/requestId").asText());
      names.forEach((path, name) -> {
        JsonNode table = table(api, path);
        assertThat(table.at("/rows/0/name").asText()).as(path).isEqualTo(name);
        assertThat(table.at("/rows/0/cells"))
            .as(path)
            .hasSameSizeAs(table.path("columnDefinitions"));
        List<String> narrow = headers(table, 0);
        assertThat(headers(table)).as(path).doesNotHaveDuplicates();
        assertThat(headers(table).subList(0, narrow.size())).as(path).isEqualTo(narrow);
        JsonNode value = api.get(path).ok(200);
        for (String field : List.of("replica", "partial")) {
          assertThat(table.path(field)).as(path + " " + field).isEqualTo(value.path(field));
        }
      });
      assertThat(names.keySet().stream().map(TablesTest::template).toList())
          .containsExactlyInAnyOrderElementsOf(documented(api));
    }
  }

  /** Returns the route of a path. */
  private static String template(String path) {
    return path.replaceFirst("/controllers/[^/]+", "/controllers/{c}")
        .replaceFirst("\\?.*", "")
        .replaceFirst("/causes/.+", "/causes/{x}")
        .replaceFirst("/items/.+", "/items/{id}")
        .replaceFirst("/operations/.+", "/operations/{op}")
        .replaceFirst("/limiters/.+", "/limiters/{l}")
        .replaceFirst("/plugins/.+", "/plugins/{p}");
  }

  /** Returns the routes of which the document says that they have tables. */
  private static List<String> documented(Api api) {
    List<String> routes = new ArrayList<>();
    api.get("/api/v1/openapi.json")
        .ok(200)
        .path("paths")
        .properties()
        .forEach(path -> {
          if (path.getValue().at("/get/responses/200/content").has(TableRequest.TYPE)) {
            routes.add(path.getKey());
          }
        });
    return routes;
  }

  @Test
  void thePagesOfATable_continue() {
    try (Api api = api()) {
      for (int i = 0; i < 3; i++) {
        api.demo.put("a", "item-" + i, Phase.READY, 0, null);
      }
      String items = Api.DEMO + "/items?limit=2";
      JsonNode first = table(api, items);
      assertThat(first.path("rows")).hasSize(2);
      JsonNode second = table(api, items + "&continue=" + first.path("continue").asText());
      assertThat(second.path("rows")).hasSize(1);
      assertThat(second.has("continue")).isFalse();
      assertThat(second.path("columnDefinitions")).isEqualTo(first.path("columnDefinitions"));
    }
  }

  /** Two rows of the same key would differ in nothing. */
  @Test
  void itemsOfSeveralReplicas_alwaysNameTheirs() {
    try (Cluster3 cluster = new Cluster3()) {
      String items = Api.DEMO + "/items";
      cluster.at(0).demo.put("a", "b", Phase.READY, 0, null);
      assertThat(headers(table(cluster.at(0), items + "?scope=local"), 1)).contains("REPLICA");
      for (int i = 0; i < 3; i++) {
        cluster.at(i).demo.put("a", "b", Phase.READY, 0, null);
      }
      assertThat(headers(table(cluster.at(0), items), 0)).endsWith("LAST ERROR", "REPLICA");
    }
  }

  @Test
  void aControllerWithoutOwner_isAWarning() {
    try (Api api = api()) {
      Instant since = FakeController.START.plusSeconds(4 * 3600 - 12);
      api.directory.idle.add(
          new IdleController("orphan", IdlePhase.STANDBY, since, "coxswain-2", false));
      JsonNode table = table(api, CONTROLLERS);
      assertThat(table.path("partial").asBoolean()).isTrue();
      assertThat(texts(table.path("warnings")))
          .singleElement(as(STRING))
          .startsWith("controller orphan: no owner for 12s: coxswain-2 ran it last");
      assertThat(table(api, CONTROLLERS + "/orphan").path("warnings"))
          .isEqualTo(table.path("warnings"));
    }
  }

  @Test
  void anAuditRecord_namesWhatWasChanged_andTheValuesBeforeAndAfter() {
    try (Api api = api()) {
      api.change("PUT", Api.DEMO + "/scale", "{\"maxConcurrent\":3,\"reason\":\"more\"}").ok(200);
      String id = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
      api.post(Api.item(id) + "/retry", "{\"reason\":\"one\"}").ok(200);
      JsonNode table = table(api, "/api/v1/audit");
      assertThat(cell(table, 0, "ON").asText()).isEqualTo("a/b");
      assertThat(cell(table, 0, "STAGE").asText()).isEqualTo("outcome");
      assertThat(cell(table, 0, "RESULT").asText()).isEqualTo("applied");
      assertThat(cell(table, 2, "ACTION").asText()).isEqualTo("setConcurrency");
      assertThat(cell(table, 2, "CHANGE").asText()).isEqualTo("maxConcurrent 1 -> 3");
      assertThat(cell(table, 2, "REASON").asText()).isEqualTo("more");
      assertThat(cell(table, 2, "TIME").asText()).isEqualTo("2026-11-20T14:00:00.000Z");
      assertThat(cell(table, 2, "REMOTE").asText()).isNotEmpty();
      assertThat(cell(table, 2, "REQUEST").asText()).isNotEmpty();
    }
  }
}
