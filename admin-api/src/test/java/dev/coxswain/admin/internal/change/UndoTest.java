// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.change;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.spi.PauseStore.Pause;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An undo restores what was before a change, and nothing that someone has changed since. */
class UndoTest {

  private static final String CHANGES = "/api/v1/changes";
  private static final String WHY = "{\"reason\":\"INC-1\"}";
  private static final String RESTORED = "anonymous, restoring alice";
  private static final String OVERRIDE = "/api/v1/limiters/vendor/override";

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

  private static String id(Api.Answer answer) {
    answer.ok(200);
    return answer.header("X-Request-Id");
  }

  private String change(int replica, String path, String body) {
    return id(cluster.at(replica).post(Api.DEMO + path, body));
  }

  private Api.Answer undo(int replica, String id) {
    return cluster.at(replica).post(CHANGES + "/" + id + "/undo", "{\"reason\":\"a mistake\"}");
  }

  private String undone(int replica, String id) {
    Api.Answer answer = undo(replica, id);
    JsonNode json = answer.ok(200);
    assertThat(json.path("undoes").asText()).isEqualTo(id);
    assertThat(json.path("result").asText()).isEqualTo("applied");
    return json.path("requestId").asText();
  }

  private @Nullable Pause stored() {
    return shared.of("demo");
  }

  private JsonNode row(int replica, String id) {
    JsonNode list = cluster.at(replica).get(CHANGES).ok(200);
    List<JsonNode> rows =
        StreamSupport.stream(list.path("items").spliterator(), false)
            .filter(row -> row.path("requestId").asText().equals(id))
            .toList();
    assertThat(rows).as(list.toString()).hasSize(1);
    return rows.getFirst();
  }

  @Test
  void aPauseThatWasForwarded_isOneChange_withTheStatesBeforeAndAfterIt() {
    cluster.at(0).directory.handles.clear();
    String id = change(0, "/pause", WHY);
    JsonNode row = row(2, id);
    assertThat(row.path("replicas").findValuesAsText("")).isEmpty();
    assertThat(row.path("replicas").toString()).isEqualTo("[\"coxswain-0\",\"coxswain-1\"]");
    assertThat(row.path("action").asText()).isEqualTo("pause");
    assertThat(row.path("controller").asText()).isEqualTo("demo");
    assertThat(row.path("reason").asText()).isEqualTo("INC-1");
    assertThat(row.path("result").asText()).isEqualTo("applied");
    assertThat(row.path("change").asText()).isEqualTo("not paused -> paused until resumed");
    assertThat(row.at("/before/paused").asBoolean(true)).isFalse();
    assertThat(row.at("/after/reason").asText()).isEqualTo("INC-1");
    assertThat(row.path("undo").asText()).isEqualTo("possible");
  }

  @Test
  void theUndoOfAPause_resumes_andItsUndoPausesAgainAsItWas() {
    String id = change(0, "/pause", WHY);
    Pause before = stored();
    String undo = undone(1, id);
    assertThat(stored()).isNull();
    JsonNode row = row(2, undo);
    assertThat(row.path("action").asText()).isEqualTo("resume");
    assertThat(row.path("undoes").asText()).isEqualTo(id);
    assertThat(row.path("reason").asText()).isEqualTo("a mistake");
    assertThat(row(2, id).path("undo").asText()).startsWith("It was undone already by ");
    String redo = undone(2, undo);
    assertThat(stored()).isEqualTo(before);
    assertThat(row(0, undo).path("undo").asText()).startsWith("It was undone already by ");
    assertThat(row(0, id).path("undo").asText()).isEqualTo("possible");
    undone(0, redo);
    assertThat(stored()).isNull();
  }

  @Test
  void theUndoOfAResume_restoresThePause_withItsActorReasonBeginningAndEnd() {
    Instant end = Instant.now().plus(Duration.ofHours(1));
    Pause old = new Pause("INC-0", "alice", Instant.EPOCH, end);
    shared.put("demo", old);
    undone(1, change(0, "/resume", WHY));
    assertThat(stored()).isEqualTo(new Pause("INC-0", RESTORED, Instant.EPOCH, end));
  }

