// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import static dev.coxswain.admin.Cluster3.states;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.event.Intervals;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.Phase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The audit of all replicas is one list, whichever of them is asked. */
class ClusterAuditsTest {

  private static final String AUDIT = "/api/v1/audit";

  private final Cluster3 cluster = new Cluster3();

  @AfterEach
  void close() {
    cluster.close();
  }

  /** Makes a change at one replica, which has two records then. */
  private void change(int replica, String reason) {
    cluster
        .at(replica)
        .post(Api.DEMO + "/resume?scope=local", "{\"reason\":\"" + reason + "\"}")
        .ok(200);
  }

  private static List<String> shown(JsonNode page) {
    List<String> shown = new ArrayList<>();
    page.path("items")
        .forEach(one -> shown.add(one.path("replica").asText() + " " + one.path("seq").asText()));
    return shown;
  }

  /** What the list should be, by a plain sort of what each replica has. */
  private List<String> model() {
    List<JsonNode> all = new ArrayList<>();
    for (Api api : cluster.apis) {
      api.get(AUDIT + "?scope=local&limit=500").ok(200).path("items").forEach(all::add);
    }
    Comparator<JsonNode> youngestFirst =
        Comparator.comparing((JsonNode one) -> Instant.parse(one.path("at").asText())).reversed();
    return all.stream()
        .sorted(
            youngestFirst
                .thenComparing(one -> one.path("replica").asText())
                .thenComparingLong(one -> -one.path("seq").asLong()))
        .map(one -> one.path("replica").asText() + " " + one.path("seq").asText())
        .toList();
  }

