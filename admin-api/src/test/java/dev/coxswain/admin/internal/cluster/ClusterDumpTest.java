// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.event.Intervals;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.internal.resource.Dumps;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import dev.coxswain.view.Phase;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One dump is of all replicas, and says of each whether it has all of it. */
@Timeout(120)
@Order(1) // takes long
class ClusterDumpTest {

  private static final String ITEMS = Api.DEMO + "/items";
  private static final String HEADER = "{\"kind\":\"ItemDump\"}\n";
  private static final String ITEM =
      "{\"kind\":\"Item\",\"replica\":\"coxswain-1\",\"id\":\"YQ\"}\n";

  private final Cluster3 cluster =
      new Cluster3(
          AccessControl.open(), options -> options.withRequestTimeout(Duration.ofSeconds(4)));

  @AfterEach
  void close() {
    cluster.close();
  }

  private void fill(int replica, int items, String error) {
    for (int i = 0; i < items; i++) {
      cluster.at(replica).demo.put("n" + i % 3, "r" + replica + "-" + i, Phase.DELAYED, 1, error);
    }
  }

  private Api.Answer dump(int replica, String query) {
    Api api = cluster.at(replica);
    return api.send(api.request(ITEMS + query).header("Accept", Dumps.TYPE));
  }

  private List<JsonNode> lines(int replica, String query) {
    return lines(dump(replica, query));
  }

  private static List<JsonNode> lines(Api.Answer answer) {
    assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
    ObjectMapper mapper = new ObjectMapper();
    List<JsonNode> lines = new ArrayList<>();
    answer
        .http()
        .body()
        .lines()
        .forEach(line -> {
          try {
            lines.add(mapper.readTree(line));
          } catch (IOException e) {
            throw new UncheckedIOException(line, e);
          }
        });
    return lines;
  }

  private static List<String> parts(JsonNode trailer) {
    List<String> parts = new ArrayList<>();
    trailer
        .path("replicas")
        .forEach(one ->
            parts.add(
                one.path("replica").asText()
                    + " "
                    + one.path("state").asText()
                    + (one.path("complete").asBoolean() ? " whole " : " not whole ")
                    + one.path("count").asText()));
    return parts;
  }

  @Test
  void everyItemOfEveryReplica_isThereOnce_andNamesItsReplica() {
    fill(0, 700, "{\"kind\":\"Item\",\n");
    fill(1, 1200, "{\"kind\":\"Trailer\"}\n");
    for (int asked = 0; asked < 3; asked++) {
      List<JsonNode> lines = lines(asked, "");
      assertThat(lines.getFirst().path("replica").asText()).isEqualTo("coxswain-" + asked);
      assertThat(lines.getFirst().path("replicas").toString())
          .isEqualTo("[\"coxswain-0\",\"coxswain-1\",\"coxswain-2\"]");
      List<JsonNode> items = lines.subList(1, lines.size() - 1);
      assertThat(items.stream().map(item -> item.path("id").asText()))
          .hasSize(1900)
          .doesNotHaveDuplicates();
      assertThat(items)
          .allSatisfy(item ->
              assertThat(item.at("/key/name").asText())
                  .startsWith("r" + item.path("replica").asText().substring("coxswain-".length())));
      JsonNode trailer = lines.getLast();
      assertThat(trailer.path("complete").asBoolean()).isTrue();
      assertThat(trailer.path("count").asInt()).isEqualTo(1900);
      assertThat(parts(trailer))
          .containsExactly(
              "coxswain-0 ok whole 700", "coxswain-1 ok whole 1200", "coxswain-2 ok whole 0");
      assertThat(trailer.path("replicas").findValues("asOfSeq").toString())
          .isEqualTo("[700, 1200, 0]");
    }
  }

  @Test
  void filtersAndScope_holdAtEveryReplica() {
    fill(0, 3, "boom");
    fill(1, 6, "boom");
    List<JsonNode> some = lines(2, "?namespace=n0&fields=id");
    assertThat(some).hasSize(5);
    assertThat(some.get(1)).as("kind, replica and id").hasSize(3);
    assertThat(parts(lines(0, "?replica=coxswain-1").getLast()))
        .containsExactly("coxswain-1 ok whole 6");
    assertThat(parts(lines(0, "?scope=local").getLast())).containsExactly("coxswain-0 ok whole 3");
    dump(0, "?limit=5").problem(400, "invalid-query");
    dump(0, "?failing=perhaps").problem(400, "invalid-query");
    dump(0, "?scope=all").problem(400, "invalid-query");
    dump(0, "?replica=coxswain-9").problem(404, "replica-not-found");
    assertThat(lines(0, "")).as("what was refused does not count as a dump").hasSize(11);
  }

