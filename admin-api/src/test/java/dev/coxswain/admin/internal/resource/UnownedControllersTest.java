// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import static dev.coxswain.admin.Cluster3.states;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.EventListener;
import dev.coxswain.admin.EventListener.Event;
import dev.coxswain.admin.FakeDirectory;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.internal.event.ClusterEventsTest;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.ControllerDirectory.IdleController;
import dev.coxswain.admin.spi.ControllerDirectory.IdlePhase;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Between the death of the replica that runs a controller and its start on another one, the API
 * answered with an empty list, {@code partial: false} and 404.
 */
@Timeout(120)
class UnownedControllersTest {

  private static final String ALL = "/api/v1/controllers";
  private static final Instant SEEN = Instant.parse("2026-11-20T10:02:11Z");
  private static final String ID = new ItemId("payments", "x").encoded();

  private final Cluster3 cluster =
      new Cluster3(replica -> AccessControl.open(), options -> options, ClusterEventsTest.FAST);

  /** The controller runs on the last replica, and the others know it. */
  @BeforeEach
  void leaderIsTheLast() {
    for (int replica = 0; replica < 2; replica++) {
      cluster.at(replica).directory.handles.clear();
      idle(replica, IdlePhase.STANDBY, "coxswain-2", true);
    }
  }

  @AfterEach
  void close() {
    cluster.close();
  }

  private void idle(int replica, IdlePhase phase, @Nullable String owner, boolean owned) {
    FakeDirectory directory = cluster.at(replica).directory;
    directory.idle.clear();
    directory.idle.add(new IdleController("demo", phase, SEEN, owner, owned));
  }

  private void leaderIsKilled() {
    cluster.kill(2);
  }

  /** Its Leases have expired, and no other replica has taken that of the election yet. */
  private void leaderIsGone() {
    cluster.kill(2);
    cluster.loseLease(2);
    idle(0, IdlePhase.STANDBY, "coxswain-2", false);
    idle(1, IdlePhase.STANDBY, "coxswain-2", false);
  }

  private JsonNode listed(int asked) {
    JsonNode list = cluster.at(asked).get(ALL).ok(200);
    assertThat(list.path("items")).hasSize(1);
    return list;
  }

  @Test
  void whileTheOwnerRunsIt_replicasThatDoNotAreNotShown() {
    for (int asked = 0; asked < 3; asked++) {
      JsonNode list = listed(asked);
      assertThat(list.path("partial").asBoolean(true)).isFalse();
      JsonNode demo = list.path("items").path(0);
      assertThat(demo.path("state").asText()).isEqualTo("running");
      assertThat(demo.path("parts").findValuesAsText("replica")).containsExactly("coxswain-2");
      assertThat(cluster.at(asked).get(Api.DEMO).ok(200).path("state").asText())
          .isEqualTo("running");
    }
  }

  @Test
  void theOwnerIsKilled_theControllerIsListedWithoutOwner_andTheAnswerIsPartial() {
    leaderIsKilled();
    for (int asked = 0; asked < 2; asked++) {
      JsonNode list = listed(asked);
      assertThat(list.path("partial").asBoolean()).isTrue();
      assertThat(states(list))
          .containsExactly("coxswain-0 ok", "coxswain-1 ok", "coxswain-2 unreachable");
      isUnowned(list.path("items").path(0));
      isUnowned(cluster.at(asked).get(Api.DEMO).ok(200));
    }
  }

  @Test
  void theOwnerIsGone_theAnswerStaysPartial_andNamesIt_untilAnotherReplicaRunsTheController() {
    leaderIsGone();
    for (int asked = 0; asked < 2; asked++) {
      JsonNode list = listed(asked);
      assertThat(list.path("partial").asBoolean()).isTrue();
      assertThat(states(list)).containsExactly("coxswain-0 ok", "coxswain-1 ok", "coxswain-2 gone");
      isUnowned(list.path("items").path(0));
      JsonNode one = cluster.at(asked).get(Api.DEMO).ok(200);
      assertThat(one.path("partial").asBoolean()).isTrue();
      isUnowned(one);
    }
    cluster.at(1).directory.handles.put("demo", cluster.at(1).demo);
    JsonNode list = listed(0);
    assertThat(list.path("partial").asBoolean(true)).isFalse();
    assertThat(states(list)).containsExactly("coxswain-0 ok", "coxswain-1 ok");
    assertThat(list.path("items").path(0).path("state").asText()).isEqualTo("running");
  }

