// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.slot;

import static dev.coxswain.admin.Cluster3.states;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.FakeSlots;
import dev.coxswain.admin.spi.ControllerDirectory.IdleController;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import dev.coxswain.admin.spi.SlotDirectory.Phase;
import dev.coxswain.admin.spi.SlotDirectory.Stage;
import dev.coxswain.controller.ControllerOptions.Ownership;
import dev.coxswain.view.ItemId;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A request for one item of a sharded controller reaches the owner of its slot, and no other
 * replica. The replicas talk over HTTP; their slots are {@link FakeSlots}.
 */
class SlotRoutingTest {

  private static final String REASON = "{\"reason\":\"INC-1\"}";
  private static final List<String> ACTIONS = List.of("retry", "forget", "requeue");

  private final Cluster3 cluster = new Cluster3();
  private final FakeSlots slots = cluster.shard();

  @AfterEach
  void close() {
    cluster.close();
  }

  private static String id(String name) {
    return new ItemId("payments", name).encoded();
  }

  private String put(int replica, String name) {
    return cluster
        .at(replica)
        .demo
        .put("payments", name, dev.coxswain.view.Phase.DELAYED, 1, "boom");
  }

  private static String add(String name) {
    return "{\"namespace\":\"payments\",\"name\":\"" + name + "\",\"reason\":\"r\"}";
  }

  @Test
  void anItem_isReadFromItsOwnerAlone() {
    String id = put(1, "item-4");
    cluster.kill(2); // it must not be asked
    JsonNode item = cluster.at(0).get(Api.item(id)).ok(200);
    assertThat(item.path("replica").asText()).isEqualTo("coxswain-1");
    assertThat(item.path("partial").asBoolean(true)).isFalse();
    assertThat(states(item, "replicas")).containsExactly("coxswain-1 ok");
    assertThat(item.has("copies")).isFalse();
  }

  @Test
  void anItemThatItsOwnerDoesNotTrack_isNotFound_whoeverElseIsSilent() {
    cluster.kill(2);
    cluster.at(0).get(Api.item(id("item-1"))).problem(404, "item-not-found");
    cluster.at(0).get(Api.item(id("item-5"))).problem(503, "replica-unreachable");
  }

  @Test
  void anExplanation_namesOwnerSlotAndEpoch() {
    String id = put(1, "item-4");
    for (int asked = 0; asked < 3; asked++) {
      JsonNode why = cluster.at(asked).get(Api.item(id) + "/explain").ok(200);
      assertThat(why.path("replica").asText()).isEqualTo("coxswain-1");
      assertThat(why.path("slot").path("slot").asInt()).isEqualTo(4);
      assertThat(why.path("slot").path("epoch").asInt()).isEqualTo(14);
      assertThat(why.path("slot").path("owner").asText()).isEqualTo("coxswain-1");
      assertThat(why.path("message").asText())
          .isEqualTo("It failed and waits. Slot 4 is owned by coxswain-1 (epoch 14).");
    }
  }

  @Test
  void anExplanation_saysWhenTheSlotHasNoOwner() {
    slots.set(4, null);
    JsonNode free = cluster.at(0).get(Api.item(id("item-4")) + "/explain").ok(200);
    assertThat(free.path("reason").asText()).isEqualTo("noOwner");
    assertThat(free.path("slot").path("state").asText()).isEqualTo("free");
    assertThat(free.path("message").asText()).startsWith("Slot 4 has no owner (epoch 15).");
    slots.set(4, FakeSlots.owner(1));
    slots.end(1);
    JsonNode orphaned = cluster.at(0).get(Api.item(id("item-4")) + "/explain").ok(200);
    assertThat(orphaned.path("reason").asText()).isEqualTo("noOwner");
    assertThat(orphaned.path("slot").path("state").asText()).isEqualTo("orphaned");
    assertThat(orphaned.path("message").asText()).contains("coxswain-1 owned it and has ended");
  }

  @Test
  void anExplanationOfAReplicaWithoutTheSlot_saysSo() {
    JsonNode why = cluster.at(0).get(Api.item(id("item-4")) + "/explain?scope=local").ok(200);
    assertThat(why.path("reason").asText()).isEqualTo("notOwned");
    assertThat(why.path("message").asText()).startsWith("Slot 4 is owned by coxswain-1");
  }

