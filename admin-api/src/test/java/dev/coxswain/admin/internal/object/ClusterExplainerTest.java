// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.object;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.FakeController.Mood;
import dev.coxswain.admin.FakeSlots;
import dev.coxswain.admin.internal.table.TableRequest;
import dev.coxswain.admin.spi.ControllerDirectory.FailedController;
import dev.coxswain.admin.spi.ControllerDirectory.IdleController;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.view.Explanation.Reason;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One request for an object has one explanation of each controller, whatever the others do. */
class ClusterExplainerTest {

  private static final String ALL = "/api/v1/objects?namespace=payments&name=";

  private final Cluster3 cluster = new Cluster3();
  private final List<FakeController> more = new ArrayList<>();

  @AfterEach
  void close() {
    more.forEach(FakeController::close);
    cluster.close();
  }

  private FakeController add(int replica, String name, Ownership ownership) {
    FakeController controller = new FakeController(name);
    controller.ownership = ownership;
    more.add(controller);
    cluster.at(replica).directory.handles.put(name, controller);
    return controller;
  }

  private FakeController absent(String name, Reason reason) {
    FakeController controller = add(0, name, Ownership.LEADER);
    controller.absence = reason;
    return controller;
  }

  private static List<String> reasons(JsonNode list) {
    List<String> reasons = new ArrayList<>();
    list.path("items")
        .forEach(one ->
            reasons.add(one.path("controller").asText() + " " + one.path("reason").asText()));
    return reasons;
  }

  private static JsonNode of(String controller, JsonNode list) {
    for (JsonNode one : list.path("items")) {
      if (one.path("controller").asText().equals(controller)) {
        return one;
      }
    }
    throw new AssertionError("no explanation of " + controller + ": " + list);
  }

  private static List<String> texts(JsonNode list) {
    List<String> texts = new ArrayList<>();
    list.forEach(one -> texts.add(one.asText()));
    return texts;
  }

  @Test
  void queuedAndTroubledItems_areFirst_andThoseOfNoMeaningLast() {
    add(0, "z-queued", Ownership.LEADER).put("payments", "x", Phase.DELAYED, 1, "boom");
    absent("b-paused", Reason.PAUSED);
    absent("a-left-out", Reason.LEFT_OUT);
    absent("c-not-in-cache", Reason.NOT_IN_CACHE);
    absent("d-succeeded", Reason.SUCCEEDED);
    absent("y-deleted", Reason.DELETED);
    FakeController never = absent("a-never", Reason.NOT_TRACKED);
    never.impossible = "is none that an object can have";
    never.mood = Mood.SILENT; // it need not be read
    for (int asked = 0; asked < 3; asked++) {
      JsonNode list = cluster.at(asked).get(ALL + "x").ok(200);
      assertThat(reasons(list))
          .containsExactly(
              "b-paused paused",
              "z-queued backoff",
              "d-succeeded succeeded",
              "demo notTracked",
              "y-deleted deleted",
              "a-left-out leftOut",
              "a-never unknownName",
              "c-not-in-cache notInCache");
      assertThat(list.path("partial").asBoolean(true)).isFalse();
      assertThat(list.has("unread") || list.has("hidden")).isFalse();
      assertThat(list.at("/key/namespace").asText()).isEqualTo("payments");
      JsonNode queued = of("z-queued", list);
      assertThat(queued.at("/item/lastError").asText()).isEqualTo("boom");
      assertThat(queued.path("replica").asText()).isEqualTo("coxswain-0");
      assertThat(queued.path("id").asText()).isEqualTo(new ItemId("payments", "x").encoded());
      assertThat(of("a-never", list).path("message").asText())
          .isEqualTo("The name is none that an object can have.");
    }
  }

  @Test
  void theOwnerOfTheSlot_answersForAShardedController() {
    cluster.shard();
    cluster.at(1).demo.put("payments", "item-4", Phase.DELAYED, 1, "boom");
    for (int asked = 0; asked < 3; asked++) {
      JsonNode why = of("demo", cluster.at(asked).get(ALL + "item-4").ok(200));
      assertThat(why.path("replica").asText()).isEqualTo("coxswain-1");
      assertThat(why.path("reason").asText()).isEqualTo("backoff");
      assertThat(why.at("/slot/slot").asInt()).isEqualTo(4);
      JsonNode absent = of("demo", cluster.at(asked).get(ALL + "item-5").ok(200));
      assertThat(absent.path("replica").asText()).isEqualTo("coxswain-2");
      assertThat(absent.path("reason").asText()).isEqualTo("notTracked");
    }
    JsonNode local = of("demo", cluster.at(0).get(ALL + "item-4&scope=local").ok(200));
    assertThat(local.path("reason").asText()).isEqualTo("notOwned");
  }