  private static void isUnowned(JsonNode controller) {
    assertThat(controller.path("state").asText()).isEqualTo("unowned");
    assertThat(controller.path("since").asText()).isEqualTo(SEEN.toString());
    assertThat(controller.path("lastOwner").asText()).isEqualTo("coxswain-2");
    assertThat(controller.path("conditions").path(0).path("type").asText()).isEqualTo("noOwner");
    assertThat(controller.path("conditions").path(0).path("message").asText())
        .contains("coxswain-2");
    assertThat(controller.path("parts").findValuesAsText("state"))
        .containsExactly("standby", "standby");
  }

  @Test
  void whatOnlyAnOwnerHas_isRefusedTheSameOnEveryRoute() {
    leaderIsGone();
    Api api = cluster.at(0);
    List<Api.Answer> answers =
        List.of(
            api.get(Api.DEMO + "/items"),
            api.get(Api.item(ID)),
            api.get(Api.item(ID) + "/explain"),
            api.post(Api.DEMO + "/items", "{\"name\":\"a\",\"reason\":\"r\"}"),
            api.post(Api.item(ID) + "/retry", "{\"reason\":\"r\"}"),
            api.post(Api.DEMO + "/pause", "{\"reason\":\"r\"}"),
            api.change("PATCH", Api.DEMO, "{\"maxConcurrent\":3,\"reason\":\"r\"}"),
            api.post(
                Api.DEMO + "/operations",
                "{\"action\":\"retry\",\"all\":true,\"dryRun\":true,\"reason\":\"r\"}"));
    for (Api.Answer answer : answers) {
      String what = answer.http().uri().toString();
      JsonNode problem = answer.problem(503, "no-owner");
      assertThat(answer.header("Retry-After")).as(what).isEqualTo("2");
      assertThat(problem.path("since").asText()).as(what).isEqualTo(SEEN.toString());
      assertThat(problem.path("lastOwner").asText()).as(what).isEqualTo("coxswain-2");
      assertThat(problem.path("detail").asText())
          .as(what)
          .contains("has no owner since", "coxswain-2");
    }
    api.get(ALL + "/unknown").problem(404, "controller-not-found");
    api.get(ALL + "/unknown/items").problem(404, "controller-not-found");
  }

  @Test
  void theOwnerDoesNotAnswer_isNamedInTheRefusal() {
    leaderIsKilled();
    JsonNode problem = cluster.at(1).get(Api.DEMO + "/items").problem(503, "no-owner");
    assertThat(problem.path("detail").asText())
        .contains("coxswain-2 holds the Lease and does not answer");
    assertThat(states(problem))
        .containsExactly("coxswain-0 ok", "coxswain-1 ok", "coxswain-2 unreachable");
  }

  @Test
  void aReplicaAskedForItselfAlone_isOnStandby_whileAnOwnerMayAct() {
    for (String scope : List.of("?scope=local", "?replica=coxswain-0")) {
      JsonNode demo = cluster.at(0).get(Api.DEMO + scope).ok(200);
      assertThat(demo.path("state").asText()).isEqualTo("standby");
      assertThat(demo.path("partial").asBoolean(true)).isFalse();
      cluster.at(0).get(Api.DEMO + "/items" + scope).problem(503, "controller-not-running");
    }
    assertThat(cluster.at(2).get(Api.DEMO + "?replica=coxswain-1").ok(200).path("state").asText())
        .isEqualTo("standby");
  }

  @Test
  void anOwnerThatIsNotKnownAsAReplica_isMissing_andTheControllerIsNotUnowned() {
    cluster.loseLease(2);
    JsonNode list = listed(0);
    assertThat(list.path("partial").asBoolean()).isTrue();
    assertThat(states(list))
        .containsExactly("coxswain-0 ok", "coxswain-1 ok", "coxswain-2 unreachable");
    assertThat(list.path("items").path(0).path("state").asText()).isEqualTo("standby");
  }

  /** Commands try again by the header; without it one of them ended between two that waited. */
  @Test
  void
      theReplicaLeaseOfTheOwnerExpiresBeforeThatOfTheElection_requestsAreToBeTriedAgain_unlessOneReplicaIsAsked() {
    leaderIsKilled();
    cluster.loseLease(2);
    Api.Answer items = cluster.at(0).get(Api.DEMO + "/items");
    items.problem(503, "controller-not-running");
    assertThat(items.header("Retry-After")).isEqualTo("2");
    Api.Answer alone = cluster.at(0).get(Api.DEMO + "/items?scope=local");
    alone.problem(503, "controller-not-running");
    assertThat(alone.header("Retry-After")).isEmpty();
  }

