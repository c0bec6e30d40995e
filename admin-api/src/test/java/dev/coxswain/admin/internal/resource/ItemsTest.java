// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ItemsTest {

  private static final String ITEMS = Api.DEMO + "/items";

  private final Api api = new Api();

  @AfterEach
  void close() {
    api.close();
  }

  private List<String> names(String query) {
    return api.get(ITEMS + query).ok(200).path("items").findValuesAsText("name");
  }

  private void putFour() {
    api.demo.put("a", "ready-1", Phase.READY, 0, null);
    api.demo.put("a", "delayed-1", Phase.DELAYED, 3, "boom");
    api.demo.put("b", "waiting-1", Phase.WAITING_TOKEN, 9, "boom");
    api.demo.put("", "running-1", Phase.IN_FLIGHT, 0, null);
  }

  @Test
  void anItem_isShownWithTheFieldsOfItsPhase() {
    putFour();
    for (JsonNode item : api.get(ITEMS).ok(200).path("items")) {
      assertThat(item.path("rev").isTextual()).isTrue();
      assertThat(item.path("seq").isIntegralNumber()).isTrue();
      assertThat(item.has("readyAt"))
          .isEqualTo(List.of("ready", "delayed").contains(item.path("phase").asText()));
      assertThat(item.has("startedAt")).isEqualTo(item.path("phase").asText().equals("inFlight"));
      assertThat(item.has("waitingSince"))
          .isEqualTo(item.path("phase").asText().equals("waitingToken"));
      assertThat(item.path("failing").asBoolean()).isEqualTo(item.path("failures").asInt() > 0);
    }
    String id = new ItemId("a", "delayed-1").encoded();
    var answer = api.get(Api.item(id));
    JsonNode item = answer.ok(200);
    assertThat(item.path("kind").asText()).isEqualTo("Item");
    assertThat(item.path("key").path("namespace").asText()).isEqualTo("a");
    assertThat(item.path("readyAt").asText()).isEqualTo("2026-11-20T10:01:00Z");
    assertThat(item.path("trigger").asText()).isEqualTo("retry");
    assertThat(item.path("lastError").asText()).isEqualTo("boom");
    assertThat(answer.header("ETag")).isEqualTo("\"" + item.path("rev").asText() + "\"");
  }

  @Test
  void filters_meanWhatTheySay() {
    putFour();
    assertThat(names("")).hasSize(4);
    assertThat(names("?phase=ready")).containsExactly("ready-1");
    assertThat(names("?phase=ready,delayed")).containsExactlyInAnyOrder("ready-1", "delayed-1");
    assertThat(names("?phase=ready&phase=inFlight"))
        .containsExactlyInAnyOrder("ready-1", "running-1");
    assertThat(names("?failing=true")).containsExactlyInAnyOrder("delayed-1", "waiting-1");
    assertThat(names("?failing=false")).containsExactlyInAnyOrder("ready-1", "running-1");
    assertThat(names("?minFailures=4")).containsExactly("waiting-1");
    assertThat(names("?namespace=b")).containsExactly("waiting-1");
    assertThat(names("?namespace=")).containsExactly("running-1");
    assertThat(names("?name=*-1")).hasSize(4);
    assertThat(names("?name=r%3F%3Fdy*&namespace=a")).containsExactly("ready-1");
    assertThat(names("?phase=ready&failing=true")).isEmpty();
    assertThat(names("?olderThan=1h"))
        .containsExactlyInAnyOrder("ready-1", "waiting-1", "running-1");
    assertThat(names("?olderThan=61m")).isEmpty();
    assertThat(names("?readyBefore=2026-11-20T10:00:01Z")).containsExactly("ready-1");
    assertThat(names("?readyBefore=2026-11-20T12:01:01%2B02:00"))
        .containsExactlyInAnyOrder("ready-1", "delayed-1");
    assertThat(names("?errorClass=boom")).containsExactlyInAnyOrder("delayed-1", "waiting-1");
    assertThat(names("?errorClass=boo")).isEmpty();
  }

  @Test
  void fields_leavesOnlyWhatWasAskedFor() {
    putFour();
    for (JsonNode item :
        api.get(ITEMS + "?fields=id,failures&fields=readyAt").ok(200).path("items")) {
      List<String> shown = new java.util.ArrayList<>();
      item.fieldNames().forEachRemaining(shown::add);
      assertThat(shown)
          .contains("id", "failures")
          .isSubsetOf("id", "failures", "readyAt", "replica");
    }
  }

  @Test
  void theFieldsThatCanBeAskedFor_areThoseThatAreShown() {
    putFour();
    api.demo.put("a", "terminal-1", Phase.TERMINAL, 1, "never");
    java.util.Set<String> shown = new java.util.HashSet<>();
    api.get(ITEMS)
        .ok(200)
        .path("items")
        .forEach(item -> item.fieldNames().forEachRemaining(shown::add));
    assertThat(shown.remove("replica")).isTrue(); // always there
    shown.add("held"); // of those only whose cause is paused
    assertThat(ItemView.FIELDS).containsExactlyInAnyOrderElementsOf(shown);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "phase=Ready",
        "phase=",
        "phase=ready,",
        "failing=1",
        "failing=",
        "minFailures=-1",
        "minFailures=99999999999",
        "limit=0",
        "limit=501",
        "limit=ten",
        "limit=10&limit=20",
        "limit=",
        "failing=true&failing=false",
        "olderThan=",
        "olderThan=0",
        "olderThan=5",
        "olderThan=721h",
        "readyBefore=",
        "readyBefore=yesterday",
        "readyBefore=2026-02-31T10:00:00Z",
        "readyBefore=2026-11-20T10:00:00",
        "errorClass=",
        "errorClass=a.B",
        "fields=",
        "fields=id,colour",
        "name=%zz"
      })
  void aBadValue_isNamed(String query) {
    var problem = api.get(ITEMS + "?" + query.replace("%zz", "a".repeat(254)));
    assertThat(problem.problem(400, "invalid-query").at("/errors/0/parameter").asText())
        .isEqualTo(query.substring(0, query.indexOf('=')));
  }

  @Test
  void aBrokenPercentEscape_is400() {
    assertThat(
            api.raw(
                "GET "
                    + ITEMS
                    + "?name=%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
        .startsWith("HTTP/1.1 400 ")
        .contains("invalid-query");
  }

  @Test
  void theDefaultPage_has100Items_andTheLargest500() {
    for (int i = 0; i < 501; i++) {
      api.demo.put("n", "item-" + i, Phase.READY, 0, null);
    }
    assertThat(names("")).hasSize(100);
    assertThat(names("?limit=500")).hasSize(500);
  }

  @Test
  void anIdThatIsNotTracked_is404() {
    String id = new ItemId("a", "nobody").encoded();
    api.get(Api.item(id)).problem(404, "item-not-found");
    assertThat(api.get(Api.item(id) + "/explain").ok(200).path("reason").asText())
        .isEqualTo("notTracked");
  }

  @ParameterizedTest
  @ValueSource(strings = {"x", "____", "YS9i=", "YS9", "payments", "YQ", "-"})
  void aMalformedId_is400(String id) {
    api.get(Api.item(id.replace("=", "%3D"))).problem(400, "invalid-item-id");
    api.post(Api.item(id.replace("=", "%3D")) + "/retry", "{\"reason\":\"x\"}")
        .problem(400, "invalid-item-id");
  }

  @Test
  void explain_tellsReasonPositionAndConditions() {
    String id = api.demo.put("a", "b", Phase.DELAYED, 2, "boom");
    JsonNode why = api.get(Api.item(id) + "/explain").ok(200);
    assertThat(why.path("kind").asText()).isEqualTo("Explanation");
    assertThat(why.path("reason").asText()).isEqualTo("backoff");
    assertThat(why.path("position").asInt()).isEqualTo(2);
    assertThat(why.path("of").asInt()).isEqualTo(5);
    assertThat(why.path("expectedStart").asText()).isEqualTo("2026-11-20T10:01:00Z");
    assertThat(why.path("conditions").get(0).asText()).isEqualTo("The controller is paused.");
    assertThat(why.path("item").path("id").asText()).isEqualTo(id);
  }

  @Test
  void hostileTextInAnError_staysTextOfAJsonAnswer() {
    String payload = "<script>alert(1)</script>\"],\u0000\n\u2028 \uD83D"; // ends in half a pair
    String id = api.demo.put("<img src=x>", "</textarea>", Phase.DELAYED, 1, payload);
    var answer = api.get(ITEMS);
    JsonNode item = answer.ok(200).path("items").get(0);
    assertThat(answer.header("X-Content-Type-Options")).isEqualTo("nosniff");
    assertThat(item.path("lastError").asText())
        .isEqualTo("<script>alert(1)</script>\"],  \u2028 \uFFFD");
    assertThat(item.path("key").path("namespace").asText()).isEqualTo("<img src=x>");
    assertThat(api.get(Api.item(id)).ok(200).path("key").path("name").asText())
        .isEqualTo("</textarea>");
  }

  @Test
  void textInAnyScript_survives() {
    String id = api.demo.put("a", "größe-\uD83D\uDE00", Phase.DELAYED, 1, "日本 \uD83D\uDE00");
    JsonNode item = api.get(Api.item(id)).ok(200);
    assertThat(item.path("key").path("name").asText()).isEqualTo("größe-\uD83D\uDE00");
    assertThat(item.path("lastError").asText()).isEqualTo("日本 \uD83D\uDE00");
    assertThat(names("?name=gr%C3%B6%C3%9Fe*")).hasSize(1);
  }

  @Test
  void aLongError_isShownShortened() {
    String id = api.demo.put("a", "b", Phase.DELAYED, 1, "e".repeat(100_000));
    assertThat(api.get(Api.item(id)).ok(200).path("lastError").asText()).hasSize(1024);
  }
}
