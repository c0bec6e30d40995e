// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.admin.Api;
import dev.coxswain.testing.Await;
import dev.coxswain.view.Phase;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DumpTest {

  private static final String ITEMS = Api.DEMO + "/items";

  private static List<JsonNode> lines(Api.Answer answer) {
    assertThat(answer.status()).as(answer.http().body()).isEqualTo(200);
    assertThat(answer.header("Content-Type")).isEqualTo("application/x-ndjson");
    ObjectMapper mapper = new ObjectMapper();
    return answer
        .http()
        .body()
        .lines()
        .map(line -> {
          try {
            return mapper.readTree(line);
          } catch (IOException e) {
            throw new UncheckedIOException(line, e);
          }
        })
        .toList();
  }

  private static Api.Answer dump(Api api, String query) {
    return api.send(api.request(ITEMS + query).header("Accept", Dumps.TYPE));
  }

  private static void fill(Api api, int items) {
    for (int i = 0; i < items; i++) {
      api.demo.put("n" + i % 3, "item-" + i, Phase.DELAYED, i % 5, i % 5 == 0 ? null : "boom");
    }
  }

  @Test
  void aDump_showsEveryItemOnce_betweenHeaderAndTrailer() {
    try (Api api = new Api()) {
      fill(api, 1234);
      List<JsonNode> lines = lines(dump(api, ""));
      assertThat(lines.getFirst().path("kind").asText()).isEqualTo("ItemDump");
      assertThat(lines.getLast().toString())
          .isEqualTo(
              "{\"kind\":\"Trailer\",\"complete\":true,\"count\":1234,\"replicas\":["
                  + "{\"replica\":\"coxswain-0\",\"state\":\"ok\",\"complete\":true,"
                  + "\"count\":1234,\"asOfSeq\":1234}]}");
      assertThat(lines.subList(1, lines.size() - 1).stream().map(l -> l.path("id").asText()))
          .hasSize(1234)
          .doesNotHaveDuplicates();
    }
  }

  @Test
  void anEmptyDump_isWholeToo() {
    try (Api api = new Api()) {
      assertThat(lines(dump(api, ""))).hasSize(2);
      assertThat(lines(dump(api, ""))).as("the first one has been freed").hasSize(2);
    }
  }

  @Test
  void filtersAndFields_holdForDumps_pagingDoesNot() {
    try (Api api = new Api()) {
      fill(api, 30);
      List<JsonNode> lines = lines(dump(api, "?namespace=n0&fields=id"));
      assertThat(lines).hasSize(12);
      assertThat(lines.get(1)).as("kind, replica and id").hasSize(3);
      dump(api, "?limit=5").problem(400, "invalid-query");
      dump(api, "?failing=perhaps").problem(400, "invalid-query");
    }
  }

  @Test
  void aPage_isWhatIsSent_whenJsonIsLikedAsMuch() {
    try (Api api = new Api()) {
      for (String both : new String[] {"*/*", "application/x-ndjson, application/json"}) {
        api.send(api.request(ITEMS).header("Accept", both)).ok(200);
      }
      lines(
          api.send(
              api.request(ITEMS).header("Accept", "application/json;q=0.5, application/x-ndjson")));
      api.send(api.request(Api.DEMO).header("Accept", Dumps.TYPE)).problem(406, "not-acceptable");
    }
  }

  @Test
  void aControllerThatStopsAnswering_endsTheDumpAsIncomplete() {
    try (Api api = new Api(options -> options.withRequestTimeout(Duration.ofSeconds(4)))) {
      fill(api, 1234);
      api.demo.silentAfterPages = 1;
      JsonNode trailer = lines(dump(api, "")).getLast();
      assertThat(trailer.path("complete").asBoolean(true)).isFalse();
      assertThat(trailer.path("count").asInt()).isEqualTo(250);
      JsonNode part = trailer.path("replicas").path(0);
      assertThat(part.path("state").asText()).isEqualTo("timeout");
      assertThat(part.path("error").asText()).contains("did not answer in time");
      api.demo.silentAfterPages = Integer.MAX_VALUE;
      assertThat(lines(dump(api, ""))).hasSize(1236);
    }
  }

  @Test
  void aControllerThatNeverAnswers_isAPlainProblem() {
    try (Api api = new Api(options -> options.withRequestTimeout(Duration.ofSeconds(4)))) {
      api.demo.silentAfterPages = 0;
      dump(api, "").problem(503, "timeout");
      api.demo.silentAfterPages = Integer.MAX_VALUE;
      assertThat(lines(dump(api, ""))).hasSize(2);
    }
  }

  @Test
  void aClientThatDoesNotRead_stopsTheWalk_andItsAbortFreesTheDump() throws IOException {
    try (Api api = new Api()) {
      fill(api, 100_000);
      try (Socket slow = new Socket()) {
        slow.setReceiveBufferSize(4096);
        slow.connect(new java.net.InetSocketAddress(InetAddress.getLoopbackAddress(), api.port));
        slow.getOutputStream()
            .write(
                ("GET "
                        + ITEMS
                        + " HTTP/1.1\r\nHost: localhost\r\nAccept: application/x-ndjson\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
        assertThat(slow.getInputStream().read()).isEqualTo('H');
        var refused = dump(api, "");
        refused.problem(429, "dump-running");
        assertThat(refused.header("Retry-After")).isNotEmpty();
        int[] pages = {-1};
        Await.until(() -> {
          int before = pages[0];
          pages[0] = api.demo.pages.get();
          java.util.concurrent.locks.LockSupport.parkNanos(200_000_000);
          return before == pages[0]; // it asks for no more
        });
        assertThat(pages[0]).isLessThan(200);
      }
      Await.until(() -> dump(api, "?name=nothing").status() == 200);
    }
  }

  @Test
  void head_isAnswered_withoutADump() {
    try (Api api = new Api()) {
      fill(api, 10);
      var head =
          api.send(
              api.request(ITEMS)
                  .header("Accept", Dumps.TYPE)
                  .method("HEAD", java.net.http.HttpRequest.BodyPublishers.noBody()));
      assertThat(head.status()).isEqualTo(200);
      assertThat(head.http().body()).isEmpty();
      try (InputStream stream = api.open(api.request(ITEMS).header("Accept", Dumps.TYPE)).body()) {
        assertThat(stream.readAllBytes()).isNotEmpty();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