  @Test
  void anExplanation_isThatOfTheRequestForTheItem() {
    cluster.shard();
    String id = cluster.at(1).demo.put("payments", "item-4", Phase.DELAYED, 1, "boom");
    for (String name : List.of("item-4", "item-5")) {
      id = new ItemId("payments", name).encoded();
      var one = cluster.at(0).get(Api.item(id) + "/explain").ok(200);
      ((com.fasterxml.jackson.databind.node.ObjectNode) one).remove(List.of("partial", "replicas"));
      assertThat(of("demo", cluster.at(0).get(ALL + name).ok(200))).isEqualTo(one);
    }
  }

  @Test
  void aSilentController_whichDoesNotOwnTheSlot_isNotMissing() {
    cluster.shard();
    cluster.at(2).demo.mood = Mood.SILENT;
    JsonNode list = cluster.at(0).get(ALL + "item-4").ok(200);
    assertThat(list.path("partial").asBoolean(true)).isFalse();
    assertThat(reasons(list)).containsExactly("demo notTracked");
  }

  @Test
  void aSlotWithoutOwner_isNamed() {
    FakeSlots slots = cluster.shard();
    slots.set(4, null);
    JsonNode why = of("demo", cluster.at(0).get(ALL + "item-4").ok(200));
    assertThat(why.path("reason").asText()).isEqualTo("noOwner");
    assertThat(why.path("message").asText()).startsWith("Slot 4 has no owner");
  }

  @ParameterizedTest
  @EnumSource(
      value = Mood.class,
      names = {"FAILS", "THROWS", "SILENT"})
  void aControllerThatGivesNoExplanation_isAnEntry_andHidesNothing(Mood mood) {
    for (int i = 0; i < 20; i++) { // more than are read at once
      add(0, "broken-" + (char) ('a' + i), Ownership.LEADER).mood = mood;
    }
    add(0, "whole", Ownership.LEADER).put("payments", "x", Phase.DELAYED, 1, "boom");
    JsonNode list = cluster.at(1).get(ALL + "x").ok(200);
    assertThat(list.path("partial").asBoolean()).isTrue();
    assertThat(list.path("unread")).hasSize(20);
    JsonNode broken = of("broken-t", list);
    assertThat(broken.path("reason").asText()).isEqualTo("unread");
    assertThat(broken.path("message").asText())
        .isEqualTo(
            mood == Mood.SILENT
                ? "No explanation from coxswain-0: controller \"broken-t\" did not answer within"
                    + " 1000 ms."
                : "No explanation from coxswain-0: the request failed inside the host; its log has"
                    + " the cause under this requestId.");
    assertThat(of("whole", list).path("reason").asText()).isEqualTo("backoff");
  }

  @Test
  void aControllerOfEveryReplica_thatIsSilentOnOne_isExplainedByTheOthers() {
    cluster.at(1).demo.put("payments", "x", Phase.DELAYED, 1, "boom");
    cluster.at(2).demo.put("payments", "x", Phase.DELAYED, 1, "boom");
    cluster.apis.forEach(api -> api.demo.ownership = Ownership.EVERYWHERE);
    JsonNode whole = cluster.at(0).get(ALL + "x").ok(200);
    assertThat(of("demo", whole).path("replica").asText()).isEqualTo("coxswain-1");
    assertThat(of("demo", whole).path("copies")).hasSize(1);
    assertThat(whole.path("partial").asBoolean(true)).isFalse();
    cluster.at(1).demo.mood = Mood.SILENT;
    JsonNode list = cluster.at(0).get(ALL + "x").ok(200);
    assertThat(of("demo", list).path("replica").asText()).isEqualTo("coxswain-2");
    assertThat(texts(list.path("unread"))).containsExactly("demo");
    assertThat(list.path("partial").asBoolean()).isTrue();
  }

