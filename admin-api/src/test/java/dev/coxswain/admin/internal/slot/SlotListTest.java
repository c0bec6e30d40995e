// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.FakeSlots;
import dev.coxswain.admin.spi.SlotDirectory.Phase;
import dev.coxswain.admin.spi.SlotDirectory.Stage;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The slot map, with what each replica makes of it. The slots are {@link FakeSlots}. */
class SlotListTest {

  private static final String SLOTS = "/api/v1/slots";

  private final Cluster3 cluster = new Cluster3();
  private final FakeSlots slots = cluster.shard();

  @AfterEach
  void close() {
    cluster.close();
  }

  private JsonNode list(String query) {
    return cluster.at(0).get(SLOTS + query).ok(200);
  }

  private static List<String> numbers(JsonNode list) {
    return list.path("items").findValuesAsText("slot");
  }

  @Test
  void allSlots_areListedByNumber_withOwnersAndEpochs() {
    JsonNode list = list("");
    assertThat(list.path("count").asInt()).isEqualTo(FakeSlots.COUNT);
    assertThat(list.path("uid").asText()).isEqualTo("uid-1");
    assertThat(list.path("partial").asBoolean(true)).isFalse();
    assertThat(numbers(list)).containsExactly("0", "1", "2", "3", "4", "5", "6", "7");
    JsonNode four = list.path("items").path(4);
    assertThat(four.path("owner").asText()).isEqualTo("coxswain-1");
    assertThat(four.path("ownerIdentity").asText()).isEqualTo("coxswain-1_1");
    assertThat(four.path("epoch").asInt()).isEqualTo(14);
    assertThat(four.path("state").asText()).isEqualTo("owned");
    assertThat(four.has("stage")).isFalse();
    assertThat(list.path("shares").findValuesAsText("slots")).containsExactly("3", "3", "2");
    assertThat(list.path("shares").findValuesAsText("open")).containsExactly("3", "3", "2");
    assertThat(list.path("shares").findValuesAsText("phase"))
        .containsExactly("holding", "holding", "holding");
  }

  @Test
  void aMove_isShownWithTheStagesOfBoth() {
    slots.move(4, 2);
    slots.at(1).stages.put(4, Stage.CLOSING);
    JsonNode list = list("?state=draining");
    assertThat(numbers(list)).containsExactly("4");
    JsonNode move = list.path("items").path(0);
    assertThat(move.path("target").asText()).isEqualTo("coxswain-2");
    assertThat(move.path("stage").asText()).isEqualTo("closing");
    assertThat(move.path("targetStage").asText()).isEqualTo("incoming");
    assertThat(list.path("counts").path("draining").asInt()).isEqualTo(1);
    assertThat(list.path("counts").path("owned").asInt()).isEqualTo(7);
    assertThat(list.path("shares").path(2).path("incoming").asInt()).isEqualTo(1);
  }

  @Test
  void filtersAndPages_selectSlots() {
    slots.set(2, null);
    slots.end(2);
    assertThat(numbers(list("?owner=coxswain-1"))).containsExactly("1", "4", "7");
    assertThat(numbers(list("?state=free"))).containsExactly("2");
    assertThat(numbers(list("?state=orphaned,free"))).containsExactly("2", "5");
    JsonNode orphan = list("?state=orphaned").path("shares").path(2);
    assertThat(orphan.path("live").asBoolean(true)).isFalse();
    assertThat(orphan.path("slots").asInt()).isEqualTo(1);
    assertThat(orphan.has("weight")).isFalse();
    JsonNode first = list("?owner=coxswain-1&limit=2");
    assertThat(numbers(first)).containsExactly("1", "4");
    assertThat(first.path("continue").asText()).isEqualTo("7");
    JsonNode last = list("?owner=coxswain-1&limit=2&continue=7");
    assertThat(numbers(last)).containsExactly("7");
    assertThat(last.has("continue")).isFalse();
    for (String query : List.of("?state=lost", "?limit=0", "?continue=x", "?more=1")) {
      cluster.at(0).get(SLOTS + query).problem(400, "invalid-query");
    }
  }

  @Test
  void aReplicaThatDoesNotAnswer_isNamed_andTheMapIsShown() {
    slots.at(1).phase = Phase.SUSPENDED;
    slots.at(1).problem = "the slot map has an older copy";
    cluster.kill(2);
    JsonNode list = list("");
    assertThat(list.path("partial").asBoolean()).isTrue();
    assertThat(numbers(list)).hasSize(FakeSlots.COUNT);
    assertThat(list.path("shares").path(1).path("phase").asText()).isEqualTo("suspended");
    assertThat(list.path("shares").path(1).path("problem").asText()).contains("older copy");
    assertThat(list.path("shares").path(2).has("phase")).isFalse();
    assertThat(list("?scope=local").path("partial").asBoolean(true)).isFalse();
  }

  @Test
  void aMapThatHasNotBeenRead_isEmpty_andAHostWithoutSlotsHasNone() {
    slots.at(0).forget();
    JsonNode list = list("");
    assertThat(list.path("count").asInt()).isZero();
    assertThat(list.path("uid").asText()).isEmpty();
    cluster.apis.forEach(api -> api.directory.slots = null);
    cluster.at(0).get(SLOTS).problem(404, "slots-not-used");
  }

  @Test
  void replicas_showTheirShare() {
    slots.live(1, 0);
    JsonNode items = cluster.at(0).get("/api/v1/replicas").ok(200).path("items");
    assertThat(items.findValuesAsText("slots")).containsExactly("3", "3", "2");
    assertThat(items.findValuesAsText("weight")).containsExactly("1", "0", "1");
    assertThat(items.findValuesAsText("drained")).containsExactly("false", "true", "false");
    assertThat(items.findValuesAsText("leaving")).containsExactly("false", "false", "false");
  }
}