  @Test
  void theUndoOfAPauseThatReplacedAnother_restoresTheOther_orNoneWhenThatWouldHaveEnded() {
    Pause old = new Pause("INC-0", "alice", Instant.EPOCH, null);
    shared.put("demo", old);
    undone(1, change(0, "/pause", WHY));
    assertThat(stored()).isEqualTo(new Pause("INC-0", RESTORED, Instant.EPOCH, null));
    shared.put("demo", new Pause("INC-0", "alice", Instant.EPOCH, Instant.EPOCH.plusSeconds(9)));
    JsonNode undo = undo(1, change(0, "/pause", WHY)).ok(200);
    assertThat(undo.path("detail").asText()).contains("would have ended");
    assertThat(stored()).isNull();
  }

  @Test
  void theUndoOfAPauseOfACause_resumesTheCause_andViceVersa() {
    cluster.apis.forEach(api -> api.demo.put("a", "b", Phase.DELAYED, 1, "Quota: used up"));
    String cause = cluster.at(0).get(Api.DEMO + "/causes").ok(200).at("/items/0/id").asText();
    String body = "{\"reason\":\"INC-1\",\"cause\":\"" + cause + "\"}";
    String id = change(0, "/pause", body);
    assertThat(row(1, id).path("cause").asText()).isEqualTo(cause);
    undone(2, id);
    assertThat(shared.of("demo." + cause)).isNull();
    change(0, "/pause", body);
    Pause before = shared.of("demo." + cause);
    undone(1, change(2, "/resume", body));
    assertThat(shared.of("demo." + cause)).isEqualTo(before).isNotNull();
  }

  @Test
  void anUndoOverANewerChange_isRefused_andNamesIt() {
    String id = change(0, "/pause", WHY);
    String newer = change(1, "/pause", "{\"reason\":\"INC-2\"}");
    Pause now = stored();
    JsonNode problem = undo(2, id).problem(409, "change-superseded");
    assertThat(problem.path("detail").asText())
        .contains("It was changed since by \"anonymous\" at ")
        .contains(newer)
        .endsWith("Nothing was changed.");
    assertThat(stored()).isEqualTo(now);
    assertThat(row(0, id).path("undo").asText()).startsWith("It was changed since by ");
    undone(2, newer);
    undone(2, id); // what was changed since was undone
    assertThat(stored()).isNull();
  }

  @Test
  void anUndoOfWhatWasChangedWithoutARecord_isRefusedByTheStoredState() {
    String id = change(0, "/pause", WHY);
    Pause other = new Pause("by hand", "bob", Instant.EPOCH, null);
    shared.put("demo", other);
    JsonNode problem = undo(1, id).problem(409, "change-superseded");
    assertThat(problem.path("detail").asText()).contains("by bob (\"by hand\")");
    assertThat(stored()).isEqualTo(other);
  }

  @Test
  void anUndo_takesNoIfMatch_onWhicheverReplica() {
    String id = change(0, "/pause", WHY);
    for (int replica : new int[] {0, 1, 2}) {
      String path = CHANGES + "/" + id + "/undo";
      cluster.at(replica).post(path, WHY, "If-Match", "\"17\"").problem(400, "invalid-header");
    }
    assertThat(stored()).isNotNull();
  }

  @Test
  void anUndo_isMadeOnce() {
    String id = change(0, "/pause", WHY);
    String undo = undone(1, id);
    JsonNode problem = undo(2, id).problem(409, "change-undone");
    assertThat(problem.path("detail").asText()).contains("undone already by ").contains(undo);
  }

  @Test
  void ofTwoUndosAtOnce_exactlyOneIsMade() {
    for (int i = 0; i < 8; i++) {
      onlyOneIsMade(change(0, "/pause", WHY));
      onlyOneIsMade(change(1, "/pause", WHY));
      onlyOneIsMade(scale(i % 3, 50 + i));
      onlyOneIsMade(id(cluster.at(0).change("PUT", OVERRIDE, limit(5))));
      assertThat(stored()).isNull();
      assertThat(cluster.apis).allSatisfy(api -> assertThat(api.demo.concurrency).isEqualTo(1));
    }
  }

  private void onlyOneIsMade(String id) {
    List<CompletableFuture<Api.Answer>> answers =
        Stream.of(0, 1, 2, 0)
            .map(replica -> CompletableFuture.supplyAsync(() -> undo(replica, id)))
            .toList();
    List<Integer> statuses = answers.stream().map(one -> one.join().status()).sorted().toList();
    assertThat(statuses)
        .as(answers.stream().map(one -> one.join().http().body()).toList().toString())
        .containsExactly(200, 409, 409, 409);
  }

