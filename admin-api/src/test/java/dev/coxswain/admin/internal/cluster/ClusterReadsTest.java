// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import static dev.coxswain.admin.Cluster3.states;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.json.Problem;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Any replica answers for all, and says so when it cannot. */
class ClusterReadsTest {

  private static final String ALL = "/api/v1/controllers";

  private final Cluster3 cluster = new Cluster3();

  @AfterEach
  void close() {
    cluster.close();
  }

  private String put(int replica, String name) {
    return cluster.at(replica).demo.put("payments", name, Phase.DELAYED, 1, "boom");
  }

  @Test
  void countsOfAllReplicas_areAddedUp_andEachIsShown() {
    put(0, "a");
    put(1, "b");
    put(1, "c");
    for (int asked = 0; asked < 3; asked++) {
      JsonNode list = cluster.at(asked).get(ALL).ok(200);
      assertThat(list.path("partial").asBoolean(true)).isFalse();
      assertThat(states(list)).containsExactly("coxswain-0 ok", "coxswain-1 ok", "coxswain-2 ok");
      assertThat(list.path("items")).hasSize(1);
      for (JsonNode demo :
          List.of(list.path("items").path(0), cluster.at(asked).get(Api.DEMO).ok(200))) {
        assertThat(demo.path("replica").asText()).isEqualTo("coxswain-" + asked);
        assertThat(demo.path("total").asInt()).isEqualTo(3);
        assertThat(demo.path("failing").asInt()).isEqualTo(3);
        assertThat(demo.path("counts").path("delayed").asInt()).isEqualTo(3);
        assertThat(demo.path("totals").path("added").asInt()).isEqualTo(3);
        assertThat(demo.path("parts").findValuesAsText("replica"))
            .containsExactly("coxswain-0", "coxswain-1", "coxswain-2");
        assertThat(demo.path("parts").path(1).path("total").asInt()).isEqualTo(2);
      }
    }
  }

  @Test
  void aControllerThatRunsElsewhere_isShown_andSoAreItsItems() {
    cluster.at(0).directory.handles.clear();
    cluster.at(2).directory.handles.clear();
    String id = put(1, "b");
    JsonNode list = cluster.at(0).get(ALL).ok(200);
    assertThat(list.path("items").path(0).path("replica").asText()).isEqualTo("coxswain-1");
    assertThat(list.path("items").path(0).path("parts")).hasSize(1);
    JsonNode item = cluster.at(0).get(Api.item(id)).ok(200);
    assertThat(item.path("replica").asText()).isEqualTo("coxswain-1");
    assertThat(item.has("copies")).isFalse();
    assertThat(cluster.at(0).get(Api.item(id)).header("ETag")).isEqualTo("\"10\"");
    JsonNode why = cluster.at(2).get(Api.item(id) + "/explain").ok(200);
    assertThat(why.path("replica").asText()).isEqualTo("coxswain-1");
    assertThat(why.path("reason").asText()).isEqualTo("backoff");
  }

  @Test
  void anItemThatSeveralTrack_isShownOnce_withItsCopies() {
    String id = put(1, "same");
    put(2, "same");
    JsonNode item = cluster.at(0).get(Api.item(id)).ok(200);
    assertThat(item.path("replica").asText()).isEqualTo("coxswain-1");
    assertThat(item.path("copies")).hasSize(1);
    assertThat(item.path("copies").path(0).path("replica").asText()).isEqualTo("coxswain-2");
    assertThat(cluster.at(2).get(Api.item(id)).ok(200).path("replica").asText())
        .isEqualTo("coxswain-2");
    assertThat(
            cluster
                .at(0)
                .get(Api.item(id) + "?replica=coxswain-2")
                .ok(200)
                .path("replica")
                .asText())
        .isEqualTo("coxswain-2");
    assertThat(cluster.at(0).get(Api.item(id) + "/explain").ok(200).path("copies")).hasSize(1);
  }

  @Test
  void whatNobodyTracks_isNotFound_onlyWhenEverybodyAnswered() {
    String id = new ItemId("payments", "x").encoded();
    cluster.at(0).get(Api.item(id)).problem(404, "item-not-found");
    cluster.at(0).get(ALL + "/unknown").problem(404, "controller-not-found");
    JsonNode why = cluster.at(0).get(Api.item(id) + "/explain").ok(200);
    assertThat(why.path("reason").asText()).isEqualTo("notTracked");
    cluster.kill(2);
    JsonNode problem = cluster.at(0).get(Api.item(id)).problem(503, "replica-unreachable");
    assertThat(states(problem))
        .containsExactly("coxswain-0 ok", "coxswain-1 ok", "coxswain-2 unreachable");
    cluster.at(0).get(ALL + "/unknown").problem(503, "replica-unreachable");
  }

