// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import static dev.coxswain.admin.Cluster3.states;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.internal.options.AdminOptions;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.testing.Await;
import io.vertx.core.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One operation on all replicas that run a controller, which any replica shows and stops. */
class ClusterOperationsTest {

  private static final String ORDERS = Api.DEMO + "/operations";
  private static final Pattern WITHIN = Pattern.compile("within (\\d+) ms");
  private static final String FLUSH =
      "{\"action\":\"flush\",\"then\":\"none\",\"selector\":{\"failing\":true},\"reason\":\"INC-1\"}";

  private final Cluster3 cluster = new Cluster3();

  @AfterEach
  void close() {
    cluster.close();
  }

  private void onlyAt(int replica) {
    for (int i = 0; i < 3; i++) {
      if (i != replica) {
        cluster.at(i).directory.handles.clear();
      }
    }
  }

  private static String address(JsonNode operation) {
    return "/api/v1/operations/" + operation.path("id").asText();
  }

  private JsonNode get(int replica, JsonNode operation) {
    return cluster.at(replica).get(address(operation)).ok(200);
  }

  @Test
  void anOperation_isCarriedOutByAllThatRunTheController_underOneId() {
    cluster.fill(0, 2);
    cluster.fill(1, 3);
    var answer = cluster.at(2).post(ORDERS, FLUSH);
    JsonNode begun = answer.ok(202);
    assertThat(answer.header("Location")).isEqualTo(address(begun));
    assertThat(states(begun, "parts")).hasSize(3);
    JsonNode over = cluster.at(1).ended(begun);
    assertThat(over.path("state").asText()).isEqualTo("Succeeded");
    assertThat(over.path("matched").asInt()).isEqualTo(5);
    assertThat(over.path("applied").asInt()).isEqualTo(5);
    assertThat(over.path("parts").path(1).path("applied").asInt()).isEqualTo(3);
    assertThat(over.path("partial").asBoolean(true)).isFalse();
    assertThat(cluster.at(0).demo.size() + cluster.at(1).demo.size()).isZero();
    for (Api api : cluster.apis) {
      JsonNode list = api.get("/api/v1/operations").ok(200);
      assertThat(list.path("items")).hasSize(1);
      assertThat(states(list.path("items").path(0), "parts")).hasSize(3);
    }
  }

  @Test
  void allParts_together_areNoFasterThanTheOrderSays() {
    cluster.fill(0, 2);
    cluster.fill(1, 2);
    cluster.fill(2, 2);
    String order = FLUSH.replace("{\"action\"", "{\"itemsPerSecond\":100,\"action\"");
    JsonNode begun = cluster.at(0).post(ORDERS, order).ok(202);
    assertThat(begun.path("itemsPerSecond").asInt()).isEqualTo(100);
    cluster.at(1).ended(begun);
    for (Api api : cluster.apis) {
      assertThat(api.demo.bulks.getLast().itemsPerSecond()).isEqualTo(33);
    }
  }

  @Test
  void anOperationOfAnotherReplica_isBegunShownAndStopped_throughAny() {
    onlyAt(2);
    cluster.fill(2, 2);
    cluster.at(2).demo.heldBulk = Promise.<BulkResult>promise();
    JsonNode begun = cluster.at(0).post(ORDERS, FLUSH, "X-Request-Id", "bulk-1").ok(202);
    assertThat(states(begun, "parts")).containsExactly("coxswain-2 Running");
    assertThat(states(get(1, begun), "parts")).containsExactly("coxswain-2 Running");
    assertThat(cluster.at(1).get("/api/v1/operations?state=Running").ok(200).path("items"))
        .hasSize(1);
    assertThat(cluster.at(1).get("/api/v1/operations?state=Failed").ok(200).path("items"))
        .isEmpty();
    cluster.at(0).post(ORDERS, FLUSH).problem(409, "operation-running");
    // It never ends in this test, so nobody knows whether it has stopped.
    JsonNode problem =
        cluster
            .at(1)
            .change("DELETE", address(begun), "{\"reason\":\"enough\"}")
            .problem(503, "outcome-unknown");
    assertThat(problem.path("results").path(0).path("state").asText()).isEqualTo("unknown");
    assertThat(cluster.at(2).demo.stops.get()).isEqualTo(1);
  }

