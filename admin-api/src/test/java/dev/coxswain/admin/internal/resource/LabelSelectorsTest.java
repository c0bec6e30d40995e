// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.FakeController;
import dev.coxswain.testing.Await;
import dev.coxswain.view.Phase;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Items are chosen by the labels of their objects, where somebody holds these. */
class LabelSelectorsTest {

  private static final String ITEMS = Api.DEMO + "/items";
  private static final String OPERATIONS = Api.DEMO + "/operations";
  private static final String WEB = "?labelSelector=app%3Dweb";

  private final Cluster3 cluster = new Cluster3();

  @AfterEach
  void close() {
    cluster.close();
  }

  /** Has every replica track items, of which two each are of the web. */
  private void fill() {
    for (int i = 0; i < 3; i++) {
      FakeController demo = cluster.at(i).demo;
      for (String name : List.of("web-1-", "web-2-", "db-")) {
        demo.put("shop", name + i, Phase.DELAYED, 1, "boom");
      }
      demo.selected = Map.of("app=web", Set.of("web-1-" + i, "web-2-" + i), "app=db", Set.of());
    }
  }

  private List<String> walk(String query, int limit) {
    List<String> names = new ArrayList<>();
    String place = "";
    for (int page = 0; page < 20; page++) {
      JsonNode json = cluster.at(page % 3).get(ITEMS + query + "&limit=" + limit + place).ok(200);
      names.addAll(json.path("items").findValuesAsText("name"));
      if (!json.has("continue")) {
        return names;
      }
      place = "&continue=" + json.path("continue").asText();
    }
    throw new AssertionError("the walk has no end");
  }

  private static String order(String selector, String more) {
    return "{\"action\":\"flush\",\"selector\":{\"labelSelector\":\""
        + selector
        + "\"},\"reason\":\"x\""
        + more
        + "}";
  }

  @Test
  void aWalkOverAllReplicas_showsWhatIsSelected_eachOnce() {
    fill();
    for (int limit : new int[] {1, 2, 5, 100}) {
      assertThat(walk(WEB, limit))
          .containsExactlyInAnyOrder(
              "web-1-0", "web-2-0", "web-1-1", "web-2-1", "web-1-2", "web-2-2");
    }
    assertThat(walk(WEB + "&name=*-1-*", 2)).hasSize(3);
    assertThat(walk("?labelSelector=", 100)).as("an empty one selects everything").hasSize(9);
  }

  @Test
  void aPlaceOfAnotherSelector_isRefused() {
    fill();
    for (String scope : List.of("", "&scope=local")) {
      String place =
          cluster.at(0).get(ITEMS + WEB + "&limit=1" + scope).ok(200).path("continue").asText();
      String other = ITEMS + "?limit=1" + scope + "&continue=" + place;
      cluster.at(0).get(other).problem(400, "invalid-cursor");
      cluster.at(0).get(other + "&labelSelector=app%3Ddb").problem(400, "invalid-cursor");
      cluster.at(0).get(other + "&labelSelector=app%3Dweb").ok(200);
    }
  }

  @Test
  void whereNobodyHoldsTheObjects_itIsUnsupported_alsoOfAnotherReplica() {
    for (int i = 0; i < 3; i++) {
      cluster.at(i).demo.put("shop", "web-" + i, Phase.DELAYED, 1, "boom");
    }
    cluster.at(0).directory.handles.clear(); // the controller runs elsewhere
    for (int asked : new int[] {0, 1}) {
      JsonNode problem = cluster.at(asked).get(ITEMS + WEB).problem(400, "unsupported-selector");
      assertThat(problem.path("detail").asText()).contains("\"demo\"", "keeps no objects");
      assertThat(problem.at("/errors/0/parameter").asText()).isEqualTo("labelSelector");
      JsonNode refused =
          cluster
              .at(asked)
              .post(OPERATIONS, order("app=web", ",\"dryRun\":true"))
              .problem(400, "unsupported-selector");
      assertThat(refused.at("/errors/0/pointer").asText()).isEqualTo("/selector/labelSelector");
    }
    cluster.at(0).get(ITEMS + "?labelSelector=%20").ok(200);
  }

  @Test
  void oneReplicaThatDoesNotUnderstand_isNotLeftOutUnnoticed() {
    fill();
    cluster.at(2).demo.selected = null;
    cluster.at(0).get(ITEMS + WEB).problem(400, "unsupported-selector");
    assertThat(cluster.at(0).get(ITEMS + WEB + "&replica=coxswain-1").ok(200).path("items"))
        .hasSize(2);
  }

  @Test
  void whatCannotBeUnderstood_isRefusedInTheWordsOfWhoTried() {
    fill();
    JsonNode problem =
        cluster.at(1).get(ITEMS + "?labelSelector=a~b").problem(400, "unsupported-selector");
    assertThat(problem.path("detail").asText()).isEqualTo("label selector \"a~b\": found \"~\"");
    cluster.at(1).post(OPERATIONS, order("a~b", "")).problem(400, "unsupported-selector");
  }

  @ParameterizedTest
  @ValueSource(strings = {"labelSelector=a&labelSelector=b", "labelselector=a"})
  void aMisspeltParameter_neverMeansEverything(String query) {
    fill();
    cluster.at(0).get(ITEMS + "?" + query).problem(400, "invalid-query");
  }

  @Test
  void aSelector_isBounded() {
    fill();
    String most = "a".repeat(1024);
    cluster.at(0).get(ITEMS + "?labelSelector=" + most).ok(200);
    cluster.at(0).get(ITEMS + "?labelSelector=a" + most).problem(400, "invalid-query");
    cluster.at(0).post(OPERATIONS, order("a" + most, "")).problem(400, "invalid-body");
  }

  @Test
  void anOperation_isAboutWhatIsSelected_onEveryReplica_andSaysSo() {
    fill();
    JsonNode preview = cluster.at(0).post(OPERATIONS, order("app=web", ",\"dryRun\":true")).ok(200);
    assertThat(preview.path("matched").asInt()).isEqualTo(6);
    JsonNode begun = cluster.at(0).post(OPERATIONS, order("app=web", "")).ok(202);
    assertThat(begun.at("/selector/labelSelector").asText()).isEqualTo("app=web");
    Await.until(
        () -> cluster.at(1).get(ITEMS).ok(200).path("items").findValuesAsText("name").size() == 3);
    JsonNode record = cluster.at(0).get("/api/v1/audit?scope=local").ok(200).at("/items/0");
    assertThat(record.path("selector").asText()).contains("app=web");
  }

  @Test
  void theSameKey_withAnotherSelector_isAnotherOrder() {
    fill();
    String[] key = {"Idempotency-Key", "k-1"};
    cluster.at(0).post(OPERATIONS, order("app=db", ""), key).ok(202);
    cluster
        .at(0)
        .post(OPERATIONS, order("app=web", ""), key)
        .problem(422, "idempotency-key-reused");
  }

  @Test
  void aBlankSelectorOfAnOperation_leavesNothingOut_andIsNoWayAroundAll() {
    fill();
    cluster.at(0).post(OPERATIONS, order(" ", "")).problem(400, "invalid-body");
  }
}
