// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cause;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.FakePlugins;
import dev.coxswain.view.Phase;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The same failure on several replicas is one cause, and the one to cure first is the first. */
class ClusterCausesTest {

  private static final String CAUSES = Api.DEMO + "/causes";

  private final Cluster3 cluster = new Cluster3();

  @AfterEach
  void close() {
    cluster.close();
  }

  private void put(int replica, String name, String error) {
    cluster.at(replica).demo.put("payments", name, Phase.DELAYED, 1, error);
  }

  @ParameterizedTest
  @ValueSource(strings = {CAUSES, "/api/v1/causes"})
  void withoutFailures_theListIsEmpty(String path) {
    JsonNode list = cluster.at(0).get(path).ok(200);
    assertThat(list.path("total").asInt()).isZero();
    assertThat(list.path("items").isEmpty()).isTrue();
    assertThat(list.path("partial").asBoolean(true)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {CAUSES, "/api/v1/causes"})
  void aShortList_hasTheCauseOfTheMostItemsOfAllReplicas_inFull(String path) {
    for (String name : List.of("a", "b", "c")) {
      put(0, name, "Quota: used up");
      put(1, "of-1-" + name, "Timeout");
    }
    for (int replica = 0; replica < 3; replica++) {
      put(replica, "x" + replica, "Bug");
      put(replica, "y" + replica, "Bug");
    }
    JsonNode list = cluster.at(2).get(path + "?limit=1").ok(200);
    assertThat(list.path("total").asInt()).isEqualTo(3);
    assertThat(list.path("failing").asInt()).isEqualTo(12);
    assertThat(list.path("items").size()).isEqualTo(1);
    JsonNode most = list.at("/items/0");
    assertThat(most.path("error").asText()).isEqualTo("Bug");
    assertThat(most.path("items").asInt()).isEqualTo(6);
    assertThat(most.path("share").asDouble()).isEqualTo(0.5);
    assertThat(most.path("trend").size()).isEqualTo(12);
    assertThat(most.path("types").isArray()).isTrue();
    cluster.at(2).get(path + "?only=abcd").problem(400, "invalid-query");
  }

  @ParameterizedTest
  @ValueSource(strings = {CAUSES, "/api/v1/causes"})
  void aCauseInAPlugin_namesTheVersionsThatFailOfIt(String path) {
    put(0, "a", "Bug");
    put(1, "b", "Bug");
    put(1, "c", "Timeout");
    cluster.at(0).directory.plugins = plugin("0011223344556677");
    cluster.at(1).directory.plugins = plugin("ffeeddccbbaa9988");
    JsonNode items = cluster.at(2).get(path).ok(200).path("items");
    assertThat(items.at("/0/error").asText()).isEqualTo("Bug");
    assertThat(items.at("/0/versions").toString()).isEqualTo("[\"001122334455\",\"ffeeddccbbaa\"]");
    assertThat(items.at("/1/versions").toString()).isEqualTo("[\"ffeeddccbbaa\"]");
  }

  private static FakePlugins plugin(String digest) {
    FakePlugins plugins = new FakePlugins();
    plugins.controllers = List.of("demo");
    plugins.digest = digest;
    return plugins;
  }

  @ParameterizedTest
  @ValueSource(strings = {CAUSES, "/api/v1/causes"})
  void aCauseOfSeveralReplicas_isOne_withTheSumOfItsCounts(String path) {
    put(0, "a", "Quota: used up");
    put(0, "d", "Timeout");
    put(1, "b", "Quota: used up");
    put(1, "c", "Quota: used up");
    for (int asked = 0; asked < 3; asked++) {
      JsonNode list = cluster.at(asked).get(path).ok(200);
      assertThat(list.path("partial").asBoolean(true)).isFalse();
      assertThat(list.path("total").asInt()).isEqualTo(2);
      assertThat(list.path("failing").asInt()).isEqualTo(4);
      JsonNode first = list.path("items").path(0);
      assertThat(first.path("error").asText()).isEqualTo("Quota: used up");
      assertThat(first.path("controller").asText()).isEqualTo("demo");
      assertThat(first.path("items").asInt()).isEqualTo(3);
      assertThat(first.path("failures").asInt()).isEqualTo(6);
      assertThat(first.path("share").asDouble()).isEqualTo(0.75);
      assertThat(first.path("trend").path(11).asInt()).isEqualTo(2);
      assertThat(first.at("/samples").findValuesAsText("name"))
          .as("all of this replica, and one of each other")
          .hasSizeBetween(2, 3)
          .isSubsetOf("a", "b", "c");
      assertThat(first.has("stack")).isFalse();
      assertThat(list.path("items").path(1).path("error").asText()).isEqualTo("Timeout");
    }
  }

  @Test
  void theLimit_leavesCausesOut_afterTheyAreAddedUp() {
    for (int replica = 0; replica < 3; replica++) {
      put(replica, "common" + replica, "Common");
      put(replica, "one" + replica, "Rare: " + (char) ('a' + replica));
      put(replica, "two" + replica, "Rare: " + (char) ('a' + replica));
    }
    JsonNode list = cluster.at(0).get(CAUSES + "?limit=1").ok(200);
    assertThat(list.path("items").findValuesAsText("error"))
        .as("it is second on each replica, and first of all")
        .containsExactly("Common");
    assertThat(list.path("total").asInt()).isEqualTo(4);
    assertThat(list.path("failing").asInt()).isEqualTo(9);
    cluster.at(0).get(CAUSES + "?limit=0").problem(400, "invalid-query");
  }

  @Test
  void oneCause_hasItsStack_whereverItWasSeen() {
    put(2, "a", "Quota: used up");
    String id = cluster.at(0).get(CAUSES).ok(200).at("/items/0/id").asText();
    JsonNode cause = cluster.at(0).get(CAUSES + "/" + id).ok(200);
    assertThat(cause.path("kind").asText()).isEqualTo("Cause");
    assertThat(cause.path("stack").asText()).contains("Vendor.call");
    cluster.at(0).get(CAUSES + "/0123456789ab").problem(404, "cause-not-found");
  }

  @Test
  void aCause_selectsItems() {
    put(0, "a", "Quota: used up");
    put(1, "b", "Timeout");
    String id = cluster.at(0).get(CAUSES).ok(200).at("/items/0/id").asText();
    JsonNode items = cluster.at(0).get(Api.DEMO + "/items?cause=" + id).ok(200).path("items");
    assertThat(items).hasSize(1);
    assertThat(items.path(0).path("cause").asText()).isEqualTo(id);
    cluster.at(0).get(Api.DEMO + "/items?cause=Quota").problem(400, "invalid-query");
  }

  @ParameterizedTest
  @EnumSource(
      value = FakeController.Mood.class,
      names = {"FAILS", "THROWS", "SILENT"})
  void aControllerThatCannotBeRead_isNamed_andHidesNothing(FakeController.Mood mood) {
    put(0, "a", "Quota: used up");
    FakeController other = new FakeController("other");
    other.put("payments", "b", Phase.DELAYED, 1, "Timeout");
    cluster.at(1).directory.handles.put("other", other);
    cluster.at(1).demo.mood = mood;
    JsonNode list = cluster.at(0).get("/api/v1/causes").ok(200);
    assertThat(list.path("partial").asBoolean()).isTrue();
    assertThat(list.path("unread").path(0).asText()).isEqualTo("demo");
    assertThat(list.path("items").findValuesAsText("error"))
        .containsExactlyInAnyOrder("Quota: used up", "Timeout");
    other.close();
  }
}
