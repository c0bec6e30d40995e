// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.timeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.internal.history.TimelineEvent;
import dev.coxswain.admin.spi.HistoryStore;
import dev.coxswain.testing.Await;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.Phase;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What has happened is shown ten minutes later, by any replica, also what a dead one has seen. */
class ClusterTimelineTest {

  private static final String TIMELINE = "/api/v1/timeline?limit=500";

  /** A store that all replicas share. */
  private static final class Store implements HistoryStore {
    private final List<Entry> entries = new ArrayList<>();

    @Override
    public synchronized void add(Entry entry) {
      entries.add(entry);
    }

    @Override
    public synchronized Future<List<Entry>> read() {
      return Future.succeededFuture(List.copyOf(entries));
    }
  }

  private final Cluster3 cluster = new Cluster3();

  @AfterEach
  void close() {
    cluster.close();
  }

  private List<JsonNode> events(int asked, String type) {
    return StreamSupport.stream(
            cluster.at(asked).get(TIMELINE + "&type=" + type).ok(200).path("items").spliterator(),
            false)
        .toList();
  }

  private JsonNode await(int asked, String type) {
    Await.until(type, () -> !events(asked, type).isEmpty());
    return events(asked, type).getFirst();
  }

  /** Returns how many replicas have seen each event of a type. */
  private List<Integer> replicasOf(String type) {
    return events(0, type).stream().map(one -> one.path("replicas").size()).toList();
  }

  @Test
  void replicaThatIsGone_isOneEvent_thatTheOthersHaveSeen() {
    Await.until("looks of all", () -> replicasOf("replicaJoined").equals(List.of(3, 3, 3)));
    cluster.loseLease(2);
    cluster.kill(2);
    Await.until("both have seen it", () -> replicasOf("replicaLeft").equals(List.of(2)));
    JsonNode left = events(1, "replicaLeft").getFirst();
    assertThat(left.path("subject").asText()).isEqualTo("coxswain-2");
    assertThat(left.path("message").asText())
        .contains("coxswain-2 holds no replica Lease any more");
  }

  @Test
  void change_isOneEvent_withActorReasonAndValues_onEachReplica() {
    Api.Answer scaled =
        cluster.at(0).change("PATCH", Api.DEMO, "{\"maxConcurrent\":3,\"reason\":\"INC-7\"}");
    scaled.ok(200);
    for (int asked = 0; asked < 3; asked++) {
      List<JsonNode> changes = events(asked, "change");
      assertThat(changes).as("asked of %s: one request of three replicas", asked).hasSize(1);
      assertThat(changes.getFirst().path("message").asText())
          .contains("setConcurrency", "maxConcurrent", "3", "INC-7");
      assertThat(changes.getFirst().path("controller").asText()).isEqualTo("demo");
      assertThat(changes.getFirst().has("actor")).isTrue();
    }
  }

  @Test
  void changeOfWhatIsSoAlready_isInTheAuditOnly() {
    JsonNode skipped = cluster.at(0).post(Api.DEMO + "/resume", "{\"reason\":\"INC-7\"}").ok(200);
    assertThat(skipped.path("result").asText()).isEqualTo("skipped");
    assertThat(events(0, "change")).isEmpty();
  }

  @Test
  void preview_isNoChange() {
    cluster.at(0).demo.put("payments", "a", Phase.DELAYED, 1, "Quota: used up");
    cluster
        .at(0)
        .post(
            Api.DEMO + "/operations",
            "{\"action\":\"retry\",\"dryRun\":true,\"selector\":{\"failing\":true},\"reason\":\"x\"}")
        .ok(200);
    assertThat(events(0, "change")).isEmpty();
  }

  @Test
  void changeOfASingleItem_isInTheAuditOnly() {
    String id = cluster.at(0).demo.put("payments", "a", Phase.DELAYED, 1, "Quota: used up");
    cluster.at(0).post(Api.DEMO + "/items/" + id + "/retry", "{\"reason\":\"INC-7\"}").ok(200);
    assertThat(events(0, "change")).isEmpty();
  }

  @Test
  void causeOfSeveralReplicas_isOneEvent_whenItWasSeenFirst() {
    for (int replica = 0; replica < 3; replica++) {
      cluster.at(replica).demo.put("payments", "x" + replica, Phase.DELAYED, 1, "Quota: used up");
    }
    List<JsonNode> seen = events(1, "causeFirstSeen");
    assertThat(seen).hasSize(1);
    assertThat(seen.getFirst().path("message").asText()).isEqualTo("Quota: used up");
    assertThat(seen.getFirst().path("replicas")).hasSize(3);
  }

