// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Injected faults look to a client as they would in the wild. */
final class FaultsTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";

  private EmbeddedApiServer server;
  private Http http;

  @BeforeEach
  void start() {
    server = EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
    http = new Http(server);
  }

  @AfterEach
  void stop() {
    http.close();
    server.close();
  }

  private String version() {
    return http.get(MAPS).body().at("/metadata/resourceVersion").asText();
  }

  @Test
  void closeWatches_endsThemCleanly() throws Exception {
    try (Http.Watch watch = http.watch(MAPS + "?watch=true&resourceVersion=" + version())) {
      http.configMap("a", "");
      assertThat(watch.next().path("type").asText()).isEqualTo("ADDED");
      server.faults().closeWatches();
      assertThat(watch.ends()).isTrue();
      Http.await("no open watches", () -> server.faults().openWatches() == 0);
    }
  }

  @Test
  void silenceWatches_keepsTheConnectionButDeliversNothingEver() throws Exception {
    try (Http.Watch watch = http.watch(MAPS + "?watch=true&resourceVersion=" + version())) {
      server.faults().silenceWatches(true);
      http.configMap("a", "");
      server.faults().silenceWatches(false);
      http.configMap("b", "");
      assertThat(watch.next(Duration.ofMillis(200))).isNull();
      try (Http.Watch second = http.watch(MAPS + "?watch=true&resourceVersion=" + version())) {
        http.configMap("c", "");
        assertThat(second.next().at("/object/metadata/name").asText()).isEqualTo("c");
      }
      assertThat(watch.next(Duration.ofMillis(50))).isNull();
    }
  }

  @Test
  void aSlowWatcher_isClosedAtItsBound_andOthersGoOn() throws Exception {
    try (EmbeddedApiServer small =
            EmbeddedApiServer.startBlocking(
                EmbeddedApiServerOptions.defaults().withWatchBuffer(5));
        Http client = new Http(small);
        java.net.Socket slow =
            new java.net.Socket(java.net.InetAddress.getLoopbackAddress(), small.port())) {
      slow.setReceiveBufferSize(4096);
      slow.getOutputStream()
          .write(
              ("GET " + MAPS + "?watch=true HTTP/1.1\r\nHost: localhost\r\n\r\n")
                  .getBytes(java.nio.charset.StandardCharsets.US_ASCII));
      Http.await("watch is open", () -> small.faults().openWatches() == 1);
      try (Http.Watch reading = client.watch(MAPS + "?watch=true")) {
        Http.await("both watches are open", () -> small.faults().openWatches() == 2);
        String big = "x".repeat(500_000);
        int sent = 0;
        while (small.faults().openWatches() == 2 && sent < 200) {
          String body =
              "{\"metadata\":{\"name\":\"big" + sent++ + "\"},\"data\":{\"k\":\"" + big + "\"}}";
          assertThat(client.post(MAPS, body).status()).isEqualTo(201);
          assertThat(reading.next().path("type").asText()).isEqualTo("ADDED");
        }
        assertThat(small.faults().openWatches()).as("after %d large events", sent).isEqualTo(1);
      }
    }
  }

  @Test
  void compactHistory_answers410AsErrorEventAndAsStatus() throws Exception {
    http.configMap("a", "");
    http.configMap("b", "");
    String version = version();
    String token = http.get(MAPS + "?limit=1").body().at("/metadata/continue").asText();
    server.faults().compactHistory();
    try (Http.Watch watch = http.watch(MAPS + "?watch=true&resourceVersion=" + version)) {
      JsonNode event = watch.next();
      assertThat(event.path("type").asText()).isEqualTo("ERROR");
      assertThat(event.at("/object/code").asInt()).isEqualTo(410);
      assertThat(event.at("/object/reason").asText()).isEqualTo("Expired");
      assertThat(watch.ends()).isTrue();
    }
    assertThat(http.get(MAPS + "?limit=1&continue=" + token).status()).isEqualTo(410);
    assertThat(http.get(MAPS + "?resourceVersionMatch=Exact&resourceVersion=" + version).status())
        .isEqualTo(410);
    assertThat(http.get(MAPS).status()).isEqualTo(200);
  }

  @Test
  void failNext_failsSoManyMatchingRequestsWithRetryAfter() {
    server.faults().failNext(2, 429, Duration.ofSeconds(3), uri -> uri.startsWith(MAPS));
    assertThat(http.get("/version").status()).isEqualTo(200);
    for (int i = 0; i < 2; i++) {
      Http.Answer answer = http.get(MAPS);
      assertThat(answer.status()).isEqualTo(429);
      assertThat(answer.raw().headers().firstValue("Retry-After")).contains("3");
      assertThat(answer.body().path("reason").asText()).isEqualTo("TooManyRequests");
    }
    assertThat(http.get(MAPS).status()).isEqualTo(200);
  }

  @Test
  void addLatency_delaysRequests() {
    server.faults().addLatency(Duration.ofMillis(150));
    long start = System.nanoTime();
    http.get(MAPS);
    assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(140_000_000L);
    server.faults().reset();
    assertThat(http.get(MAPS).status()).isEqualTo(200);
  }

  @Test
  void addUnknownFields_addsThemToObjectsListsAndEvents() throws Exception {
    http.configMap("a", "");
    server.faults().addUnknownFields(true);
    assertThat(http.get(MAPS + "/a").body().has("coxswainUnknownField")).isTrue();
    assertThat(http.get(MAPS).body().at("/items/0").has("coxswainUnknownField")).isTrue();
    try (Http.Watch watch = http.watch(MAPS + "?watch=true")) {
      assertThat(watch.next().path("object").has("coxswainUnknownField")).isTrue();
    }
  }

  @Test
  void badArguments_areRefused() {
    assertThatThrownBy(() -> server.faults().failNext(0, 500)).hasMessageContaining("count");
    assertThatThrownBy(() -> server.faults().failNext(1, 200)).hasMessageContaining("status");
    assertThatThrownBy(() -> server.faults().addLatency(Duration.ofMillis(-1)))
        .hasMessageContaining("delay");
  }
}
