// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.spi.PauseStore.Pause;
import dev.coxswain.view.Phase;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Each request that has changed something is one row; what cannot be undone has the reason. */
class ChangesTest {

  private static final String CHANGES = "/api/v1/changes";
  private static final String WHY = "{\"reason\":\"INC-1\"}";

  private final Cluster3 cluster = new Cluster3();
  private final SharedState shared = new SharedState(cluster.apis);
  private final SharedState.Records records = new SharedState.Records();

  @BeforeEach
  void share() {
    for (int i = 0; i < 3; i++) {
      share(i);
    }
  }

  private void share(int replica) {
    cluster.at(replica).directory.pauses = shared;
    cluster.at(replica).directory.history = records;
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private String change(int replica, String path, String body, String... headers) {
    Api.Answer answer = cluster.at(replica).post(Api.DEMO + path, body, headers);
    answer.ok(200);
    return answer.header("X-Request-Id");
  }

  private Api.Answer undo(int replica, String id) {
    return cluster.at(replica).post(CHANGES + "/" + id + "/undo", WHY);
  }

  private List<JsonNode> rows(int replica, String query) {
    JsonNode list = cluster.at(replica).get(CHANGES + query).ok(200);
    return StreamSupport.stream(list.path("items").spliterator(), false).toList();
  }

  private static List<String> ids(List<JsonNode> rows) {
    return rows.stream().map(row -> row.path("requestId").asText()).toList();
  }

  @Test
  void whatWasRefusedPreviewedOrSoAlready_isNoChange() {
    String id = change(0, "/pause", WHY);
    change(1, "/pause", WHY); // it is paused for that reason already
    cluster.at(1).post(Api.DEMO + "/pause", "{}").problem(400, "invalid-body");
    cluster.at(1).post(CHANGES + "/nothing/undo", WHY).problem(404, "change-not-found");
    cluster.at(2).post(CHANGES + "/" + id + "/undo", "{\"reason\":\"x\",\"dryRun\":true}");
    assertThat(ids(rows(2, ""))).containsExactly(id);
  }

  @Test
  void whatCannotBeUndone_isListedWithTheReason_andRefusedWithIt() {
    cluster.apis.forEach(api -> api.directory.handles.clear());
    cluster.at(1).directory.handles.put("demo", cluster.at(1).demo);
    String item = cluster.at(1).demo.put("ns", "a", Phase.DELAYED, 1, "boom");
    change(0, "/items/" + item + "/retry", WHY);
    JsonNode flush =
        cluster
            .at(0)
            .operate(
                Api.DEMO + "/operations",
                "{\"action\":\"forget\",\"selector\":{\"name\":\"a\"},\"reason\":\"x\"}");
    List<JsonNode> rows = rows(2, "");
    assertThat(rows).hasSize(2);
    assertThat(rows.get(0).path("operation").asText()).isEqualTo(flush.path("id").asText());
    assertThat(rows.get(0).path("undo").asText())
        .isEqualTo("Failures that were forgotten are not recorded.");
    assertThat(rows.get(1).path("item").asText()).isEqualTo("ns/a");
    for (JsonNode row : rows) {
      JsonNode problem =
          undo(2, row.path("requestId").asText()).problem(409, "change-not-undoable");
      assertThat(problem.path("detail").asText())
          .isEqualTo(row.path("undo").asText() + " Nothing was changed.");
    }
  }

  @Test
  void aPauseThatHasEnded_andAResumeOfOneThatWould_areNotUndone() {
    Pause over = new Pause("INC-0", "bob", Instant.EPOCH, Instant.EPOCH.plusSeconds(9));
    shared.put("demo", over);
    JsonNode problem = undo(1, change(0, "/resume", WHY)).problem(409, "change-not-undoable");
    assertThat(problem.path("detail").asText()).contains("before it would have ended at 1970-");
    assertThat(shared.of("demo")).isNull();
    String id = change(0, "/pause", "{\"reason\":\"INC-1\",\"duration\":\"1ms\"}");
    problem = undo(1, id).problem(409, "change-not-undoable");
    assertThat(problem.path("detail").asText()).startsWith("The pause has ended at ");
  }

  @Test
  void changesUnderOneIdOfTheClient_areRowsOfTheirOwn_andNotUndone() {
    String[] same = {"X-Request-Id", "mine"};
    change(0, "/pause", WHY, same);
    change(0, "/resume", WHY, same);
    assertThat(rows(1, "")).hasSize(2);
    undo(1, "mine").problem(409, "change-ambiguous");
    String[] twice = {"X-Request-Id", "twice"};
    change(0, "/pause", WHY, twice);
    change(0, "/pause", "{\"reason\":\"INC-2\"}", twice);
    assertThat(rows(1, "?limit=1").getFirst().path("undo").asText())
        .startsWith("Several requests have this id");
    undo(1, "twice").problem(409, "change-ambiguous");
    assertThat(shared.of("demo")).isNotNull();
  }

  @Test
  void theIntentOfAPause_hasItsCauseOnly_andTheOutcomeTheStates() {
    cluster.apis.forEach(api -> api.demo.put("a", "b", Phase.DELAYED, 1, "Quota: used up"));
    String cause = cluster.at(0).get(Api.DEMO + "/causes").ok(200).at("/items/0/id").asText();
    String body = "{\"reason\":\"INC-1\",\"cause\":\"" + cause + "\"}";
    undo(0, change(0, "/pause", body)).ok(200);
    undo(0, change(0, "/pause", WHY)).ok(200);
    JsonNode items = cluster.at(0).get("/api/v1/audit").ok(200).path("items");
    assertThat(items).hasSize(8);
    for (JsonNode record : items) {
      String change = record.path("change").asText();
      if (record.path("stage").asText().equals("intent")) {
        assertThat(change).isIn("", "{\"cause\":\"" + cause + "\"}");
      } else {
        assertThat(change).contains("\"pauseBefore\":").contains("\"pause\":");
      }
    }
  }

  @Test
  void anUndo_withOneIdempotencyKey_isMadeOnce_andAnsweredTwice() {
    String id = change(0, "/pause", WHY);
    for (int i = 0; i < 2; i++) {
      Api.Answer answer =
          cluster.at(1).post(CHANGES + "/" + id + "/undo", WHY, "Idempotency-Key", "k");
      assertThat(answer.ok(200).path("result").asText()).isEqualTo("applied");
      assertThat(answer.header("Idempotency-Replayed")).isEqualTo(i == 0 ? "" : "true");
    }
    assertThat(rows(0, "")).hasSize(2);
  }

  @Test
  void aClient_cannotRestoreAStateWithAChangeOfItsOwn() {
    String undo =
        "{\"reason\":\"x\",\"undo\":{\"requestId\":\"a\",\"parts\":[{\"expected\":null}]}}";
    cluster.at(0).post(Api.DEMO + "/resume", undo).problem(400, "invalid-body");
  }

  /** With replicas that were killed, before or after what they had was stored. */
  @Test
  void theChangesOfAKilledReplica_areListedAndUndoneByTheOthers() {
    String acted = change(0, "/pause", WHY);
    cluster.kill(0);
    assertThat(ids(rows(1, ""))).containsExactly(acted);
    undo(2, acted).ok(200);
    assertThat(shared.of("demo")).isNull();
  }

  @Test
  void aChangeThatAKilledReplicaHasNotStored_isKnownToTheOneThatForwardedIt() {
    cluster.at(0).directory.handles.clear();
    cluster.at(1).directory.history = null;
    String id = change(0, "/pause", WHY);
    cluster.kill(1);
    assertThat(rows(2, "").getFirst().path("undo").asText()).isEqualTo("possible");
    undo(2, id).ok(200);
    assertThat(shared.of("demo")).isNull();
  }

  @Test
  void changes_surviveTheRestartOfAllReplicas() {
    String id = change(0, "/pause", WHY);
    for (int i = 0; i < 3; i++) {
      cluster.restart(i);
      share(i);
    }
    assertThat(ids(rows(1, ""))).containsExactly(id);
    undo(2, id).ok(200);
    assertThat(shared.of("demo")).isNull();
  }

  @Test
  void thePagesOfAnyLength_haveEachChangeOnce() {
    Random random = new Random(7);
    cluster.at(0).directory.handles.clear(); // forwards
    List<String> expected = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      String action = i % 2 == 0 ? "/pause" : "/resume";
      expected.addFirst(change(random.nextInt(3), action, WHY));
    }
    for (int limit : new int[] {1, 7, 50, 500}) {
      List<String> found = new ArrayList<>();
      String next = "";
      do {
        JsonNode page =
            cluster.at(random.nextInt(3)).get(CHANGES + "?limit=" + limit + next).ok(200);
        assertThat(page.path("items").size()).isLessThanOrEqualTo(limit);
        page.path("items")
            .forEach(row -> {
              found.add(row.path("requestId").asText());
              boolean isFirst = found.size() == 1;
              assertThat(row.path("undo").asText())
                  .as(limit + " " + row)
                  .matches(isFirst ? "possible" : "It was changed since.*");
            });
        next = page.has("continue") ? "&continue=" + page.path("continue").asText() : "";
      } while (!next.isEmpty());
      assertThat(found).as("limit " + limit).containsExactlyElementsOf(expected);
    }
    cluster.at(0).get(CHANGES + "?continue=c1.x.y").problem(400, "invalid-cursor");
  }

