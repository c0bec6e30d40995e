// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.ControllerStatus;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * While the sources of a new owner had not delivered all objects, its lists were empty or short and
 * {@code partial: false}, so that an unfinished queue looked like an empty one.
 */
@Timeout(120)
class SyncingControllersTest {

  private static final String ITEMS = Api.DEMO + "/items";
  private static final String ID = new ItemId("payments", "x").encoded();

  private final Cluster3 cluster = new Cluster3();

  /** Replica 1 is the owner and receives its objects; the others do not run the controller. */
  @BeforeEach
  void theOwnerSyncs() {
    for (int replica : List.of(0, 2)) {
      cluster.at(replica).directory.handles.clear();
    }
    cluster.at(1).demo.state = ControllerStatus.State.SYNCING;
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private static void isSyncing(JsonNode answer) {
    assertThat(answer.path("partial").asBoolean()).describedAs("%s", answer).isTrue();
    List<String> errors = new ArrayList<>();
    for (JsonNode one : answer.path("replicas")) {
      boolean syncs = one.path("replica").asText().equals("coxswain-1");
      assertThat(one.path("state").asText()).isEqualTo(syncs ? "syncing" : "ok");
      if (syncs) {
        errors.add(one.path("error").asText());
      }
    }
    assertThat(errors).singleElement().asString().contains("has not received all objects");
    assertThat(answer.has("syncing")).isFalse();
  }

  private static void isWhole(JsonNode answer) {
    assertThat(answer.path("partial").asBoolean(true)).describedAs("%s", answer).isFalse();
    assertThat(answer.path("replicas").findValuesAsText("state")).containsOnly("ok");
  }

  @Test
  void itemsOfASyncingController_arePartial_throughEveryReplica_untilItRuns() {
    for (int asked = 0; asked < 3; asked++) {
      isSyncing(cluster.at(asked).get(ITEMS).ok(200));
      isSyncing(cluster.at(asked).get(ITEMS + "?replica=coxswain-1").ok(200));
    }
    isSyncing(cluster.at(1).get(ITEMS + "?scope=local").ok(200));
    cluster.at(1).demo.state = ControllerStatus.State.RUNNING;
    for (int asked = 0; asked < 3; asked++) {
      isWhole(cluster.at(asked).get(ITEMS).ok(200));
    }
  }

  @Test
  void everyPageOfASyncingController_isPartial() {
    for (int i = 0; i < 3; i++) {
      cluster.at(1).demo.put("payments", "more" + i, Phase.READY, 0, null);
    }
    JsonNode page = cluster.at(0).get(ITEMS + "?limit=1").ok(200);
    isSyncing(page);
    JsonNode next =
        cluster.at(2).get(ITEMS + "?limit=1&continue=" + page.path("continue").asText()).ok(200);
    assertThat(next.path("items")).hasSize(1);
    isSyncing(next);
  }

  @Test
  void countsOfASyncingController_arePartial() {
    for (int asked = 0; asked < 3; asked++) {
      isSyncing(cluster.at(asked).get(Api.DEMO).ok(200));
      isSyncing(cluster.at(asked).get("/api/v1/controllers").ok(200));
    }
    JsonNode preview =
        cluster
            .at(0)
            .post(
                Api.DEMO + "/operations",
                "{\"action\":\"flush\",\"dryRun\":true,\"then\":\"none\",\"selector\":{\"failing\":true},\"reason\":\"r\"}")
            .ok(200);
    isSyncing(preview);
  }

  @Test
  void itemsOfAControllerThatHasNotSyncedInTime_arePartial_itsStateSaysWhy() {
    cluster.at(1).demo.state = ControllerStatus.State.NOT_SYNCED;
    cluster
        .at(1)
        .demo
        .conditions
        .raise(ConditionType.SYNC_TIMED_OUT, "did not sync within 2m: source \"x\" (403)");
    for (int asked = 0; asked < 3; asked++) {
      isSyncing(cluster.at(asked).get(ITEMS).ok(200));
      JsonNode shown = cluster.at(asked).get(Api.DEMO).ok(200);
      isWhole(shown);
      assertThat(shown.path("state").asText()).isEqualTo("failed");
      assertThat(shown.path("error").asText()).startsWith("did not sync within 2m");
      assertThat(shown.path("counts")).isNotEmpty();
      isWhole(cluster.at(asked).get("/api/v1/controllers").ok(200));
    }
  }

  @Test
  void anItemThatASyncingControllerDoesNotHave_isExplainedPartially_andItsAbsenceSaysWhy() {
    String address = ITEMS + "/" + ID;
    for (int asked = 0; asked < 3; asked++) {
      isSyncing(cluster.at(asked).get(address + "/explain").ok(200));
      assertThat(
              cluster.at(asked).get(address).problem(404, "item-not-found").path("detail").asText())
          .contains("has not received all objects");
    }
    cluster.at(1).demo.state = ControllerStatus.State.RUNNING;
    isWhole(cluster.at(0).get(address + "/explain").ok(200));
    assertThat(cluster.at(0).get(address).problem(404, "item-not-found").path("detail").asText())
        .doesNotContain("has not received all objects");
  }
}