  @Test
  void aReplicaThatIsGone_isNamed_andTheRestIsShown() {
    put(1, "b");
    put(2, "c");
    cluster.kill(2);
    JsonNode list = cluster.at(0).get(ALL).ok(200);
    assertThat(list.path("partial").asBoolean()).isTrue();
    assertThat(states(list))
        .containsExactly("coxswain-0 ok", "coxswain-1 ok", "coxswain-2 unreachable");
    assertThat(list.path("replicas").path(2).path("error").asText()).isNotEmpty();
    assertThat(list.path("items").path(0).path("total").asInt()).isEqualTo(1);
    JsonNode page = cluster.at(0).get(Api.DEMO + "/items").ok(200);
    assertThat(page.path("partial").asBoolean()).isTrue();
    assertThat(page.path("items")).hasSize(1);
  }

  @Test
  void aReplicaThatDoesNotAnswer_isNamedAfterAWhile_evenTheOneThatIsAsked() {
    put(1, "b");
    cluster.at(2).demo.mood = FakeController.Mood.SILENT;
    for (int asked : new int[] {0, 2}) {
      JsonNode page = cluster.at(asked).get(Api.DEMO + "/items").ok(200);
      assertThat(page.path("partial").asBoolean()).isTrue();
      assertThat(states(page))
          .containsExactly("coxswain-0 ok", "coxswain-1 ok", "coxswain-2 timeout");
      assertThat(page.path("items")).hasSize(1);
    }
  }

  @Test
  void whoeverElseAnswersAtAnAddress_isIncompatible() {
    HttpServer other =
        cluster
            .at(0)
            .vertx
            .createHttpServer()
            .requestHandler(request -> request.response().end("{}"))
            .listen(0, "127.0.0.1")
            .await();
    cluster.move(0, 1, "http://127.0.0.1:" + other.actualPort());
    cluster.move(0, 2, "http://127.0.0.1:" + cluster.at(1).port);
    JsonNode list = cluster.at(0).get(ALL).ok(200);
    assertThat(states(list))
        .containsExactly("coxswain-0 ok", "coxswain-1 incompatible", "coxswain-2 incompatible");
    assertThat(list.path("replicas").path(2).path("error").asText()).contains("\"coxswain-1\"");
    assertThat(list.path("items").path(0).path("parts")).hasSize(1);
  }

  @Test
  void aReplicaThatDoesNotUnderstand_isRefused_andTheOthersAnswer() {
    put(0, "a");
    HttpServer older =
        cluster
            .at(0)
            .vertx
            .createHttpServer()
            .requestHandler(request ->
                request
                    .response()
                    .setStatusCode(400)
                    .putHeader("Coxswain-Peer", "1")
                    .putHeader("Coxswain-Replica", "coxswain-1")
                    .end(
                        "{\"type\":\""
                            + Problem.TYPE_BASE
                            + "invalid-query\",\"title\":\"t\",\"detail\":\"x\"}"))
            .listen(0, "127.0.0.1")
            .await();
    cluster.move(0, 1, "http://127.0.0.1:" + older.actualPort());
    for (String path : List.of(ALL, Api.DEMO + "/items")) {
      JsonNode answer = cluster.at(0).get(path).ok(200);
      assertThat(states(answer))
          .containsExactly("coxswain-0 ok", "coxswain-1 refused", "coxswain-2 ok");
      assertThat(answer.path("partial").asBoolean()).isTrue();
      assertThat(answer.path("items")).hasSize(1);
    }
    cluster.at(0).get(ALL + "?replica=coxswain-1").problem(400, "invalid-query");
  }

  @Test
  void noTokenLeavesTheMachine_withoutTls() {
    cluster.move(0, 1, "http://192.0.2.1:8090");
    cluster.move(0, 2, "https://127.0.0.1:8090");
    JsonNode list = cluster.at(0).get(ALL).ok(200);
    assertThat(states(list))
        .containsExactly("coxswain-0 ok", "coxswain-1 incompatible", "coxswain-2 incompatible");
    cluster.move(0, 1, "");
    assertThat(states(cluster.at(0).get(ALL).ok(200))).contains("coxswain-1 unreachable");
  }