  @Test
  void aReplicaThatIsKilledInTheMiddle_leavesAnUnknownPart_thatEveryOtherShows() {
    cluster.fill(0, 2);
    cluster.fill(1, 2);
    cluster.at(1).demo.heldBulk = Promise.<BulkResult>promise();
    JsonNode begun = cluster.at(0).post(ORDERS, FLUSH).ok(202);
    Await.until(() ->
        states(get(0, begun), "parts")
            .containsAll(List.of("coxswain-0 Succeeded", "coxswain-2 Succeeded")));
    cluster.kill(1);
    for (int asked : new int[] {0, 2}) {
      JsonNode over = get(asked, begun);
      assertThat(states(over, "parts"))
          .containsExactly("coxswain-0 Succeeded", "coxswain-1 Unknown", "coxswain-2 Succeeded");
      assertThat(over.path("state").asText()).isEqualTo("PartiallySucceeded");
      assertThat(over.path("partial").asBoolean()).isTrue();
      assertThat(over.path("applied").asInt()).isEqualTo(2);
      assertThat(over.path("parts").path(1).has("applied")).isFalse();
      assertThat(over.path("detail").asText())
          .as("its counts lack that part")
          .startsWith("coxswain-1: Unknown, ");
    }
  }

  @Test
  void theOnlyReplicaOfAnOperation_isKilled_andTheOthersStillKnowOfIt() {
    onlyAt(1);
    cluster.fill(1, 2);
    cluster.at(1).demo.heldBulk = Promise.<BulkResult>promise();
    // Through the replica itself, so that nobody else had to do with it.
    JsonNode begun = cluster.at(1).post(ORDERS, FLUSH).ok(202);
    for (int asked : new int[] {0, 2}) {
      Await.until(() -> cluster.at(asked).get(address(begun) + "?scope=local").status() == 200);
    }
    cluster.kill(1);
    for (int asked : new int[] {0, 2}) {
      JsonNode known = get(asked, begun);
      assertThat(states(known, "parts")).containsExactly("coxswain-1 Unknown");
      assertThat(known.path("state").asText()).isEqualTo("Unknown");
      assertThat(known.path("reason").asText()).isEqualTo("INC-1");
      assertThat(known.path("actor").asText()).isNotEmpty();
      JsonNode listed =
          cluster.at(asked).get("/api/v1/operations?state=Unknown").ok(200).path("items");
      assertThat(listed).hasSize(1);
      cluster
          .at(asked)
          .change("DELETE", address(begun), "{\"reason\":\"x\"}")
          .problem(503, "replica-unreachable");
    }
  }

  @Test
  void aFinishedOperation_doesNotChange_whenItsReplicasDieLater() {
    cluster.fill(0, 2);
    cluster.fill(1, 3);
    JsonNode begun = cluster.at(0).post(ORDERS, FLUSH).ok(202);
    JsonNode over = cluster.at(0).ended(begun);
    cluster.kill(1);
    // The last replica has not been read before: it receives the part from the first one.
    for (int asked : new int[] {0, 2}) {
      JsonNode later = get(asked, begun);
      for (String field : List.of("state", "matched", "applied", "endedAt", "parts", "detail")) {
        assertThat(later.path(field)).as(field).isEqualTo(over.path(field));
      }
      assertThat(later.has("finalParts")).isFalse();
      JsonNode listed = cluster.at(asked).get("/api/v1/operations").ok(200).at("/items/0");
      assertThat(listed.path("state").asText()).isEqualTo("Succeeded");
      assertThat(states(listed, "parts")).isEqualTo(states(over, "parts"));
    }
    cluster.kill(0);
    assertThat(get(2, begun).path("applied").asInt()).isEqualTo(5);
  }

