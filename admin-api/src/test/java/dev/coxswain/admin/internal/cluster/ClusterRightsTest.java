// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.http.ApiHeaders;
import dev.coxswain.admin.internal.operation.OperationHeader;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.testing.Await;
import dev.coxswain.view.Phase;
import io.vertx.core.Promise;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What somebody with few rights can reach of the operations of others, between replicas. */
class ClusterRightsTest {

  private static final String ORDERS = Api.DEMO + "/operations";
  private static final String FORGET =
      "{\"action\":\"forget\",\"selector\":{\"failing\":true},\"reason\":\"INC-1\"}";
  private static final String ROOT = "Bearer good-root";

  private final Reviewers reviewers = new Reviewers();
  private final Cluster3 cluster =
      new Cluster3(
          reviewers.control(ReviewLimits.DEFAULT),
          options -> options.withRequestTimeout(Duration.ofSeconds(60)));

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

  private JsonNode order(int replica) {
    return cluster.at(replica).post(ORDERS, FORGET, "Authorization", ROOT).ok(202);
  }

  private static AccessRequest right(Verb verb, String name) {
    return new AccessRequest(verb, Access.OPERATIONS, "", name);
  }

  /**
   * An id can be foreseen. Who may stop nothing asks to stop the next operation before there is it,
   * which is let through to be asked elsewhere, and ends the body only when it runs.
   */
  @ParameterizedTest
  @ValueSource(strings = {"/api/v1/operations/", "/p%65er/v1/operations/"})
  void anOperationThatBeginsAfterTheRightWasAskedFor_isNotStoppedByAStranger(String path)
      throws IOException {
    onlyAt(0);
    cluster.at(0).demo.put("ns", "a", Phase.DELAYED, 1, "boom");
    String first = order(0).path("id").asText();
    String next = first.substring(0, first.lastIndexOf('-')) + "-2";
    Await.until(() ->
        cluster
            .at(0)
            .send(
                cluster.at(0).request("/api/v1/operations/" + first).header("Authorization", ROOT))
            .ok(200)
            .path("state")
            .asText()
            .equals("Succeeded"));
    reviewers.denied.add(right(Verb.STOP, ""));
    reviewers.denied.add(right(Verb.STOP, "demo"));
    reviewers.rights.clear();
    cluster.at(0).demo.heldBulk = Promise.<BulkResult>promise();
    String body = "{\"reason\":\"mine\"}";
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), cluster.at(0).port)) {
      socket.setSoTimeout(60_000);
      write(
          socket,
          "DELETE "
              + path
              + next
              + "?scope=local HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer good-mallory\r\n"
              + "Coxswain-Peer: 1\r\nConnection: close\r\nContent-Type: application/json\r\n"
              + "Content-Length: "
              + body.length()
              + "\r\n\r\n");
      Await.until(() -> reviewers.rights.contains(right(Verb.STOP, "")));
      assertThat(order(0).path("id").asText()).isEqualTo(next);
      write(socket, body);
      String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(answer)
          .as("stopped %s times", cluster.at(0).demo.stops.get())
          .startsWith("HTTP/1.1 403 ");
    }
    assertThat(cluster.at(0).demo.stops.get()).isZero();
  }

  private static void write(Socket socket, String text) throws IOException {
    socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
    socket.getOutputStream().flush();
  }

  /** Sends what only replicas send, which the OpenAPI document says nothing of. */
  private int note(int replica, String id, String participants) {
    HttpRequest.Builder request =
        cluster
            .at(replica)
            .request("/peer/v1/controllers/demo/operations/notes")
            .header("Authorization", "Bearer good-mallory")
            .header("Content-Type", "application/json")
            .header("Coxswain-Peer", "1")
            .header("Coxswain-Operation", id)
            .header("Coxswain-Participants", participants)
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    FORGET.replace("\"failing\":true", "\"namespace\":\"dev\"")));
    return cluster.at(replica).open(request).statusCode();
  }

  @Test
  void whatIsNotedOfAnOperation_isNotReplacedByAnother() {
    onlyAt(1);
    cluster.at(1).demo.put("ns", "a", Phase.DELAYED, 1, "boom");
    JsonNode begun = order(0);
    String id = begun.path("id").asText();
    assertThat(note(0, id, "coxswain-9")).isEqualTo(404);
    JsonNode shown =
        cluster
            .at(0)
            .send(cluster.at(0).request("/api/v1/operations/" + id).header("Authorization", ROOT))
            .ok(200);
    assertThat(shown.path("parts")).hasSize(1);
    assertThat(shown.path("parts").path(0).path("replica").asText()).isEqualTo("coxswain-1");
  }

  /** The operations that a replica lists, asked alone and as one of all. */
  private int listed(int replica) {
    int most = 0;
    for (String scope : new String[] {"", "?scope=local"}) {
      JsonNode list =
          cluster
              .at(replica)
              .send(
                  cluster
                      .at(replica)
                      .request("/api/v1/operations" + scope)
                      .header("Authorization", ROOT))
              .ok(200);
      most = Math.max(most, list.path("items").size());
    }
    return most;
  }

  @Test
  void anOperationThatNeverWas_isNotNoted_whoeverItNames() {
    String[] named = {"coxswain-1", "coxswain-9", "coxswain-0", "coxswain-0,coxswain-1,coxswain-2"};
    for (int i = 0; i < named.length; i++) {
      assertThat(note(0, "op-0000000a-" + i, named[i])).as(named[i]).isEqualTo(404);
    }
    for (int replica = 0; replica < 3; replica++) {
      assertThat(listed(replica)).isZero();
    }
  }

  @Test
  void theOperationOfAnother_isNotNotedInTheNameOfWhoSendsTheNote() {
    onlyAt(1);
    cluster.at(1).demo.put("ns", "a", Phase.DELAYED, 1, "boom");
    String id =
        cluster
            .at(1)
            .post(ORDERS + "?scope=local", FORGET, "Authorization", ROOT) // which is noted nowhere
            .ok(202)
            .path("id")
            .asText();
    assertThat(note(0, id, "coxswain-1")).isEqualTo(404);
    assertThat(
            cluster
                .at(0)
                .send(
                    cluster
                        .at(0)
                        .request("/api/v1/operations/" + id + "?scope=local")
                        .header("Authorization", ROOT))
                .status())
        .isEqualTo(404);
  }

  private void awaitEnd(int replica, String id) {
    Await.until(() ->
        cluster
            .at(replica)
            .send(
                cluster
                    .at(replica)
                    .request("/api/v1/operations/" + id)
                    .header("Authorization", ROOT))
            .ok(200)
            .path("state")
            .asText()
            .equals("Succeeded"));
  }

  /** Begins a part as replicas do, with headers of the caller's own. */
  private int part(int replica, String... headers) {
    HttpRequest.Builder request =
        cluster
            .at(replica)
            .request("/peer/v1" + ORDERS.substring("/api/v1".length()))
            .header("Authorization", "Bearer good-mallory")
            .header("Content-Type", "application/json")
            .header("Coxswain-Peer", "1")
            .headers(headers)
            .POST(HttpRequest.BodyPublishers.ofString(FORGET));
    return cluster.at(replica).open(request).statusCode();
  }

  @Test
  void aPartUnderTheIdOfAnotherCaller_isRefused_andTheOperationStaysAsItWas() {
    onlyAt(1);
    cluster.at(1).demo.put("ns", "a", Phase.DELAYED, 1, "boom");
    for (String key : new String[] {"", "k-1"}) {
      JsonNode begun =
          key.isEmpty()
              ? order(0)
              : cluster
                  .at(0)
                  .post(ORDERS, FORGET, "Authorization", ROOT, ApiHeaders.IDEMPOTENCY_KEY, key)
                  .ok(202);
      String id = begun.path("id").asText();
      cluster.at(0).directory.handles.put("demo", cluster.at(0).demo);
      String[] ticket = {"Coxswain-Operation", id, "Coxswain-Participants", "coxswain-0"};
      assertThat(part(0, ticket)).isEqualTo(400);
      String[] keyed = Arrays.copyOf(ticket, 6);
      keyed[4] = ApiHeaders.IDEMPOTENCY_KEY;
      keyed[5] = "k-1";
      assertThat(part(0, keyed)).isEqualTo(400);
      cluster.at(0).directory.handles.clear();
      JsonNode shown =
          cluster
              .at(2)
              .send(cluster.at(2).request("/api/v1/operations/" + id).header("Authorization", ROOT))
              .ok(200);
      assertThat(shown.path("parts")).hasSize(1);
      assertThat(shown.path("parts").path(0).path("replica").asText()).isEqualTo("coxswain-1");
      awaitEnd(1, id);
    }
  }

  @Test
  void aPartAtAReplicaThatIsNoParticipant_isRefused() {
    String id = OperationHeader.idOf("mallory", "k-1");
    assertThat(
            part(
                0,
                "Coxswain-Operation",
                id,
                "Coxswain-Participants",
                "coxswain-9",
                ApiHeaders.IDEMPOTENCY_KEY,
                "k-1"))
        .isEqualTo(400);
    assertThat(listed(0)).isZero();
  }

  @Test
  void anOrderThatIsWrong_isRefusedBeforeAnybodyIsAsked_andTheAuditStaysSmall() {
    onlyAt(1);
    String action = "x\\n" + "x".repeat(50_000);
    cluster
        .at(0)
        .post(ORDERS, FORGET.replace("forget", action), "Authorization", ROOT)
        .problem(400, "invalid-body");
    for (int replica = 0; replica < 2; replica++) {
      JsonNode audit =
          cluster
              .at(replica)
              .send(cluster.at(replica).request("/api/v1/audit").header("Authorization", ROOT))
              .ok(200);
      assertThat(audit.toString().length()).isLessThan(5_000);
      assertThat(audit.path("items"))
          .allSatisfy(item -> assertThat(item.path("stage").asText()).isEqualTo("outcome"));
    }
  }

  @Test
  void aNamespaceThatCannotBe_isNotAskedAbout_norRemembered() {
    cluster
        .at(0)
        .post(
            ORDERS,
            FORGET.replace("\"failing\":true", "\"namespace\":\"" + "n".repeat(50_000) + "\""),
            "Authorization",
            ROOT)
        .problem(400, "invalid-body");
    assertThat(reviewers.rights)
        .allSatisfy(asked -> assertThat(asked.namespace()).hasSizeLessThan(254));
  }
}