  @Test
  void condition_beginsAndEnds_onItsReplica() {
    Await.until("a look", () -> !events(0, "replicaStarted").isEmpty());
    cluster.at(1).demo.conditions.set(ConditionType.SOURCE_FAILED, "the source has ended");
    JsonNode began = await(0, "conditionBegan");
    assertThat(began.path("message").asText()).isEqualTo("the source has ended");
    assertThat(began.path("subject").asText()).isEqualTo("sourceFailed@coxswain-1");
    cluster.at(1).demo.conditions.set(ConditionType.SOURCE_FAILED, "the source has ended, 2 s ago");
    cluster.at(1).demo.conditions.clear(ConditionType.SOURCE_FAILED);
    await(2, "conditionEnded");
    assertThat(events(0, "conditionBegan")).as("another text is no other condition").hasSize(1);
  }

  @Test
  void whatAReplicaHasSeen_outlivesIt_andIsShownOnce() {
    Store store = new Store();
    cluster.apis.forEach(api -> api.directory.history = store);
    cluster.at(1).demo.conditions.set(ConditionType.SOURCE_FAILED, "the source has ended");
    await(0, "conditionBegan");
    assertThat(events(0, "conditionBegan")).as("of the memory and of the store").hasSize(1);
    cluster.restart(1);
    cluster.at(1).directory.history = store;
    assertThat(events(2, "conditionBegan")).hasSize(1);
    assertThat(events(1, "conditionBegan")).hasSize(1);
  }

  @Test
  void filters_leaveOut_whatIsOlder_orOfAnotherController_andALimitCutsTheOldest() {
    cluster.at(0).change("PATCH", Api.DEMO, "{\"maxConcurrent\":3,\"reason\":\"INC-7\"}").ok(200);
    Await.until("looks", () -> events(0, "replicaStarted").size() == 3);
    assertThat(items("?since=2100-01-01T00:00:00Z")).isEmpty();
    assertThat(items("?controller=other&limit=500"))
        .isNotEmpty()
        .allMatch(one -> !one.has("controller"));
    assertThat(items("?limit=1")).hasSize(1);
    assertThat(cluster.at(0).get("/api/v1/timeline?limit=1").ok(200).path("more").asBoolean())
        .isTrue();
    cluster.at(0).get("/api/v1/timeline?type=nonsense").problem(400, "invalid-query");
    cluster.at(0).get("/api/v1/timeline?since=yesterday").problem(400, "invalid-query");
  }

  private List<JsonNode> items(String query) {
    return StreamSupport.stream(
            cluster.at(0).get("/api/v1/timeline" + query).ok(200).path("items").spliterator(),
            false)
        .toList();
  }

  @Test
  void whatOneReplicaSeesTwice_isTwoEvents_andWhatTwoSeeAtOnce_isOne() {
    Instant now = Instant.parse("2026-11-20T10:00:00Z");
    List<TimelineEvent> events =
        List.of(
            left(now.plusSeconds(2), "coxswain-1"),
            left(now.plusSeconds(2), "coxswain-1"), // stored as well
            left(now, "coxswain-0"),
            left(now.plusSeconds(9), "coxswain-0"),
            left(now.plus(Duration.ofMinutes(5)), "coxswain-1"));
    assertThat(ClusterTimeline.together(events))
        .extracting(TimelineEvent::at, one -> one.replicas().size())
        .containsExactly(
            Tuple.tuple(now, 2),
            Tuple.tuple(now.plusSeconds(9), 1),
            Tuple.tuple(now.plus(Duration.ofMinutes(5)), 1));
  }

  /** The replica that forwards a request records it without the values. */
  @Test
  void changeThatWasForwarded_isOne_withItsValues_andAnotherOfTheSameRequestIdIsNot() {
    Instant now = Instant.parse("2026-11-20T10:00:00Z");
    assertThat(
            ClusterTimeline.together(
                List.of(
                    change(now, "pause: INC-1", "coxswain-0"),
                    change(now.plusMillis(3), "pause (cause 5f2a91b0c3d4): INC-1", "coxswain-1"),
                    change(now.plusSeconds(9), "resume: INC-1", "coxswain-1"))))
        .extracting(TimelineEvent::message)
        .containsExactly("pause (cause 5f2a91b0c3d4): INC-1", "resume: INC-1");
  }

  private static TimelineEvent change(Instant at, String message, String replica) {
    return new TimelineEvent(
        at, TimelineType.CHANGE.label(), "demo", "request-1", message, "bob", List.of(replica));
  }

  private static TimelineEvent left(Instant at, String seenBy) {
    return new TimelineEvent(
        at, TimelineType.REPLICA_LEFT.label(), null, "coxswain-2", "gone", null, List.of(seenBy));
  }
}