  @Test
  void aReplicaThatIsSilent_isNamed_andItsSlotsAreUnread() {
    cluster.shard();
    add(0, "other", Ownership.LEADER);
    cluster.kill(1);
    JsonNode list = cluster.at(0).get(ALL + "item-4").ok(200);
    assertThat(list.path("partial").asBoolean()).isTrue();
    assertThat(list.at("/replicas/1/state").asText()).isEqualTo("unreachable");
    assertThat(of("demo", list).path("reason").asText()).isEqualTo("unread");
    assertThat(of("demo", list).path("message").asText()).contains("coxswain-1");
    assertThat(of("other", list).path("reason").asText()).isEqualTo("notTracked");
    JsonNode lucky = of("demo", cluster.at(0).get(ALL + "item-5").ok(200));
    assertThat(lucky.path("reason").asText()).as("another owner").isEqualTo("notTracked");
  }

  @Test
  void aControllerThatRunsNowhere_isAnEntryWithTheCause() {
    cluster
        .at(0)
        .directory
        .failed
        .add(new FailedController("broken", "no such CRD", Instant.EPOCH, 1, null));
    for (Api api : cluster.apis) {
      api.directory.idle.add(
          new IdleController("orphan", IdlePhase.STANDBY, Instant.EPOCH, "coxswain-9", false));
    }
    JsonNode list = cluster.at(1).get(ALL + "x").ok(200);
    assertThat(reasons(list))
        .containsExactly("broken notRunning", "orphan noOwner", "demo notTracked");
    assertThat(of("broken", list).path("message").asText()).endsWith("no such CRD.");
    assertThat(of("orphan", list).path("message").asText()).contains("coxswain-9 ran it last");
    assertThat(texts(list.path("unread"))).as("it may run soon").containsExactly("orphan");
  }

  @Test
  void aSyncingController_makesTheListPartial() {
    cluster.at(2).demo.state = dev.coxswain.view.ControllerStatus.State.SYNCING;
    JsonNode list = cluster.at(0).get(ALL + "x").ok(200);
    assertThat(list.path("partial").asBoolean()).isTrue();
    assertThat(list.at("/replicas/2/state").asText()).isEqualTo("syncing");
    assertThat(list.at("/items/0").has("syncing")).isFalse();
  }

  @Test
  void namedControllers_areTheOnlyOnes_andMustExist() {
    add(0, "other", Ownership.LEADER);
    add(0, "third", Ownership.LEADER);
    assertThat(reasons(cluster.at(1).get(ALL + "x&controller=other,third").ok(200)))
        .containsExactly("other notTracked", "third notTracked");
    assertThat(reasons(cluster.at(1).get(ALL + "x&controller=other&controller=demo").ok(200)))
        .containsExactly("demo notTracked", "other notTracked");
    cluster.at(1).get(ALL + "x&controller=other,none").problem(404, "controller-not-found");
  }

  @Test
  void anInvalidObject_isNamed() {
    for (String query : List.of("", "?name=", "?name=x&namespace=a/b", "?name=x&controller=")) {
      cluster.at(0).get("/api/v1/objects" + query).problem(400, "invalid-query");
    }
    JsonNode without = cluster.at(0).get("/api/v1/objects?name=x").ok(200);
    assertThat(without.at("/key/namespace").asText()).isEmpty();
  }

  @Test
  void theTable_hasARowOfEachController_andWarnsOfMissingOnes() {
    cluster.at(0).demo.put("payments", "x", Phase.DELAYED, 1, "boom");
    add(0, "silent", Ownership.LEADER).mood = Mood.FAILS;
    JsonNode table =
        cluster
            .at(0)
            .send(cluster.at(0).request(ALL + "x").header("Accept", TableRequest.TYPE))
            .json();
    assertThat(table.at("/columnDefinitions").findValuesAsText("name"))
        .startsWith("CONTROLLER", "REASON", "WHEN", "REPLICA", "MESSAGE");
    assertThat(table.at("/rows").findValuesAsText("name")).containsExactly("demo", "silent");
    assertThat(table.at("/rows/0/cells/1").asText()).isEqualTo("backoff");
    assertThat(texts(table.path("warnings"))).containsExactly("No explanation of: silent.");
  }
}
