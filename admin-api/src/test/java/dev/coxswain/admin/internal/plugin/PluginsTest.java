// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.FakePlugins;
import dev.coxswain.admin.spi.PluginDirectory.Action;
import dev.coxswain.admin.spi.PluginDirectory.Phase;
import dev.coxswain.admin.spi.PluginDirectory.Result;
import io.vertx.core.Promise;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Plug-ins of three replicas over real HTTP: two have the plug-in, the third has no folder. */
class PluginsTest {

  private static final String REASON = "{\"reason\":\"new release\"}";
  private static final String COPIER = "/api/v1/plugins/copier";

  private final Cluster3 cluster = new Cluster3();
  private final FakePlugins first = new FakePlugins();
  private final FakePlugins second = new FakePlugins();

  PluginsTest() {
    cluster.at(0).directory.plugins = first;
    cluster.at(1).directory.plugins = second;
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void theList_hasThePluginOfEachReplica_andTheFolders() {
    second.phase = Phase.FAILED;
    second.error = "no controller found";
    second.problem = "no folder";
    for (int asked = 0; asked < 3; asked++) {
      JsonNode json = cluster.at(asked).get("/api/v1/plugins").ok(200);
      assertThat(json.path("kind").asText()).isEqualTo("PluginList");
      assertThat(json.path("items")).hasSize(2);
      assertThat(json.at("/items/0/replica").asText()).isEqualTo("coxswain-0");
      assertThat(json.at("/items/0/phase").asText()).isEqualTo("running");
      assertThat(json.at("/items/0/controllers/1").asText()).isEqualTo("copier-two");
      assertThat(json.at("/items/1/replica").asText()).isEqualTo("coxswain-1");
      assertThat(json.at("/items/1/error").asText()).isEqualTo("no controller found");
      assertThat(json.path("folders")).hasSize(3);
      assertThat(json.at("/folders/1/problem").asText()).isEqualTo("no folder");
      assertThat(json.at("/folders/2/enabled").asBoolean(true)).isFalse();
      assertThat(json.path("partial").asBoolean(true)).isFalse();
    }
    assertThat(cluster.at(0).get("/api/v1/plugins?replica=coxswain-1").ok(200).path("items"))
        .hasSize(1);
  }

  @Test
  void onePlugin_hasThoseOfTheOtherReplicasAsCopies() {
    JsonNode json = cluster.at(2).get(COPIER).ok(200);
    assertThat(json.path("replica").asText()).isEqualTo("coxswain-0");
    assertThat(json.at("/copies/0/replica").asText()).isEqualTo("coxswain-1");
    cluster.at(0).get("/api/v1/plugins/other").problem(404, "plugin-not-found");
    cluster.at(2).get(COPIER + "?scope=local").problem(404, "plugin-not-found");
  }

  @Test
  void anAction_isDoneOnEveryReplicaThatHasIt_andRecordedThere() {
    for (Action action : Action.values()) {
      JsonNode json = cluster.at(2).post(COPIER + "/" + action.label(), REASON).ok(200);
      assertThat(json.path("kind").asText()).isEqualTo("PluginResult");
      assertThat(json.path("result").asText()).isEqualTo("applied");
      assertThat(json.path("ended").asBoolean()).isTrue();
      assertThat(json.path("results")).hasSize(2);
    }
    assertThat(first.begun).containsExactly(Action.values());
    assertThat(second.begun).containsExactly(Action.values());
    cluster.at(0).post(COPIER + "/redeploy?replica=coxswain-1", REASON).ok(200);
    assertThat(first.begun).hasSize(3);
    assertThat(second.begun).hasSize(4);
    String change = "-plugin {\"plugin\":\"copier\"} new release";
    for (int replica = 0; replica < 3; replica++) {
      assertThat(cluster.audit(replica, "stage", "action", "change", "reason"))
          .contains("intent deploy" + change, "intent stop" + change, "intent redeploy" + change);
    }
  }

  @Test
  void anActionThatGoesOn_isAnsweredWithItsPhase() {
    first.end = Promise.<Void>promise().future();
    first.phase = Phase.STOPPING;
    JsonNode json = cluster.at(0).post(COPIER + "/stop?scope=local", REASON).ok(200);
    assertThat(json.path("ended").asBoolean(true)).isFalse();
    assertThat(json.path("phase").asText()).isEqualTo("stopping");
  }

  @Test
  void anActionThatIsNotNeeded_isSkipped_andOneBesideAnother_isRefused() {
    first.result = Result.SKIPPED;
    JsonNode json = cluster.at(0).post(COPIER + "/deploy?scope=local", REASON).ok(200);
    assertThat(json.path("result").asText()).isEqualTo("skipped");
    first.result = Result.BUSY;
    cluster.at(0).post(COPIER + "/deploy?scope=local", REASON).problem(409, "plugin-busy");
  }

  @Test
  void aBadRequest_changesNothing() {
    cluster.at(0).post(COPIER + "/stop", "{}").problem(400, "invalid-body");
    cluster
        .at(0)
        .post(COPIER + "/stop", "{\"reason\":\"x\",\"force\":true}")
        .problem(400, "invalid-body");
    cluster.at(0).post(COPIER + "/stop?force=1", REASON).problem(400, "invalid-query");
    cluster.at(2).post("/api/v1/plugins/other/stop", REASON).problem(404, "plugin-not-found");
    cluster.at(2).post(COPIER + "/stop?scope=local", REASON).problem(404, "plugin-not-found");
    assertThat(first.begun).isEmpty();
    assertThat(second.begun).isEmpty();
  }
}