  @Test
  void anExplanation_saysWhatTheSlotKeepsFromStarting() {
    String id = put(1, "item-4");
    slots.at(1).stages.put(4, Stage.CLOSING);
    JsonNode closing = cluster.at(0).get(Api.item(id) + "/explain").ok(200);
    assertThat(closing.path("conditions").toString()).contains("Slot 4 is being handed over");
    slots.at(1).phase = Phase.SUSPENDED;
    JsonNode suspended = cluster.at(0).get(Api.item(id) + "/explain").ok(200);
    assertThat(suspended.path("conditions").toString()).contains("write deadline of coxswain-1");
  }

  @Test
  void aLeadersExplanation_namesTheOwnerOfTheSlotOfItsName() {
    cluster.apis.forEach(api -> api.demo.ownership = Ownership.LEADER);
    cluster.at(0).directory.handles.clear();
    cluster.at(2).directory.handles.clear();
    int slot = slots.at(0).slotOfController("demo");
    slots.set(slot, FakeSlots.owner(1));
    String id = put(1, "any");
    JsonNode why = cluster.at(0).get(Api.item(id) + "/explain").ok(200);
    assertThat(why.path("slot").path("slot").asInt()).isEqualTo(slot);
    assertThat(why.path("slot").path("owner").asText()).isEqualTo("coxswain-1");
    JsonNode controller = cluster.at(2).get(Api.DEMO).ok(200);
    assertThat(controller.path("ownership").asText()).isEqualTo("leader");
    assertThat(controller.path("slot").path("owner").asText()).isEqualTo("coxswain-1");
    assertThat(controller.path("runningReplicas").asInt()).isEqualTo(1);
  }

  private void leads(int replica) {
    for (int i = 0; i < 3; i++) {
      cluster.at(i).demo.ownership = Ownership.LEADER;
      if (i != replica) {
        cluster.at(i).directory.handles.clear();
        cluster
            .at(i)
            .directory
            .idle
            .add(
                new IdleController(
                    "demo", IdlePhase.STANDBY, Instant.EPOCH, "coxswain-" + replica, true));
      }
    }
  }

  @Test
  void anItemOfALeader_isRequestedFromTheOwnerOfItsSlot() {
    leads(1);
    slots.set(slots.at(0).slotOfController("demo"), FakeSlots.owner(1));
    String id = put(1, "any");
    cluster.kill(2); // it must not be asked
    JsonNode item = cluster.at(0).get(Api.item(id)).ok(200);
    assertThat(item.path("partial").asBoolean(true)).isFalse();
    assertThat(states(item, "replicas")).containsExactly("coxswain-1 ok");
    cluster.at(0).get(Api.item(id("none"))).problem(404, "item-not-found");
    JsonNode json = cluster.at(0).post(Api.item(id) + "/retry", REASON).ok(200);
    assertThat(states(json, "results")).containsExactly("coxswain-1 done");
    assertThat(json.path("partial").asBoolean(true)).isFalse();
    cluster.at(0).post(Api.DEMO + "/items", add("more")).ok(201);
    assertThat(cluster.at(1).demo.size()).isEqualTo(2);
  }

  @Test
  void anItemOfALeaderThatItsSlotsOwnerDoesNotRun_isRequestedFromAll() {
    leads(1);
    slots.set(slots.at(0).slotOfController("demo"), FakeSlots.owner(2));
    String id = put(1, "any");
    JsonNode item = cluster.at(0).get(Api.item(id)).ok(200);
    assertThat(item.path("replica").asText()).isEqualTo("coxswain-1");
    cluster.at(0).post(Api.item(id) + "/retry", REASON).ok(200);
    cluster.at(1).directory.handles.clear();
    cluster.at(0).get(Api.item(id)).problem(503, "no-owner");
  }

  @Test
  void aWalk_saysThatSlotsHaveMoved() {
    for (int i = 0; i < 9; i++) {
      put(i % 3, "item-" + i);
    }
    JsonNode page = cluster.at(0).get(Api.DEMO + "/items?limit=2").ok(200);
    String next = Api.DEMO + "/items?limit=2&continue=" + page.path("continue").asText();
    assertThat(page.has("moved")).isFalse();
    slots.move(4, 2); // no owner has changed yet
    assertThat(cluster.at(1).get(next).ok(200).has("moved")).isFalse();
    slots.set(4, FakeSlots.owner(2));
    assertThat(cluster.at(1).get(next).ok(200).path("moved").asBoolean()).isTrue();
    assertThat(cluster.at(0).get(Api.DEMO + "/items?limit=2").ok(200).has("moved")).isFalse();
  }