  @Test
  void aWalk_showsEveryRecordOnce_theYoungestFirst_whileMoreAreWritten() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 40; i++) {
      change(random.nextInt(3), "before");
    }
    List<String> expected = model();
    List<String> seen = new ArrayList<>();
    String next = "";
    do {
      String query = "?limit=" + (1 + random.nextInt(9)) + next;
      JsonNode page = cluster.at(random.nextInt(3)).get(AUDIT + query).ok(200);
      assertThat(page.path("partial").asBoolean(true)).as("seed %d", seed).isFalse();
      assertThat(states(page)).containsExactly("coxswain-0 ok", "coxswain-1 ok", "coxswain-2 ok");
      seen.addAll(shown(page));
      change(random.nextInt(3), "meanwhile");
      next = page.has("continue") ? "&continue=" + page.path("continue").asText() : "";
    } while (!next.isEmpty());
    assertThat(seen).as("seed %d", seed).isEqualTo(expected);
  }

  @Test
  void filters_holdAtEveryReplica() {
    change(0, "a");
    change(1, "b");
    cluster.at(2).post(Api.DEMO + "/pause?scope=local", "{\"reason\":\"c\"}").ok(200);
    JsonNode list = cluster.at(1).get(AUDIT + "?action=resume").ok(200);
    assertThat(list.path("items").findValuesAsText("reason")).containsExactly("b", "b", "a", "a");
    assertThat(cluster.at(0).get(AUDIT + "?since=2999-01-01T00:00:00Z").ok(200).path("items"))
        .isEmpty();
    cluster.at(0).get(AUDIT + "?since=yesterday").problem(400, "invalid-query");
    cluster.at(0).get(AUDIT + "?replica=coxswain-1&more=1").problem(400, "invalid-query");
  }

  @Test
  void oneReplica_isEnough_whenItIsAskedFor() {
    change(0, "a");
    change(1, "b");
    cluster.kill(2);
    JsonNode local = cluster.at(0).get(AUDIT + "?scope=local&limit=1").ok(200);
    assertThat(states(local)).containsExactly("coxswain-0 ok");
    assertThat(shown(local)).containsExactly("coxswain-0 2");
    JsonNode rest =
        cluster.at(1).get(AUDIT + "?continue=" + local.path("continue").asText()).ok(200);
    assertThat(shown(rest)).containsExactly("coxswain-0 1");
    JsonNode other = cluster.at(0).get(AUDIT + "?replica=coxswain-1").ok(200);
    assertThat(states(other)).containsExactly("coxswain-1 ok");
    assertThat(shown(other)).containsExactly("coxswain-1 2", "coxswain-1 1");
    cluster.at(0).get(AUDIT + "?replica=coxswain-9").problem(404, "replica-not-found");
    cluster.at(0).get(AUDIT + "?replica=coxswain-2").problem(503, "replica-unreachable");
  }

  @Test
  void aReplicaThatIsLostInTheWalk_isNamedOnEveryFurtherPage_andTheOthersAreShownToTheEnd() {
    change(0, "a");
    change(1, "b");
    change(2, "c");
    change(0, "d");
    JsonNode first = cluster.at(0).get(AUDIT + "?limit=3").ok(200);
    assertThat(shown(first)).containsExactly("coxswain-0 4", "coxswain-0 3", "coxswain-2 2");
    cluster.kill(2);
    JsonNode second = next(0, first, 1);
    JsonNode third = next(1, second, 100);
    for (JsonNode page : List.of(second, third)) {
      assertThat(page.path("partial").asBoolean()).isTrue();
      assertThat(states(page))
          .containsExactly("coxswain-0 ok", "coxswain-1 ok", "coxswain-2 unreachable");
    }
    assertThat(shown(second)).containsExactly("coxswain-1 2");
    assertThat(shown(third)).containsExactly("coxswain-1 1", "coxswain-0 2", "coxswain-0 1");
    assertThat(third.has("continue")).isFalse();
  }

  private JsonNode next(int replica, JsonNode page, int limit) {
    String query = "?limit=" + limit + "&continue=" + page.path("continue").asText();
    return cluster.at(replica).get(AUDIT + query).ok(200);
  }

  @Test
  void aReplicaThatWasStartedAgain_hasForgottenItsRecords_andTheWalkSaysSo() {
    change(1, "a");
    change(0, "b");
    JsonNode first = cluster.at(0).get(AUDIT + "?limit=1").ok(200);
    try (Api again =
        new Api("coxswain-1", AccessControl.open(), Clock.system(), o -> o, Intervals.DEFAULT)) {
      cluster.move(0, 1, "http://127.0.0.1:" + again.port);
      JsonNode second = next(0, first, 100);
      assertThat(shown(second)).containsExactly("coxswain-0 1");
      assertThat(states(second))
          .containsExactly("coxswain-0 ok", "coxswain-1 refused", "coxswain-2 ok");
      assertThat(second.at("/replicas/1/error").asText()).contains("has restarted");
    }
  }

  @Test
  void everyReplica_findsOutItself_whetherTheCallerMayRead() {
    Reviewers reviewers = new Reviewers();
    try (Cluster3 guarded = new Cluster3(reviewers.control(ReviewLimits.DEFAULT))) {
      var request = guarded.at(0).request(AUDIT).header("Authorization", "Bearer good-alice");
      JsonNode list = guarded.at(0).send(request).ok(200);
      assertThat(list.path("partial").asBoolean(true)).isFalse();
      assertThat(reviewers.rights)
          .hasSize(3)
          .containsOnly(new AccessRequest(Verb.LIST, Access.AUDIT, "", ""));
    }
  }

  @Test
  void aReplicaThatDoesNotLetTheCallerRead_isRefused_andTheOthersAreShown() {
    Reviewers strict = new Reviewers();
    strict.denied.add(new AccessRequest(Verb.LIST, Access.AUDIT, "", ""));
    try (Cluster3 guarded = new Cluster3(new Reviewers().control(ReviewLimits.DEFAULT))) {
      guarded.kill(2);
      guarded.apis.set(
          2,
          new Api(
              "coxswain-2",
              strict.control(ReviewLimits.DEFAULT),
              Clock.system(),
              options -> options,
              Intervals.DEFAULT));
      guarded.acquireLeases();
      var request = guarded.at(0).request(AUDIT).header("Authorization", "Bearer good-alice");
      JsonNode list = guarded.at(0).send(request).ok(200);
      assertThat(list.path("partial").asBoolean()).isTrue();
      assertThat(list.path("replicas").findValuesAsText("state"))
          .containsExactly("ok", "ok", "refused");
      assertThat(list.at("/replicas/2/error").asText()).contains("403", "may not list audit");
    }
  }

  @Test
  void aPlaceThatIsNone_isRefused() {
    cluster.at(0).demo.put("ns", "a", Phase.DELAYED, 0, null);
    cluster.at(1).demo.put("ns", "b", Phase.DELAYED, 0, null);
    String ofItems =
        cluster.at(0).get(Api.DEMO + "/items?limit=1").ok(200).path("continue").asText();
    for (String bad : List.of("x", "w1.", "w1.e30.0", ofItems)) {
      cluster.at(0).get(AUDIT + "?continue=" + bad).problem(400, "invalid-cursor");
    }
  }

  @Test
  void aPlaceOfAnotherFilter_isRefused() {
    change(0, "a");
    change(1, "b");
    String place =
        cluster.at(0).get(AUDIT + "?limit=1&controller=demo").ok(200).path("continue").asText();
    for (String wrong : List.of("", "&controller=other", "&controller=demo&action=pause")) {
      cluster.at(1).get(AUDIT + "?continue=" + place + wrong).problem(400, "invalid-cursor");
    }
    cluster.at(1).get(AUDIT + "?controller=demo&limit=2&continue=" + place).ok(200);
  }
}
