// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.spi.PauseStore.Pause;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A caller restores a state with an undo only, and never a pause in the name of another caller alone. */
class ForgedUndoTest {

  private static final String UNDO =
      "\"undo\":{\"requestId\":\"a\",\"parts\":[{\"restored\":{\"reason\":\"INC-9\",\"by\":\"alice\","
          + "\"since\":\"2020-01-01T00:00:00Z\"}}]}";
  private static final String FORGED = "{\"reason\":\"r\"," + UNDO + "}";
  private static final String WHY = "{\"reason\":\"INC-1\"}";
  private static final String LIMITER = "/api/v1/limiters/vendor/override";

  private final Cluster3 cluster = new Cluster3();
  private final SharedState shared = new SharedState(cluster.apis);

  @BeforeEach
  void share() {
    shared.share();
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void aClient_cannotRestoreAState_onWhicheverReplica() {
    cluster.at(0).directory.handles.clear(); // forwards
    String limit = "{\"reason\":\"r\",\"rate\":5,\"ttl\":\"1h\"," + UNDO + "}";
    String scale = "{\"reason\":\"r\",\"maxConcurrent\":5," + UNDO + "}";
    for (int replica : new int[] {0, 1}) {
      for (String query : List.of("", "?replica=coxswain-1", "?replica=coxswain-2")) {
        List<Api.Answer> answers =
            List.of(
                send(replica, "POST", Api.DEMO + "/pause" + query, FORGED),
                send(replica, "POST", Api.DEMO + "/resume" + query, FORGED),
                send(replica, "PATCH", Api.DEMO + query, scale),
                send(replica, "PUT", LIMITER + query, limit),
                send(replica, "DELETE", LIMITER + query, FORGED),
                send(replica, "POST", "/api/v1/replicas/coxswain-1/drain", FORGED));
        for (Api.Answer answer : answers) {
          assertThat(answer.problem(400, "invalid-body").path("detail").asText())
              .contains("field \"undo\" is unknown");
        }
      }
    }
    assertThat(shared.of("demo")).isNull();
    assertThat(cluster.at(1).get("/api/v1/changes").ok(200).path("items")).isEmpty();
  }

  private Api.Answer send(int replica, String method, String path, String body) {
    return cluster.at(replica).change(method, path, body);
  }

  @Test
  void aClient_cannotMakeADryRunOfAChange_soItIsRecordedBeforeItIsSent() {
    cluster.at(0).directory.handles.clear();
    String dry = "{\"reason\":\"r\",\"dryRun\":true}";
    cluster.at(0).post(Api.DEMO + "/pause", dry).problem(400, "invalid-body");
    assertThat(
            cluster
                .at(0)
                .get("/api/v1/audit?scope=local")
                .ok(200)
                .path("items")
                .findValuesAsText("stage"))
        .containsExactly("outcome", "intent");
  }

  /** Sends what a replica sends to another one. */
  private int asReplica(String path, String body) {
    return cluster
        .at(1)
        .open(
            cluster
                .at(1)
                .request("/peer/v1" + path.substring("/api/v1".length()))
                .header("Content-Type", "application/json")
                .header("Coxswain-Peer", "1")
                .POST(BodyPublishers.ofString(body)))
        .statusCode();
  }

  @Test
  void aPauseThatACallerRestores_isInItsName_alsoFromWhatOneReplicaSendsToAnother() {
    assertThat(asReplica(Api.DEMO + "/pause", FORGED)).isEqualTo(200);
    assertThat(actor()).isEqualTo("anonymous, restoring alice");
    String change = cluster.at(2).get("/api/v1/audit").ok(200).at("/items/0/change").asText();
    assertThat(change).contains("\"by\":\"anonymous, restoring alice\"");
  }

  @Test
  void theUndoOfAnUndo_findsWhatTheUndoHasStored() {
    Pause old = new Pause("INC-0", "alice", Instant.EPOCH, null);
    shared.put("demo", old);
    String undone = undo(id(cluster.at(0).post(Api.DEMO + "/resume", WHY)));
    assertThat(shared.of("demo"))
        .isEqualTo(new Pause("INC-0", "anonymous, restoring alice", Instant.EPOCH, null));
    String redone = undo(undone);
    assertThat(shared.of("demo")).isNull();
    undo(redone);
    assertThat(actor()).isEqualTo("anonymous, restoring alice");
  }

  @Test
  void aMalformedUndoOfAReplica_isRefused() {
    for (String undo :
        List.of(
            "null",
            "{}",
            "{\"requestId\":\"a\"}",
            "{\"requestId\":\"a\",\"parts\":[null]}",
            "{\"requestId\":\"a\",\"parts\":[]}",
            "{\"requestId\":\"a\",\"parts\":[{\"restored\":{\"reason\":\"x\"}}]}")) {
      assertThat(asReplica(Api.DEMO + "/pause", "{\"reason\":\"r\",\"undo\":" + undo + "}"))
          .as(undo)
          .isEqualTo(400);
    }
    assertThat(shared.of("demo")).isNull();
  }

  private String undo(String id) {
    return id(cluster.at(1).post("/api/v1/changes/" + id + "/undo", WHY));
  }

  private static String id(Api.Answer answer) {
    answer.ok(200);
    return answer.header("X-Request-Id");
  }

  private String actor() {
    return Objects.requireNonNull(shared.of("demo")).actor();
  }
}
