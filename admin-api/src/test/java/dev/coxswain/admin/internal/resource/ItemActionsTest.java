// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import dev.coxswain.view.QueuedItem;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ItemActionsTest {

  private static final String WHY = "{\"reason\":\"test\"}";

  private final Api api = new Api();

  @AfterEach
  void close() {
    api.close();
  }

  private QueuedItem at(String id) {
    return Objects.requireNonNull(api.demo.at(id));
  }

  @Test
  void retry_makesTheItemReady_andKeepsItsFailures() {
    String id = api.demo.put("a", "b", Phase.DELAYED, 4, "boom");
    var answer = api.post(Api.item(id) + "/retry", WHY);
    JsonNode json = answer.ok(200);
    assertThat(json.path("kind").asText()).isEqualTo("ActionResult");
    assertThat(json.path("result").asText()).isEqualTo("applied");
    assertThat(json.at("/item/phase").asText()).isEqualTo("ready");
    assertThat(json.at("/item/failures").asInt()).isEqualTo(4);
    assertThat(answer.header("ETag")).isEqualTo("\"" + at(id).rev() + "\"");
  }

  @Test
  void nothingToDo_isToldAsSkipped() {
    String id = api.demo.put("a", "b", Phase.READY, 0, null);
    JsonNode json = api.post(Api.item(id) + "/retry", WHY).ok(200);
    assertThat(json.path("result").asText()).isEqualTo("skipped");
    assertThat(json.path("detail").asText()).isEqualTo("it is ready already");
  }

  @Test
  void forget_resetsTheFailures_andReschedulesOnlyWhenTold() {
    String id = api.demo.put("a", "b", Phase.DELAYED, 4, "boom");
    JsonNode json = api.post(Api.item(id) + "/forget", WHY).ok(200);
    assertThat(json.at("/item/failures").asInt()).isZero();
    assertThat(json.at("/item/phase").asText()).isEqualTo("delayed");
    JsonNode again =
        api.post(Api.item(id) + "/forget", "{\"reason\":\"x\",\"reschedule\":true}").ok(200);
    assertThat(again.at("/item/phase").asText()).isEqualTo("ready");
  }

  @Test
  void requeue_needsADelay_andPassesItOn() {
    String id = api.demo.put("a", "b", Phase.READY, 0, null);
    api.post(Api.item(id) + "/requeue", WHY).problem(400, "invalid-body");
    for (String bad : List.of("10", "-5s", "5 s", "1d", "", "9999h", "PT5S", "721h")) {
      api.post(Api.item(id) + "/requeue", "{\"reason\":\"x\",\"delay\":\"" + bad + "\"}")
          .problem(400, "invalid-body");
    }
    api.post(Api.item(id) + "/requeue", "{\"reason\":\"x\",\"delay\":\"1h30m5s250ms\"}").ok(200);
    assertThat(api.demo.lastDelay).isEqualTo(Duration.parse("PT1H30M5.25S"));
  }

  @Test
  void drop_takesTheItemOut_with204() {
    String id = api.demo.put("a", "b", Phase.READY, 0, null);
    var answer = api.change("DELETE", Api.item(id), WHY);
    assertThat(answer.status()).isEqualTo(204);
    assertThat(answer.http().body()).isEmpty();
    assertThat(api.demo.at(id)).isNull();
    api.change("DELETE", Api.item(id), WHY).problem(404, "item-not-found");
  }

  @Test
  void drop_ofAnItemInFlight_isAConflict() {
    String id = api.demo.put("a", "b", Phase.IN_FLIGHT, 0, null);
    JsonNode problem = api.change("DELETE", Api.item(id), WHY).problem(409, "item-not-dropped");
    assertThat(problem.at("/current/phase").asText()).isEqualTo("inFlight");
    assertThat(api.demo.at(id)).isNotNull();
  }

  @Test
  void aConflictingIfMatch_changesNothing() {
    String id = api.demo.put("a", "b", Phase.DELAYED, 4, "boom");
    long rev = at(id).rev();
    for (String action : List.of("retry", "forget", "requeue")) {
      String body = action.equals("requeue") ? "{\"reason\":\"x\",\"delay\":\"1s\"}" : WHY;
      JsonNode problem =
          api.post(Api.item(id) + "/" + action, body, "If-Match", "\"" + (rev - 1) + "\"")
              .problem(412, "item-changed");
      assertThat(problem.at("/current/rev").asText()).isEqualTo(Long.toString(rev));
      assertThat(problem.at("/current/phase").asText()).isEqualTo("delayed");
    }
    api.change("DELETE", Api.item(id), WHY, "If-Match", "\"1\"").problem(412, "item-changed");
    assertThat(at(id).rev()).isEqualTo(rev);
    api.post(Api.item(id) + "/retry", WHY, "If-Match", "\"" + rev + "\"").ok(200);
  }

  @Test
  void ifMatch_mustBeOneRevisionOrAStar() {
    String id = api.demo.put("a", "b", Phase.DELAYED, 4, "boom");
    for (String bad : List.of("17", "W/\"17\"", "\"a\"", "\"1\", \"2\"", "\"\"")) {
      api.post(Api.item(id) + "/retry", WHY, "If-Match", bad).problem(400, "invalid-header");
    }
    api.post(Api.item(id) + "/retry", WHY, "If-Match", "*").ok(200);
  }

  @Test
  void anActionOnAnUntrackedItem_is404() {
    String id = new ItemId("a", "nobody").encoded();
    for (String action : List.of("retry", "forget")) {
      api.post(Api.item(id) + "/" + action, WHY).problem(404, "item-not-found");
    }
  }

  @Test
  void anActionTheControllerRefuses_is409() {
    String id = api.demo.put("a", "b", Phase.DELAYED, 4, "boom");
    api.demo.state = ControllerStatus.State.DRAINING;
    JsonNode problem = api.post(Api.item(id) + "/retry", WHY).problem(409, "refused");
    assertThat(problem.path("detail").asText()).isEqualTo("the controller is stopping");
  }

  @Test
  void enqueue_is201ForANewItem_and200ForOneThatWasThere() {
    String body = "{\"namespace\":\"a\",\"name\":\"b\",\"delay\":\"5s\",\"reason\":\"x\"}";
    var created = api.post(Api.DEMO + "/items", body);
    created.ok(201);
    String id = new ItemId("a", "b").encoded();
    assertThat(created.header("Location")).isEqualTo(Api.item(id));
    assertThat(api.demo.lastDelay).isEqualTo(Duration.ofSeconds(5));
    assertThat(api.get(created.header("Location")).ok(200).path("id").asText()).isEqualTo(id);
    api.post(Api.DEMO + "/items", body).ok(200);
    assertThat(api.demo.size()).isEqualTo(1);
  }

  @Test
  void enqueue_refusesWhatCanBeNoRequest() {
    for (String body :
        List.of(
            "{\"reason\":\"x\"}",
            "{\"name\":\"\",\"reason\":\"x\"}",
            "{\"namespace\":\"a/b\",\"name\":\"c\",\"reason\":\"x\"}",
            "{\"name\":\"a\\u0007\",\"reason\":\"x\"}")) {
      api.post(Api.DEMO + "/items", body).problem(400, "invalid-body");
    }
    api.post(Api.DEMO + "/items", "{\"name\":\"impossible\",\"reason\":\"x\"}")
        .problem(422, "invalid-key");
    assertThat(api.demo.size()).isZero();
  }
}
