// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request is not carried out when its {@code timeout} has passed since its receipt. */
final class RequestTimeoutTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void stop() {
    client.shutdownNow();
    server.close();
  }

  private HttpResponse<String> create(String name, String query) throws Exception {
    String body =
        "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" + name + "\"}}";
    return send(
        HttpRequest.newBuilder(URI.create(server.url() + MAPS + query))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return client.send(request.build(), BodyHandlers.ofString());
  }

  @Test
  void writeThatWaitedForTooLong_changesNothing() throws Exception {
    server.faults().addLatency(Duration.ofMillis(60));
    HttpResponse<String> late = create("late", "?timeout=50ms");
    assertThat(late.statusCode()).isEqualTo(504);
    assertThat(late.body())
        .contains("\"reason\":\"Timeout\"", "did not complete within the allotted timeout");

    assertThat(create("in-time", "?timeout=1m0.5s").statusCode()).isEqualTo(201);
    HttpResponse<String> read =
        send(HttpRequest.newBuilder(URI.create(server.url() + MAPS + "/late")).GET());
    assertThat(read.statusCode()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "0s", "-5s", "90m", "1h2m3.5s10us"})
  void noLimit_orOneAboveTheServers_isTheServersOwn(String text) throws Exception {
    assertThat(create("x", "?timeout=" + text).statusCode()).isEqualTo(201);
  }

  @ParameterizedTest
  @ValueSource(strings = {"5", "x", "5 s", "s", "5d", "1s-2s"})
  void malformedLimit_isRefused(String text) throws Exception {
    HttpResponse<String> refused = create("x", "?timeout=" + text.replace(" ", "%20"));
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body())
        .contains("invalid timeout specified in the request URL - time: ", "duration");
  }
}
