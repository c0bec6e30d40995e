// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.table;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.Phase;
import java.time.Instant;
import java.util.List;
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

  /** Returns the cell of a row by the header of its column. */
  private static JsonNode cell(JsonNode table, int row, String header) {
    List<String> headers =
        StreamSupport.stream(table.path("columnDefinitions").spliterator(), false)
            .map(column -> column.path("name").asText())
            .toList();
    return table.path("rows").path(row).path("cells").path(headers.indexOf(header));
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
}
