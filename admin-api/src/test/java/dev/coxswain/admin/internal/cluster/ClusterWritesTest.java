// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import static dev.coxswain.admin.Cluster3.states;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.json.Json;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A change is made where it belongs, through whichever replica it is sent. */
class ClusterWritesTest {

  private static final String REASON = "{\"reason\":\"INC-1\"}";

  private final Cluster3 cluster = new Cluster3();

  @AfterEach
  void close() {
    cluster.close();
  }

  private String put(int replica, String name) {
    return cluster.at(replica).demo.put("payments", name, Phase.DELAYED, 1, "boom");
  }

  private Phase phase(int replica, String id) {
    var item = cluster.at(replica).demo.at(id);
    return item == null ? Phase.IN_FLIGHT : item.phase();
  }

  private List<String> audit(int replica, String requestId) {
    List<String> stages = new ArrayList<>();
    cluster
        .at(replica)
        .get("/api/v1/audit?scope=local")
        .ok(200)
        .path("items")
        .forEach(record -> {
          if (record.path("requestId").asText().equals(requestId)) {
            stages.add(record.path("stage").asText());
          }
        });
    return stages;
  }

  @Test
  void anAction_isDoneByTheReplicaThatTracksTheItem_andRecordedByBoth() {
    String id = put(2, "a");
    var answer = cluster.at(0).post(Api.item(id) + "/retry", REASON, "X-Request-Id", "request-1");
    JsonNode json = answer.ok(200);
    assertThat(json.path("result").asText()).isEqualTo("applied");
    assertThat(json.path("replica").asText()).isEqualTo("coxswain-2");
    assertThat(json.path("partial").asBoolean(true)).isFalse();
    assertThat(states(json, "results")).containsExactly("coxswain-2 done");
    assertThat(answer.header("ETag"))
        .isEqualTo("\"" + json.path("item").path("rev").asText() + "\"");
    assertThat(phase(2, id)).isEqualTo(Phase.READY);
    for (int replica : new int[] {0, 2}) {
      assertThat(audit(replica, "request-1")).containsExactlyInAnyOrder("intent", "outcome");
    }
    assertThat(audit(1, "request-1")).isEmpty();
  }