  @Test
  void scopeLocal_asksNobodyElse() {
    put(0, "a");
    put(1, "b");
    cluster.kill(2);
    for (String path : List.of(ALL, Api.DEMO, Api.DEMO + "/items", "/api/v1/replicas")) {
      JsonNode answer = cluster.at(0).get(path + "?scope=local").ok(200);
      assertThat(answer.path("partial").asBoolean(true)).isFalse();
      assertThat(states(answer)).containsExactly("coxswain-0 ok");
    }
    assertThat(cluster.at(0).get(Api.DEMO + "?scope=local").ok(200).path("total").asInt())
        .isEqualTo(1);
    cluster.at(0).get(ALL + "?scope=all").problem(400, "invalid-query");
    cluster.at(0).get(ALL + "?scope=local&replica=coxswain-1").problem(404, "replica-not-found");
    cluster.at(0).get(ALL + "?more=1").problem(400, "invalid-query");
  }

  @Test
  void oneReplica_canBeAskedForByName_throughAnyOther() {
    put(0, "a");
    put(1, "b");
    put(1, "c");
    JsonNode demo = cluster.at(0).get(Api.DEMO + "?replica=coxswain-1").ok(200);
    assertThat(demo.path("total").asInt()).isEqualTo(2);
    assertThat(states(demo)).containsExactly("coxswain-1 ok");
    assertThat(cluster.at(0).get(Api.DEMO + "/items?replica=coxswain-1").ok(200).path("items"))
        .hasSize(2);
    cluster.at(0).get(ALL + "?replica=coxswain-9").problem(404, "replica-not-found");
  }

  @Test
  void aReplicaThatIsAskedByAnother_answersForItselfOnly() {
    put(0, "a");
    put(1, "b");
    var answer = cluster.at(1).open(peer(1, "coxswain-1"));
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.headers().firstValue("Coxswain-Replica")).contains("coxswain-1");
    assertThat(read(answer).path("total").asInt()).isEqualTo(1);
    // Nor for another one, whose address it has now.
    assertThat(cluster.at(1).open(peer(1, "coxswain-2")).statusCode()).isEqualTo(421);
    var stranger = cluster.at(1).request("/peer/v1/controllers/demo");
    assertThat(cluster.at(1).open(stranger).statusCode()).isEqualTo(421);
  }

  private HttpRequest.Builder peer(int replica, String meant) {
    return cluster
        .at(replica)
        .request("/peer/v1/controllers/demo")
        .header("Coxswain-Peer", "1")
        .header("Coxswain-Replica", meant);
  }

  private static JsonNode read(HttpResponse<InputStream> answer) {
    try (var body = answer.body()) {
      return new ObjectMapper().readTree(body);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void replicas_areListed_withTheirControllers() {
    JsonNode replicas = cluster.at(0).get("/api/v1/replicas").ok(200);
    assertThat(replicas.path("items").findValuesAsText("self"))
        .containsExactly("true", "false", "false");
    JsonNode other = replicas.path("items").path(1);
    assertThat(other.path("replica").asText()).isEqualTo("coxswain-1");
    assertThat(other.path("address").asText()).isEqualTo("http://127.0.0.1:" + cluster.at(1).port);
    assertThat(other.path("generation").asText()).isEqualTo("5.7-1");
    assertThat(other.path("controllers").path(0).path("name").asText()).isEqualTo("demo");
    assertThat(new HashSet<>(replicas.path("items").findValuesAsText("epoch"))).hasSize(3);
    cluster.kill(1);
    JsonNode gone = cluster.at(0).get("/api/v1/replicas").ok(200).path("items").path(1);
    assertThat(gone.path("state").asText()).isEqualTo("unreachable");
    assertThat(gone.path("ordinal").asInt()).isEqualTo(1);
    assertThat(gone.has("controllers")).isFalse();
  }

  @Test
  void theOtherReplica_findsOutItself_whoAsksAndWhatTheyMayDo() {
    Reviewers reviewers = new Reviewers();
    try (Cluster3 guarded = new Cluster3(reviewers.control(ReviewLimits.DEFAULT))) {
      var request = guarded.at(0).request(ALL).header("Authorization", "Bearer good-alice");
      JsonNode list = guarded.at(0).send(request).ok(200);
      assertThat(list.path("partial").asBoolean(true)).isFalse();
      // Each of the three asked about the token and the right.
      assertThat(reviewers.tokens).containsExactly("good-alice", "good-alice", "good-alice");
      AccessRequest wanted = new AccessRequest(Verb.LIST, Access.CONTROLLERS, "", "");
      assertThat(reviewers.rights).containsExactly(wanted, wanted, wanted);
      reviewers.denied.add(new AccessRequest(Verb.GET, Access.CONTROLLERS, "", "demo"));
      var get = guarded.at(1).request(Api.DEMO).header("Authorization", "Bearer good-alice");
      guarded.at(1).send(get).problem(403, "forbidden");
      var peer =
          guarded.at(1).request("/peer/v1/controllers/demo").header("Authorization", "Bearer bad");
      assertThat(guarded.at(1).open(peer).statusCode()).isEqualTo(401);
    }
  }
}