  /** The replica that lists has not merged it before. */
  @Test
  void aList_showsTheSameFinalParts_asAGet() {
    cluster.fill(0, 2);
    cluster.fill(1, 3);
    JsonNode begun = cluster.at(0).post(ORDERS, FLUSH).ok(202);
    JsonNode over = cluster.at(0).ended(begun);
    cluster.kill(1);
    JsonNode listed = cluster.at(2).get("/api/v1/operations").ok(200).at("/items/0");
    for (String field : List.of("state", "matched", "applied", "endedAt", "parts", "detail")) {
      assertThat(listed.path(field)).as(field).isEqualTo(over.path(field));
    }
    assertThat(listed.has("finalParts")).isFalse();
  }

  @Test
  void allParts_areConfirmedTogether() {
    cluster.fill(0, 6);
    cluster.fill(1, 7);
    JsonNode refused = cluster.at(2).post(ORDERS, FLUSH).problem(409, "confirmation-required");
    assertThat(refused.path("current").path("matched").asInt()).isEqualTo(13);
    JsonNode preview = cluster.at(2).post(ORDERS, "{\"dryRun\":true," + FLUSH.substring(1)).ok(200);
    assertThat(preview.path("matched").asInt()).isEqualTo(13);
    assertThat(preview.path("byReplica").path("coxswain-1").asInt()).isEqualTo(7);
    assertThat(preview.path("sample")).hasSize(10);
    assertThat(cluster.at(0).demo.size()).isEqualTo(6);
    String confirmed =
        "{\"confirmToken\":\"" + preview.path("confirmToken").asText() + "\"," + FLUSH.substring(1);
    String other = confirmed.replace("\"failing\":true", "\"failing\":true,\"minFailures\":1");
    cluster.at(0).post(ORDERS, other).problem(410, "confirm-token-invalid");
    cluster
        .at(0)
        .post(ORDERS, "{\"maxAffected\":12," + confirmed.substring(1))
        .problem(409, "too-many-affected");
    assertThat(
            cluster
                .at(1)
                .ended(cluster.at(0).post(ORDERS, confirmed).ok(202))
                .path("applied")
                .asInt())
        .isEqualTo(13);
  }

  /** A part that would be refused keeps the others from beginning. */
  @Test
  void noPartBegins_whenOneIsNotWhatWasConfirmed() {
    cluster.fill(0, 6);
    cluster.fill(1, 7);
    String confirmed = cluster.at(0).confirmed(ORDERS, FLUSH);
    cluster.at(1).demo.startedAt = FakeController.START.plusSeconds(1); // another run
    cluster.at(0).post(ORDERS, confirmed).problem(410, "confirm-token-invalid");
    assertThat(cluster.at(0).demo.size()).isEqualTo(6);
    for (Api api : cluster.apis) {
      assertThat(api.demo.bulks).allMatch(bulk -> bulk.dryRun());
    }
  }

  @Test
  void aConfirmationOfReplicasThatAreNoLongerThere_isRefused() {
    cluster.fill(0, 6);
    cluster.fill(1, 7);
    String confirmed = cluster.at(0).confirmed(ORDERS, FLUSH);
    cluster.kill(2);
    cluster.at(0).post(ORDERS, confirmed).problem(410, "confirm-token-expired");
    assertThat(cluster.at(0).demo.size()).isEqualTo(6);
    JsonNode again = cluster.at(0).post(ORDERS, cluster.at(1).confirmed(ORDERS, FLUSH)).ok(202);
    assertThat(again.path("partial").asBoolean()).isTrue();
    assertThat(again.path("parts")).hasSize(2);
  }

  @Test
  void whatIsWrong_isWrongAtWhicheverReplica() {
    onlyAt(1);
    cluster
        .at(0)
        .post(ORDERS, "{\"action\":\"flush\",\"reason\":\"x\"}")
        .problem(400, "invalid-body");
    cluster.at(0).get("/api/v1/operations/op-00000000-1").problem(404, "operation-not-found");
    cluster.at(0).get("/api/v1/operations?state=Done").problem(400, "invalid-query");
    cluster.kill(1);
    cluster.at(0).post(ORDERS, FLUSH).problem(503, "replica-unreachable");
    cluster.at(0).get("/api/v1/operations/op-00000000-1").problem(503, "replica-unreachable");
  }

