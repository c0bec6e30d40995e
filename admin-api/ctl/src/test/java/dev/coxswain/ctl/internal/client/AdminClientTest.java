// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.ctl.internal.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.ctl.CtlRunner;
import dev.coxswain.ctl.FakeAdminApi;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Retries, requests that are never retried, and secrets in messages. */
class AdminClientTest {

  private static final String EMPTY = "{\"kind\":\"LimiterList\",\"items\":[]}";
  private static final String BUSY =
      "{\"type\":\"https://coxswain.dev/problems/too-many-requests\",\"title\":\"Too many requests\"}";

  private final FakeAdminApi server = new FakeAdminApi();
  private final CtlRunner ctl = new CtlRunner(server);

  AdminClientTest() throws IOException {}

  @AfterEach
  void close() {
    server.close();
  }

  @Test
  void whoIsTooFast_waitsForRetryAfter() {
    server.on("GET /limiters", busy(429, "2")).on("GET /limiters", 200, EMPTY);
    assertThat(ctl.run("limiters")).isZero();
    assertThat(ctl.waits()).containsExactly(Duration.ofSeconds(2));
  }

  @Test
  void whoIsTooFastForEver_givesUp() {
    server.on("GET /limiters", busy(429, "1"));
    assertThat(ctl.run("limiters")).isEqualTo(1);
    assertThat(server.received()).hasSize(5);
    assertThat(ctl.errors())
        .startsWith("note: Too many requests; retrying in 1s (Retry-After)\n")
        .endsWith("Error from server (Too many requests)\n");
  }

  @Test
  void aLongWait_isNotWaited() {
    server.on("GET /limiters", busy(429, "3600"));
    assertThat(ctl.run("limiters")).isEqualTo(1);
    assertThat(server.received()).hasSize(1);
  }

  /** A change may have been made in spite of a 503. */
  @Test
  void aChangeThatMayHaveBeenMade_isNotMadeAgain() {
    server.on("POST /controllers/demo/pause", busy(503, "1"));
    assertThat(ctl.run("pause", "demo", "--reason=x")).isEqualTo(1);
    assertThat(server.received()).hasSize(1);
  }

  @Test
  void aChangeWithoutAnAnswer_isReportedAsUnknown_andNotSentAgain() {
    server.on(
        "POST /controllers/demo/pause",
        new FakeAdminApi.Reply(200, Map.of(), "{\"kind\":\"Contr", true));
    assertThat(ctl.run("pause", "demo", "--reason=x")).isEqualTo(1);
    assertThat(ctl.errors()).contains("the change may have been made");
    assertThat(server.received()).hasSize(1);
  }

  @Test
  void aRefusedToken_isReadAgainOnce(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("token"), "old\n");
    server
        .on("GET /limiters", 401, "{\"title\":\"Unauthenticated\"}")
        .on("GET /limiters", 200, EMPTY);
    CtlRunner other = new CtlRunner().with("COXSWAIN_SERVER", server.url());
    assertThat(other.run("limiters", "--token-file", file.toString())).isEqualTo(1);
    assertThat(server.received()).as("the same token is not sent again").hasSize(1);
  }

  @Test
  void aNewToken_isTried() {
    server
        .on("GET /limiters", 401, "{\"title\":\"Unauthenticated\"}")
        .on("GET /limiters", 200, EMPTY);
    Iterator<String> tokens = List.of("old", "new").iterator();
    try (AdminClient client =
        new AdminClient(
            new DirectEndpoint(List.of(URI.create(server.url())), tokens::next),
            new AdminClient.Settings(new Tls(null, false), Duration.ofSeconds(30), Map.of()),
            ctl.console())) {
      assertThat(client.get("/limiters").text("kind")).isEqualTo("LimiterList");
    }
    assertThat(server.received().stream().map(received -> received.headers().get("authorization")))
        .containsExactly("Bearer old", "Bearer new");
  }

  @Test
  void aRedirect_isNotFollowed_withTheToken() throws IOException {
    try (FakeAdminApi thief = new FakeAdminApi()) {
      server.on(
          "GET /limiters",
          new FakeAdminApi.Reply(
              302, Map.of("Location", thief.url() + "/api/v1/limiters"), "", false));
      assertThat(ctl.run("limiters")).isEqualTo(1);
      assertThat(ctl.errors()).contains("HTTP 302", "not a response of an admin API");
      assertThat(thief.received()).isEmpty();
    }
  }

  @Test
  void everyFaultOfARequest_isReported() {
    server.on(
        "GET /limiters",
        400,
        """
        {"title":"Invalid query","detail":"2 parameters are wrong","requestId":"7f","errors":[\
        {"parameter":"limit","detail":"expected a number"},{"pointer":"/reason","detail":"is missing"}]}\
        """);
    assertThat(ctl.run("limiters")).isEqualTo(1);
    assertThat(ctl.errors())
        .isEqualTo(
            """
            Error from server (Invalid query): 2 parameters are wrong
              limit: expected a number
              /reason: is missing
            """);
  }

  @Test
  void anInternalError_namesTheRequest() {
    server.on("GET /limiters", 500, "{\"title\":\"Internal error\",\"requestId\":\"7f1c\"}");
    assertThat(ctl.run("limiters")).isEqualTo(1);
    assertThat(ctl.errors()).contains("requestId 7f1c");
  }

  @Test
  void whatIsNoAdminApi_isAnError_andNotShown() {
    server.on(
        "GET /limiters",
        new FakeAdminApi.Reply(
            200, Map.of("Content-Type", "text/html"), "<html>\u001b[31m", false));
    assertThat(ctl.run("limiters")).isEqualTo(1);
    assertThat(ctl.errors()).doesNotContain("\u001b");
    assertThat(ctl.output()).isEmpty();
  }

  @Test
  void howLongWasWaited_isReportedAsGiven() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      String url = "http://127.0.0.1:" + silent.getLocalPort();
      assertThat(ctl.run("limiters", "--server", url, "--request-timeout=1ms")).isEqualTo(1);
      assertThat(ctl.errors())
          .isEqualTo("error: the admin API at " + url + " did not answer within 1ms\n");
    }
    Map<String, Duration> expected =
        Map.of(
            "1ms", Duration.ofNanos(1), // less is not waited
            "1500ms", Duration.ofMillis(1500),
            "2s", Duration.ofSeconds(2),
            "5m", Duration.ofMinutes(5));
    expected.forEach((text, patience) ->
        assertThat(
                ConnectionErrors.answer(
                    "here", true, patience, new SocketTimeoutException("Read timed out")))
            .hasMessage("the admin API at here did not answer within " + text));
  }

  @Test
  void theToken_isNotVisible() {
    server.on("GET /limiters", 500, "{\"title\":\"Internal error\"}");
    ctl.run("limiters");
    assertThat(ctl.errors() + ctl.output()).doesNotContain(CtlRunner.TOKEN);
    ctl.run("limiters", "--server", "http://127.0.0.1:1");
    assertThat(ctl.errors() + ctl.output()).doesNotContain(CtlRunner.TOKEN);
  }

  private static FakeAdminApi.Reply busy(int status, String retryAfter) {
    return new FakeAdminApi.Reply(status, Map.of("Retry-After", retryAfter), BUSY, false);
  }
}