  @Test
  void filters_areThoseOfTheAudit_andOfTheCaller() {
    change(0, "/pause", WHY);
    String resume = change(1, "/resume", WHY);
    assertThat(ids(rows(2, "?action=resume"))).containsExactly(resume);
    assertThat(ids(rows(2, "?undoable=true"))).containsExactly(resume);
    assertThat(rows(2, "?actor=bob")).isEmpty();
    assertThat(rows(2, "?controller=other")).isEmpty();
    assertThat(rows(2, "?since=2126-01-01T00:00:00Z")).isEmpty();
    assertThat(rows(2, "?mine=true&limit=1")).hasSize(1);
    cluster.at(2).get(CHANGES + "?action=fly").problem(400, "invalid-query");
    cluster.at(2).get(CHANGES + "?mine=maybe").problem(400, "invalid-query");
  }

  @Test
  void anUndo_needsTheRightToTheChange_andToWhatRestores() {
    Reviewers reviewers = new Reviewers();
    try (Api api = reviewers.api()) {
      String id = as(api, "alice", Api.DEMO + "/pause").header("X-Request-Id");
      for (Verb verb : List.of(Verb.RESUME, Verb.PAUSE)) {
        AccessRequest right = new AccessRequest(verb, Access.CONTROLLERS, "", "demo");
        reviewers.denied.add(right);
        JsonNode refused =
            as(api, verb.label(), CHANGES + "/" + id + "/undo").problem(403, "forbidden");
        assertThat(refused.at("/required/verb").asText()).isEqualTo(verb.label());
        reviewers.denied.remove(right);
      }
      reviewers.denied.add(new AccessRequest(Verb.LIST, Access.AUDIT, "", ""));
      as(api, "eve", CHANGES + "/" + id + "/undo").problem(403, "forbidden");
      assertThat(api.demo.pause).isNotNull();
    }
  }

  private static Api.Answer as(Api api, String caller, String path) {
    return api.send(
        api.request(path)
            .header("Authorization", "Bearer good-" + caller)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofString(WHY)));
  }

  @Test
  void anUndo_isConditionalByItself_whereIfMatchIsRequired() {
    try (Cluster3 strict =
        new Cluster3(
            dev.coxswain.admin.auth.AccessControl.open(),
            options -> options.withChanges(options.changes().withRequireIfMatch(true)))) {
      SharedState state = new SharedState(strict.apis);
      strict.apis.forEach(api -> api.directory.pauses = state);
      strict.at(0).directory.handles.clear();
      Api.Answer paused = strict.at(0).post(Api.DEMO + "/pause", WHY, "If-Match", "*");
      paused.ok(200);
      strict.at(0).post(CHANGES + "/" + paused.header("X-Request-Id") + "/undo", WHY).ok(200);
      assertThat(state.of("demo")).isNull();
    }
  }
}