  @Test
  void aChange_isSentToTheOwnerAlone() {
    cluster.kill(2);
    for (String action : ACTIONS) {
      String id = put(1, "item-1");
      String body = action.equals("requeue") ? "{\"delay\":\"1s\",\"reason\":\"r\"}" : REASON;
      JsonNode json = cluster.at(0).post(Api.item(id) + "/" + action, body).ok(200);
      assertThat(states(json, "results")).as(action).containsExactly("coxswain-1 done");
      assertThat(json.path("partial").asBoolean(true)).isFalse();
    }
    assertThat(cluster.at(0).change("DELETE", Api.item(id("item-1")), REASON).status())
        .isEqualTo(204);
    assertThat(cluster.at(1).demo.size()).isZero();
    assertThat(cluster.at(0).demo.changes.get()).isZero();
  }

  @Test
  void aKeyThatIsAddedAnywhere_isAddedAtTheOwner() {
    for (int asked = 0; asked < 3; asked++) {
      String name = "new-" + asked + "-7";
      var answer = cluster.at(asked).post(Api.DEMO + "/items", add(name));
      JsonNode json = answer.ok(201);
      assertThat(states(json, "results")).containsExactly("coxswain-1 done");
      assertThat(answer.header("Location")).isEqualTo(Api.item(id(name)));
    }
    assertThat(
            cluster
                .at(0)
                .get("/api/v1/audit?action=enqueue")
                .ok(200)
                .path("items")
                .findValuesAsText("item"))
        .as("records of both replicas of the first and the third, and of one of the second")
        .hasSize(10);
    assertThat(cluster.at(1).demo.size()).isEqualTo(3);
    assertThat(cluster.at(0).demo.size() + cluster.at(2).demo.size()).isZero();
  }

  @Test
  void aReplicaThatIsNamed_refusesKeysOfOthers_andNamesTheOwner() {
    String body = add("item-4");
    for (String query : List.of("?replica=coxswain-2", "?replica=coxswain-0", "?scope=local")) {
      JsonNode problem =
          cluster.at(0).post(Api.DEMO + "/items" + query, body).problem(409, "not-owner");
      assertThat(problem.path("slot").path("owner").asText()).isEqualTo("coxswain-1");
      assertThat(problem.path("detail").asText()).contains("slot 4, which is owned by coxswain-1");
    }
    cluster
        .at(0)
        .post(Api.item(id("item-4")) + "/retry?scope=local", REASON)
        .problem(409, "not-owner");
    cluster.at(0).get(Api.item(id("item-4")) + "?scope=local").problem(409, "not-owner");
    cluster.apis.forEach(api -> assertThat(api.demo.size()).isZero());
  }

  @Test
  void aSlotWithoutAnOwner_isRefused_untilItHasOne() {
    slots.set(4, null);
    JsonNode problem =
        cluster.at(0).post(Api.DEMO + "/items", add("item-4")).problem(503, "no-owner");
    assertThat(problem.path("slot").path("slot").asInt()).isEqualTo(4);
    var read = cluster.at(2).get(Api.item(id("item-4")));
    read.problem(503, "no-owner");
    assertThat(read.header("Retry-After")).isEqualTo("1");
    slots.at(0).forget();
    JsonNode unread = cluster.at(0).get(Api.item(id("item-4"))).problem(503, "no-owner");
    assertThat(unread.path("detail").asText()).contains("has not read the slot map");
    slots.set(4, FakeSlots.owner(2));
    cluster.at(1).post(Api.DEMO + "/items", add("item-4")).ok(201);
    assertThat(cluster.at(2).demo.size()).isEqualTo(1);
  }

  @Test
  void whileASlotMoves_ownerAndTargetAreAsked() {
    String id = put(1, "item-4");
    slots.move(4, 2);
    JsonNode item = cluster.at(0).get(Api.item(id)).ok(200);
    assertThat(item.path("replica").asText()).isEqualTo("coxswain-1");
    assertThat(states(item, "replicas"))
        .as("the target awaits it")
        .containsExactly("coxswain-1 ok");
    JsonNode why = cluster.at(0).get(Api.item(id) + "/explain").ok(200);
    assertThat(why.path("message").asText())
        .contains("Slot 4 moves from coxswain-1 to coxswain-2 (epoch 14).");
    JsonNode added = cluster.at(0).post(Api.DEMO + "/items", add("other-4")).ok(200);
    assertThat(states(added, "results")).containsExactly("coxswain-1 done", "coxswain-2 done");
  }