  @Test
  void aPartThatWasRefused_isShownAsRefused_byEveryReplica() {
    cluster.fill(0, 2);
    cluster.fill(1, 2);
    cluster.at(1).demo.heldBulk = Promise.<BulkResult>promise();
    cluster.at(1).post(ORDERS + "?scope=local", FLUSH).ok(202); // one at a time
    JsonNode begun = cluster.at(0).post(ORDERS, FLUSH).ok(202);
    assertThat(begun.path("results").path(1).path("problem").asText())
        .isEqualTo("operation-running");
    assertThat(states(begun, "parts")).contains("coxswain-1 Refused");
    for (int asked = 0; asked < 3; asked++) {
      int replica = asked;
      Await.until(() ->
          states(get(replica, begun), "parts")
              .equals(
                  List.of("coxswain-0 Succeeded", "coxswain-1 Refused", "coxswain-2 Succeeded")));
      JsonNode over = get(asked, begun);
      assertThat(over.path("state").asText()).isEqualTo("PartiallySucceeded");
      assertThat(over.path("partial").asBoolean(true)).isFalse();
      assertThat(over.path("parts").path(1).path("detail").asText()).contains("operation-running");
      // Each replica that is left alone with it still knows.
      JsonNode alone = cluster.at(asked).get(address(begun) + "?scope=local").ok(200);
      assertThat(states(alone, "parts")).contains("coxswain-1 Refused");
    }
    assertThat(cluster.at(1).demo.size()).isEqualTo(2);
  }

  @Test
  void threeRoundsOfQuestions_fitIntoTheLimitOfOneRequest() {
    cluster.fill(1, 2);
    cluster.at(1).demo.mood = FakeController.Mood.SILENT;
    long limit = AdminOptions.DEFAULT.requestTimeout().toMillis();
    for (int asked : new int[] {0, 1}) {
      assertThat(patience(asked, FLUSH)).isBetween(limit / 10, limit * 9 / 10 / 2);
    }
  }

  @Test
  void aPreview_mayTakeWhatIsLeftOfTheLimit() {
    cluster.fill(1, 2);
    cluster.at(1).demo.mood = FakeController.Mood.SILENT;
    long limit = AdminOptions.DEFAULT.requestTimeout().toMillis();
    for (int asked : new int[] {0, 1}) {
      assertThat(patience(asked, FLUSH.replace("{\"action\"", "{\"dryRun\":true,\"action\"")))
          .isBetween(limit / 2, limit * 9 / 10);
    }
  }

  /** Returns how long a replica was waited for that does not answer, in milliseconds. */
  private long patience(int asked, String order) {
    JsonNode problem = cluster.at(asked).post(ORDERS, order).problem(503, "replica-unreachable");
    Matcher within = WITHIN.matcher(problem.path("detail").asText());
    assertThat(within.find()).as("%s", problem).isTrue();
    return Long.parseLong(within.group(1));
  }

  /** All replicas answer that they do not have it, so nothing is unknown. */
  @Test
  void anUnknownOperation_isNotFound_byWhicheverReplica() {
    for (String id : List.of("op-1", "op-00000000-1", "op-0badcafe-123456789012345678", "none")) {
      for (int i = 0; i < 3; i++) {
        cluster
            .at(i)
            .change("DELETE", "/api/v1/operations/" + id, "{\"reason\":\"x\"}")
            .problem(404, "operation-not-found");
        cluster.at(i).get("/api/v1/operations/" + id).problem(404, "operation-not-found");
      }
    }
    onlyAt(1);
    cluster
        .at(0)
        .change("DELETE", "/api/v1/operations/op-1", "{\"reason\":\"x\"}", "Idempotency-Key", "k-1")
        .problem(404, "operation-not-found");
  }

  /** A replica that takes the request and does not answer could have stopped it, if it was sent. */
  @Test
  void anUnknownOperation_hasNoUnknownOutcome_whenAReplicaIsSilent() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      cluster.move(0, 2, "http://127.0.0.1:" + silent.getLocalPort());
      JsonNode problem =
          cluster
              .at(0)
              .change("DELETE", "/api/v1/operations/op-00000000-1", "{\"reason\":\"x\"}")
              .problem(503, "replica-unreachable");
      assertThat(problem.path("detail").asText()).contains("coxswain-2 did not answer");
    }
  }
}