  /** Sends what a replica sends to another one, which the OpenAPI document says nothing of. */
  private JsonNode sentByAReplica(String path, String... headers) {
    HttpRequest.Builder request =
        cluster
            .at(0)
            .request("/peer/v1" + path.substring("/api/v1".length()))
            .header("Content-Type", "application/json")
            .header("Coxswain-Peer", "1")
            .headers(headers)
            .POST(HttpRequest.BodyPublishers.ofString(REASON));
    try (InputStream body = cluster.at(0).open(request).body()) {
      return Objects.requireNonNull(Json.read(body.readAllBytes()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void theQuestionWhetherAReplicaIsConcerned_takesNoIdempotencyKey_soTheChangeIsMadeUnderIt() {
    String id = put(0, "a");
    String[] key = {ApiHeaders.IDEMPOTENCY_KEY, "k-1"};
    String[] find = {ApiHeaders.IDEMPOTENCY_KEY, "k-1", ApiHeaders.FIND, "1"};
    assertThat(sentByAReplica(Api.item(id) + "/retry", find).path("kind").asText())
        .isEqualTo("Here");
    assertThat(phase(0, id)).isEqualTo(Phase.DELAYED);
    JsonNode made = sentByAReplica(Api.item(id) + "/retry", key);
    assertThat(made.path("result").asText()).as(made.toString()).isEqualTo("applied");
    assertThat(phase(0, id)).isEqualTo(Phase.READY);
    // Nor is the answer to a change the answer to a question.
    assertThat(sentByAReplica(Api.item(id) + "/retry", find).path("kind").asText())
        .isEqualTo("Here");
  }

  @Test
  void theRevisionIsCheckedWhereTheItemIs() {
    String id = put(1, "a");
    String url = Api.item(id) + "/forget";
    JsonNode problem =
        cluster.at(0).post(url, REASON, "If-Match", "\"77\"").problem(412, "item-changed");
    assertThat(problem.path("current").path("rev").asText()).isEqualTo("10");
    assertThat(states(problem, "results")).containsExactly("coxswain-1 failed");
    cluster.at(0).post(url, REASON, "If-Match", "\"10\"").ok(200);
  }

  @Test
  void anItemThatSeveralTrack_isChangedAtAll_orAtTheOneThatIsNamed() {
    String id = put(1, "a");
    put(2, "a");
    String url = Api.item(id) + "/retry";
    cluster.at(0).post(url, REASON, "If-Match", "\"10\"").problem(400, "invalid-query");
    cluster.at(0).post(url + "?replica=coxswain-2", REASON, "If-Match", "\"10\"").ok(200);
    assertThat(phase(1, id)).isEqualTo(Phase.DELAYED);
    JsonNode json = cluster.at(0).post(url, REASON).ok(200);
    assertThat(states(json, "results")).containsExactly("coxswain-1 done", "coxswain-2 skipped");
    assertThat(json.path("result").asText()).isEqualTo("applied");
    assertThat(phase(1, id)).isEqualTo(Phase.READY);
  }

  @Test
  void aDrop_hasNothingToTell_unlessSomebodyCouldNotBeAsked() {
    String first = put(1, "a");
    String second = put(1, "b");
    assertThat(cluster.at(0).change("DELETE", Api.item(first), REASON).status()).isEqualTo(204);
    cluster.kill(2);
    JsonNode json = cluster.at(0).change("DELETE", Api.item(second), REASON).ok(200);
    assertThat(json.path("partial").asBoolean()).isTrue();
    assertThat(states(json, "results")).containsExactly("coxswain-1 done", "coxswain-2 not-sent");
    assertThat(cluster.at(1).demo.size()).isZero();
  }

  /** The answer had no kind, so clients could not tell what it was. */
  @Test
  void aDropAtSeveralReplicas_isAnsweredAsAnActionResult() {
    String id = put(1, "a");
    put(2, "a");
    JsonNode json = cluster.at(0).change("DELETE", Api.item(id), REASON).ok(200);
    assertThat(json.path("kind").asText()).isEqualTo("ActionResult");
    assertThat(json.path("action").asText()).isEqualTo("drop");
    assertThat(json.path("result").asText()).isEqualTo("applied");
    assertThat(states(json, "results")).containsExactly("coxswain-1 done", "coxswain-2 done");
  }

  @Test
  void aReplicaThatDoesNotAnswer_mayHaveDoneIt_andNothingIsSentTwice() {
    String id = put(1, "a");
    cluster.at(1).demo.silentActions = true;
    JsonNode problem =
        cluster.at(0).post(Api.item(id) + "/retry", REASON).problem(503, "outcome-unknown");
    assertThat(states(problem, "results")).containsExactly("coxswain-1 unknown");
    assertThat(cluster.at(1).demo.unanswered.get()).isEqualTo(1);
  }

  @Test
  void whatOnlyAReplicaThatIsGoneMayTrack_isNotFoundNorDone() {
    cluster.kill(1);
    String id = new ItemId("payments", "a").encoded();
    cluster.at(0).post(Api.item(id) + "/retry", REASON).problem(503, "replica-unreachable");
  }

  @Test
  void theSameKey_isDoneOnce_throughWhicheverReplicaItIsSent() {
    cluster.at(0).directory.handles.clear();
    cluster.at(1).directory.handles.clear();
    String id = put(2, "a");
    String url = Api.item(id) + "/forget";
    cluster.at(0).post(url, REASON, "Idempotency-Key", "k").ok(200);
    var again = cluster.at(1).post(url, REASON, "Idempotency-Key", "k");
    again.ok(200);
    var direct = cluster.at(2).post(url, REASON, "Idempotency-Key", "k");
    direct.ok(200);
    assertThat(direct.header("Idempotency-Replayed")).isEqualTo("true");
    assertThat(cluster.at(2).demo.changes.get()).isEqualTo(1);
    cluster
        .at(2)
        .post(url, "{\"reason\":\"other\"}", "Idempotency-Key", "k")
        .problem(422, "idempotency-key-reused");
  }

  @Test
  void aRequest_isAddedWhereTheControllerRuns() {
    cluster.at(0).directory.handles.clear();
    cluster.at(1).directory.handles.clear();
    var answer =
        cluster
            .at(0)
            .post(Api.DEMO + "/items", "{\"namespace\":\"x\",\"name\":\"n\",\"reason\":\"r\"}");
    JsonNode json = answer.ok(201);
    assertThat(states(json, "results")).containsExactly("coxswain-2 done");
    assertThat(answer.header("Location")).isEqualTo(Api.item(json.path("id").asText()));
    assertThat(cluster.at(2).demo.size()).isEqualTo(1);
  }

  @Test
  void aPause_holdsOnEveryReplicaThatRunsTheController() {
    JsonNode json = cluster.at(1).post(Api.DEMO + "/pause", REASON).ok(200);
    assertThat(json.path("paused").asBoolean()).isTrue();
    assertThat(json.path("parts")).hasSize(3);
    assertThat(states(json, "results"))
        .containsExactlyInAnyOrder("coxswain-0 done", "coxswain-1 done", "coxswain-2 done");
    cluster.apis.forEach(api -> assertThat(api.demo.pause).isNotNull());
    cluster.kill(0);
    JsonNode partial = cluster.at(1).post(Api.DEMO + "/resume", REASON).ok(200);
    assertThat(partial.path("partial").asBoolean()).isTrue();
    assertThat(states(partial, "results")).contains("coxswain-0 not-sent");
    assertThat(cluster.at(2).demo.pause).isNull();
  }

  /** The response is applied as soon as one of them has changed something. */
  @Test
  void aPauseOfWhatIsPausedAlready_isSkippedThere_andAsAWholeWhenItIsEverywhere() {
    cluster.at(2).directory.handles.clear();
    cluster.at(0).post(Api.DEMO + "/pause?replica=coxswain-0", REASON).ok(200);
    JsonNode some = cluster.at(1).post(Api.DEMO + "/pause", REASON).ok(200);
    assertThat(some.path("result").asText()).isEqualTo("applied");
    assertThat(states(some, "results"))
        .containsExactlyInAnyOrder("coxswain-0 skipped", "coxswain-1 done");
    JsonNode none = cluster.at(1).post(Api.DEMO + "/pause", REASON).ok(200);
    assertThat(none.path("result").asText()).isEqualTo("skipped");
    assertThat(none.path("detail").asText()).startsWith("it is paused already, since");
    assertThat(states(none, "results"))
        .containsExactlyInAnyOrder("coxswain-0 skipped", "coxswain-1 skipped");
  }

  @Test
  void aSettingIsChangedThroughAnyReplica() {
    cluster.at(0).directory.handles.clear();
    cluster.at(1).directory.handles.clear();
    var seen = cluster.at(0).get(Api.DEMO);
    String body = "{\"maxConcurrent\":4,\"reason\":\"r\"}";
    cluster.at(0).change("PATCH", Api.DEMO, body, "If-Match", seen.header("ETag")).ok(200);
    assertThat(cluster.at(2).demo.concurrency).isEqualTo(4);
    cluster
        .at(1)
        .change("PATCH", Api.DEMO, body, "If-Match", seen.header("ETag"))
        .problem(412, "controller-changed");
    cluster.at(1).change("PATCH", Api.DEMO, "{\"reason\":\"r\"}").problem(400, "invalid-body");
    String scaled = "{\"maxConcurrent\":6,\"reason\":\"r\"}";
    cluster.at(1).change("PUT", Api.DEMO + "/scale", scaled).ok(200);
    assertThat(cluster.at(2).demo.concurrency).isEqualTo(6);
  }
}