  @Test
  void whoDoesNotRunTheController_hasNoPart() {
    fill(1, 2, "boom");
    cluster.at(0).directory.handles.clear();
    cluster.at(2).directory.handles.clear();
    assertThat(parts(lines(0, "").getLast())).containsExactly("coxswain-1 ok whole 2");
    cluster.at(1).directory.handles.clear();
    dump(0, "").problem(404, "controller-not-found");
    cluster.kill(2);
    dump(0, "").problem(503, "replica-unreachable");
  }

  @Test
  void aReplicaThatIsGone_isNamed_andTheOthersAreWhole() {
    fill(0, 2, "boom");
    fill(1, 2, "boom");
    cluster.kill(2);
    List<JsonNode> lines = lines(0, "");
    assertThat(lines.getFirst().path("replicas")).hasSize(3);
    JsonNode trailer = lines.getLast();
    assertThat(trailer.path("complete").asBoolean(true)).isFalse();
    assertThat(trailer.path("count").asInt()).isEqualTo(4);
    assertThat(parts(trailer))
        .containsExactly(
            "coxswain-0 ok whole 2", "coxswain-1 ok whole 2", "coxswain-2 unreachable not whole 0");
    assertThat(trailer.at("/replicas/2/error").asText()).isNotEmpty();
  }

  @Test
  void aControllerThatStopsAnswering_makesItsPartIncomplete_whereverItRuns() {
    for (int replica = 0; replica < 3; replica++) {
      fill(replica, 700, "boom");
    }
    cluster.at(1).demo.silentAfterPages = 2; // others ask for one item before
    for (int asked = 0; asked < 2; asked++) {
      cluster.at(1).demo.pages.set(asked);
      assertThat(parts(lines(asked, "").getLast()))
          .containsExactly(
              "coxswain-0 ok whole 700",
              "coxswain-1 timeout not whole 250",
              "coxswain-2 ok whole 700");
    }
  }

  /** Lets another server answer as coxswain-1: it has items, and this is its dump of them. */
  private void instead(BiConsumer<HttpServerRequest, HttpServerResponse> dump) {
    Handler<HttpServerRequest> answer =
        request -> {
          HttpServerResponse response =
              request
                  .response()
                  .putHeader("Coxswain-Peer", "1")
                  .putHeader("Coxswain-Replica", "coxswain-1");
          if (Dumps.TYPE.equals(request.getHeader("Accept"))) {
            dump.accept(request, response.setChunked(true));
          } else {
            response.end("{\"kind\":\"ItemList\",\"controller\":\"demo\",\"items\":[]}");
          }
        };
    int port =
        cluster
            .at(0)
            .vertx
            .createHttpServer()
            .requestHandler(answer)
            .listen(0, "127.0.0.1")
            .await()
            .actualPort();
    cluster.move(0, 1, "http://127.0.0.1:" + port);
  }

  private void assertPart(String part, String error) {
    fill(2, 3, "boom");
    JsonNode trailer = lines(0, "").getLast();
    assertThat(trailer.path("complete").asBoolean(true)).isFalse();
    assertThat(parts(trailer))
        .containsExactly("coxswain-0 ok whole 0", "coxswain-1 " + part, "coxswain-2 ok whole 3");
    assertThat(trailer.at("/replicas/1/error").asText()).contains(error);
  }

  @Test
  void aReplicaThatIsKilledInTheMiddleOfALine_isNotWhole_andTheNextOneFollows() {
    instead((request, response) ->
        response
            .write(HEADER + ITEM + ITEM + ITEM.substring(0, 20))
            .onSuccess(sent -> request.connection().close()));
    assertPart("unreachable not whole 2", "onnection");
  }

  @Test
  void aReplicaThatStalls_isGivenUp_andTheNextOneFollows() {
    AtomicBoolean closed = new AtomicBoolean();
    instead((request, response) -> {
      response.closeHandler(gone -> closed.set(true));
      response.write(HEADER + ITEM);
    });
    assertPart("timeout not whole 1", "no data for");
    Await.until(closed::get);
  }

  @Test
  void aReplicaThatNeverBegins_isGivenUp() {
    instead((request, response) -> {});
    assertPart("timeout not whole 0", "no answer within");
  }