  @Test
  void aTargetThatAwaitsTheSlot_doesNotAnswerForASilentOwner() {
    slots.move(4, 2);
    cluster.kill(1);
    for (int asked : List.of(0, 2)) {
      assertThat(cluster.at(asked).get(Api.item(id("item-4")) + "/explain").status())
          .isEqualTo(503);
      assertThat(cluster.at(asked).get(Api.item(id("item-4"))).status()).isEqualTo(503);
    }
    put(2, "item-4"); // an event that has come to the target already
    cluster.at(0).get(Api.item(id("item-4")) + "/explain").ok(200);
  }

  @Test
  void aTargetThatAwaitsTheSlotOfADeadOwner_saysThatItMoves() {
    slots.move(4, 2);
    cluster.kill(1);
    slots.end(1);
    cluster.loseLease(1);
    cluster.at(0).get(Api.item(id("item-4")) + "/explain").problem(503, "no-owner");
    JsonNode local = cluster.at(2).get(Api.item(id("item-4")) + "/explain?scope=local").ok(200);
    assertThat(local.path("reason").asText()).isEqualTo("noOwner");
    assertThat(local.path("message").asText())
        .startsWith("Slot 4 has no live owner: coxswain-1 owned it and has ended")
        .endsWith("It is reconciled when a replica has taken the slot over.");
  }

  @Test
  void aTargetThatIsNotReady_doesNotMakeTheAnswerPartial() {
    slots.move(4, 2);
    slots.at(2).closed.add(4);
    JsonNode added = cluster.at(0).post(Api.DEMO + "/items", add("item-4")).ok(201);
    assertThat(states(added, "results")).containsExactly("coxswain-1 done");
    assertThat(added.path("partial").asBoolean(true)).isFalse();
    assertThat(cluster.at(2).demo.size()).isZero();
  }

  @Test
  void anOlderSlotMap_costsOneMoreRequest() {
    slots.at(0).freeze();
    slots.set(4, FakeSlots.owner(2));
    String id = put(2, "item-4");
    assertThat(cluster.at(0).get(Api.item(id)).ok(200).path("replica").asText())
        .isEqualTo("coxswain-2");
    assertThat(cluster.at(0).get(Api.item(id) + "/explain").ok(200).path("replica").asText())
        .isEqualTo("coxswain-2");
    JsonNode retried = cluster.at(0).post(Api.item(id) + "/retry", REASON).ok(200);
    assertThat(states(retried, "results")).containsExactly("coxswain-2 done");
    cluster.at(0).post(Api.DEMO + "/items", add("more-4")).ok(201);
    assertThat(cluster.at(2).demo.size()).isEqualTo(2);
    // Nor does the replica itself, when it has just lost the slot.
    slots.at(2).closed.add(4);
    cluster.at(0).get(Api.item(id("none-4"))).problem(503, "no-owner");
    cluster.at(0).post(Api.DEMO + "/items", add("last-4")).problem(503, "no-owner");
  }

  @Test
  void listsAndCounts_areOfAllReplicas() {
    put(0, "item-0");
    put(1, "item-1");
    put(2, "item-2");
    JsonNode page = cluster.at(1).get(Api.DEMO + "/items").ok(200);
    assertThat(page.path("items")).hasSize(3);
    JsonNode demo = cluster.at(1).get(Api.DEMO).ok(200);
    assertThat(demo.path("ownership").asText()).isEqualTo("sharded");
    assertThat(demo.path("runningReplicas").asInt()).isEqualTo(3);
    assertThat(demo.path("total").asInt()).isEqualTo(3);
    assertThat(demo.has("slot")).isFalse();
  }

  @Test
  void aReplicaThatCouldNotStartTheController_asksAll() {
    cluster.at(0).directory.handles.clear();
    String id = put(1, "item-4");
    assertThat(cluster.at(0).get(Api.item(id)).ok(200).path("replica").asText())
        .isEqualTo("coxswain-1");
    cluster.at(0).post(Api.DEMO + "/items", add("more-4")).ok(201);
    assertThat(cluster.at(1).demo.size()).isEqualTo(2);
    assertThat(cluster.at(2).demo.size()).isZero();
  }

  @Test
  void anOwnerThatIsSilent_isNotReplacedByAnother() {
    cluster.at(1).demo.mood = FakeController.Mood.SILENT;
    JsonNode problem =
        cluster.at(0).get(Api.item(id("item-4"))).problem(503, "replica-unreachable");
    assertThat(states(problem, "replicas")).containsExactly("coxswain-1 timeout");
  }
}