  @Test
  void aReplicaThatIsAboutToStartIt_isNamed() {
    leaderIsGone();
    idle(1, IdlePhase.STARTING, null, false);
    JsonNode demo = listed(0).path("items").path(0);
    assertThat(demo.path("state").asText()).isEqualTo("starting");
    assertThat(demo.path("conditions").path(0).path("message").asText())
        .isEqualTo("coxswain-1 is starting it");
    assertThat(cluster.at(0).get(Api.DEMO + "/items").problem(503, "no-owner").toString())
        .contains("coxswain-1 is starting it");
  }

  @Test
  void aSingleReplica_beforeItsControllersStart_listsThem() {
    cluster.loseLease(0);
    cluster.loseLease(1);
    cluster.loseLease(2);
    idle(0, IdlePhase.STARTING, null, false);
    JsonNode list = listed(0);
    assertThat(list.path("items").path(0).path("state").asText()).isEqualTo("starting");
    assertThat(list.path("partial").asBoolean()).isTrue();
    cluster.at(0).get(Api.DEMO + "/items").problem(503, "no-owner");
    cluster.at(0).get(ALL + "/unknown").problem(404, "controller-not-found");
  }

  @Test
  void aControllerThatFailedToStart_isShownAsThat() {
    leaderIsGone();
    FakeDirectory directory = cluster.at(1).directory;
    directory.idle.clear();
    directory.failed.add(
        new ControllerDirectory.FailedController("demo", "no such limiter", SEEN, 1, null));
    assertThat(listed(0).path("items").path(0).path("state").asText()).isEqualTo("failed");
    cluster.at(0).get(Api.DEMO + "/items").problem(503, "controller-not-running");
  }

  @Test
  void aWalkWhoseOwnerIsGone_endsWithTheReason() {
    for (int i = 0; i < 40; i++) {
      cluster.at(2).demo.put("payments", "n" + i, Phase.DELAYED, 1, "boom");
    }
    JsonNode page = cluster.at(0).get(Api.DEMO + "/items?limit=10").ok(200);
    leaderIsGone();
    JsonNode end =
        cluster
            .at(1)
            .get(Api.DEMO + "/items?limit=10&continue=" + page.path("continue").asText())
            .problem(410, "cursor-expired");
    assertThat(end.has("continue")).isFalse();
    assertThat(end.path("detail").asText()).contains("no replica that answered runs");
  }

  private static boolean namesWhoIsGone(Event event) {
    return event.name().equals("partial")
        && ClusterEventsTest.states(event)
            .equals(List.of("coxswain-0 ok", "coxswain-1 ok", "coxswain-2 gone"));
  }

  @Test
  void aStream_saysThatNoReplicaRunsIt_untilOneDoes() throws IOException {
    try (EventListener stream = new EventListener(cluster.at(0), "?topics=controllers")) {
      stream.until("synced", event -> true);
      leaderIsGone();
      // In either order: one comes from the other replica.
      List<Event> seen =
          stream.until(
              "controller",
              event ->
                  event.replica().equals("coxswain-1")
                      && event.json().path("state").asText().equals("standby")
                      && !event.json().path("owned").asBoolean(true)
                      && event.json().path("lastOwner").asText().equals("coxswain-2"));
      if (seen.stream().noneMatch(UnownedControllersTest::namesWhoIsGone)) {
        stream.until("partial", UnownedControllersTest::namesWhoIsGone);
      }
      cluster.at(1).directory.handles.put("demo", cluster.at(1).demo);
      idle(0, IdlePhase.STANDBY, "coxswain-1", true);
      idle(1, IdlePhase.STANDBY, "coxswain-1", true);
      stream.until(
          "controller",
          event ->
              event.replica().equals("coxswain-1")
                  && event.json().path("state").asText().equals("running"));
    }
  }

  @Test
  void anUnknownCause_isNotFound_thoughOthersStandBy() {
    for (int replica = 0; replica < 3; replica++) {
      cluster.at(replica).get(Api.DEMO + "/causes/0123456789ab").problem(404, "cause-not-found");
      assertThat(cluster.at(replica).get(Api.DEMO + "/causes").ok(200).path("partial").asBoolean())
          .isFalse();
    }
  }
}