  @Test
  void whatIsNoDump_isNotPassedOn() {
    instead((request, response) -> response.end("{\"kind\":\"ItemList\",\"items\":[]}\n"));
    assertPart("incompatible not whole 0", "not a dump");
  }

  @Test
  void aReplicaThatRefusesWhenItsTurnComes_isNamed() {
    instead((request, response) -> response.setStatusCode(403).end("{\"detail\":\"not you\"}"));
    assertPart("refused not whole 0", "it answered 403: not you");
  }

  @Test
  void aReplicaThatDoesNotLetTheCallerLook_isRefused_andTheTokenIsTheCallers() {
    Reviewers here = new Reviewers();
    Reviewers there = new Reviewers();
    there.denied.add(new AccessRequest(Verb.LIST, Access.ITEMS, "", "demo"));
    try (Cluster3 guarded = new Cluster3(here.control(ReviewLimits.DEFAULT))) {
      guarded
          .apis
          .set(
              1,
              new Api(
                  "coxswain-1",
                  there.control(ReviewLimits.DEFAULT),
                  Clock.system(),
                  options -> options,
                  Intervals.DEFAULT))
          .close();
      guarded.acquireLeases();
      guarded.at(0).demo.put("shop", "a", Phase.READY, 0, null);
      Api api = guarded.at(0);
      JsonNode trailer =
          lines(
                  api.send(
                      api.request(ITEMS)
                          .header("Accept", Dumps.TYPE)
                          .header("Authorization", "Bearer good-alice")))
              .getLast();
      assertThat(trailer.path("complete").asBoolean(true)).isFalse();
      assertThat(parts(trailer))
          .containsExactly(
              "coxswain-0 ok whole 1", "coxswain-1 refused not whole 0", "coxswain-2 ok whole 0");
      assertThat(trailer.at("/replicas/1/error").asText()).contains("403");
      assertThat(there.tokens).containsOnly("good-alice");
    }
  }

  /** Opens a dump that nobody reads. */
  private Socket slow(int replica) throws IOException {
    Socket slow = new Socket();
    slow.setReceiveBufferSize(4096);
    slow.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), cluster.at(replica).port));
    slow.getOutputStream()
        .write(
            ("GET "
                    + ITEMS
                    + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                    + "Accept: application/x-ndjson\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    assertThat(slow.getInputStream().read()).isEqualTo('H');
    return slow;
  }

  /** Waits until a replica is asked for no more pages, and returns how many it was asked for. */
  private int stillness(int replica) {
    int[] pages = {-1};
    Await.until(() -> {
      int before = pages[0];
      pages[0] = cluster.at(replica).demo.pages.get();
      LockSupport.parkNanos(300_000_000);
      return pages[0] > 2 && before == pages[0];
    });
    return pages[0];
  }

  @Test
  void aClientThatDoesNotRead_stopsTheWalkAtTheOtherReplica_andItsAbortFreesBoth()
      throws IOException {
    fill(1, 40_000, "x".repeat(1000));
    try (Socket slow = slow(0)) {
      assertThat(slow.isConnected()).isTrue();
      assertThat(stillness(1)).as("pages of 250").isLessThan(60);
      dump(0, "").problem(429, "dump-running");
      // What this one asks the others for does not keep them from answering the same caller.
      assertThat(parts(lines(2, "?name=r1-7").getLast()))
          .containsExactly(
              "coxswain-0 ok whole 0", "coxswain-1 ok whole 1", "coxswain-2 ok whole 0");
    }
    Await.until(() -> {
      Api.Answer answer = dump(0, "?name=nothing");
      return answer.status() == 200 && lines(answer).getLast().path("complete").asBoolean();
    });
  }

  @Test
  void aReplicaThatIsKilledWhileItWaits_isNotWhole_andNothingOfItComesTwice() throws IOException {
    fill(1, 40_000, "x".repeat(1000));
    fill(2, 1, "boom");
    try (Socket slow = slow(0)) {
      stillness(1);
      cluster.kill(1);
      String text = new String(slow.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(text).contains("\"replica\":\"coxswain-2\",\"id\"");
      assertThat(text.substring(text.indexOf("{\"kind\":\"Trailer\"")))
          .contains("\"complete\":false")
          .contains("{\"replica\":\"coxswain-1\",\"state\":\"unreachable\",\"complete\":false")
          .contains("{\"replica\":\"coxswain-2\",\"state\":\"ok\",\"complete\":true");
    }
  }
}