  private String scale(int replica, int value) {
    return id(
        cluster
            .at(replica)
            .change("PATCH", Api.DEMO, "{\"maxConcurrent\":" + value + ",\"reason\":\"x\"}"));
  }

  private static String limit(double rate) {
    return "{\"rate\":" + rate + ",\"ttl\":\"30m\",\"reason\":\"INC-1\"}";
  }

  @Test
  void theUndoOfAConcurrency_restoresTheValueOfEachReplica() {
    cluster.at(1).demo.concurrency = 7;
    String id = scale(0, 20);
    assertThat(cluster.apis).allSatisfy(api -> assertThat(api.demo.concurrency).isEqualTo(20));
    undone(2, id);
    assertThat(cluster.apis.stream().map(api -> api.demo.concurrency)).containsExactly(1, 7, 1);
  }

  @Test
  void anUndoOfAConcurrency_thatOneReplicaHasNotAnyMore_changesNone() {
    String id = scale(0, 20);
    cluster.at(2).demo.concurrency = 9;
    JsonNode problem = undo(1, id).problem(409, "change-superseded");
    assertThat(problem.path("detail").asText()).contains("coxswain-2").contains("9");
    assertThat(cluster.apis.stream().map(api -> api.demo.concurrency)).containsExactly(20, 20, 9);
  }

  @Test
  void anUndoOfAConcurrency_isPartial_whileAReplicaDoesNotAnswer() {
    String id = scale(0, 20);
    cluster.kill(2);
    JsonNode undo = undo(1, id).ok(200);
    assertThat(undo.path("partial").asBoolean()).as(undo.toString()).isTrue();
    assertThat(undo.path("results").findValuesAsText("state"))
        .containsExactly("done", "done", "not-sent");
    assertThat(cluster.at(0).demo.concurrency).isEqualTo(1);
  }

  @Test
  void theUndoOfAnOverride_restoresWhatIsConfigured_orTheOverrideBefore() {
    String first = id(cluster.at(0).change("PUT", OVERRIDE, limit(5)));
    String second = id(cluster.at(1).change("PUT", OVERRIDE, limit(2)));
    assertThat(row(2, second).path("change").asText())
        .matches("rate 5, burst 100, until .* -> rate 2, burst 100, until .*");
    undone(2, second);
    assertThat(rate()).isEqualTo(5);
    String undo = undone(0, first);
    assertThat(rate()).isEqualTo(10);
    undone(1, undo);
    assertThat(rate()).isEqualTo(5);
    undone(1, id(cluster.at(0).change("DELETE", OVERRIDE, WHY)));
    assertThat(rate()).isEqualTo(5);
  }

  private double rate() {
    return cluster.at(2).get("/api/v1/limiters/vendor").ok(200).path("refillPerSecond").asDouble();
  }

  @Test
  void aDryRun_showsWhatWouldBeRestored_andChangesNothing() {
    String id = change(0, "/pause", WHY);
    cluster.apis.forEach(api -> shared.follow(api.demo).await());
    String dry = "{\"reason\":\"x\",\"dryRun\":true}";
    JsonNode shown = cluster.at(1).post(CHANGES + "/" + id + "/undo", dry).ok(200);
    assertThat(shown.path("result").asText()).isEqualTo("preview");
    assertThat(shown.path("change").asText())
        .isEqualTo("paused until resumed (\"INC-1\") -> not paused");
    assertThat(stored()).isNotNull();
    assertThat(row(2, id).path("undo").asText()).isEqualTo("possible");
    shared.put("demo", null);
    shared.follow(cluster.at(1).demo).await();
    cluster.at(1).post(CHANGES + "/" + id + "/undo", dry).problem(409, "change-superseded");
    assertThat(cluster.at(0).get(CHANGES).ok(200).path("items")).hasSize(1);
    String scaled = scale(0, 20);
    cluster.at(1).post(CHANGES + "/" + scaled + "/undo", dry).ok(200);
    assertThat(cluster.apis).allSatisfy(api -> assertThat(api.demo.concurrency).isEqualTo(20));
  }
}
