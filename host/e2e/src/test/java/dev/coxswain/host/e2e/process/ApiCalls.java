// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** Calls of one user at an API; each must succeed. Any thread. */
public final class ApiCalls implements AutoCloseable {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private final HttpClient http = HttpClient.newHttpClient();
  private final String url;
  private final String token;

  public ApiCalls(EmbeddedApiServer server, String token) {
    this(server.url(), token);
  }

  public ApiCalls(String url, String token) {
    this.url = url;
    this.token = token;
  }

  /** Returns the text at any address that takes a token; it must be there. */
  public static String text(HttpClient http, String token, String url)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url)).header("Authorization", "Bearer " + token).build();
    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
    assertThat(response.statusCode()).as("%s: %s", url, response.body()).isEqualTo(200);
    return response.body();
  }

  /**
   * Makes a change through the admin API; as it says, again with the same key while a busy replica
   * does not answer in time.
   */
  public static HttpResponse<String> change(HttpClient http, HttpRequest.Builder request)
      throws IOException, InterruptedException {
    HttpRequest keyed =
        request.copy().header("Idempotency-Key", UUID.randomUUID().toString()).build();
    long end = System.nanoTime() + LIMIT.toNanos();
    while (true) {
      HttpResponse<String> response = http.send(keyed, BodyHandlers.ofString());
      if (response.statusCode() != 503 || System.nanoTime() > end) {
        return response;
      }
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  /** Writes the kubeconfig of a user. */
  public static Path kubeconfig(Path file, EmbeddedApiServer server, Token user)
      throws IOException {
    return Files.writeString(
        file,
        """
        apiVersion: v1
        kind: Config
        current-context: test
        clusters: [{name: test, cluster: {server: "%s"}}]
        users: [{name: user, user: {token: "%s"}}]
        contexts: [{name: test, context: {cluster: test, user: user}}]
        """
            .formatted(server.url(), user.token()));
  }

  public JsonNode get(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder().GET(), path);
  }

  public JsonNode post(String path, String body) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder().POST(BodyPublishers.ofString(body)), path);
  }

  public JsonNode put(String path, String body) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder().PUT(BodyPublishers.ofString(body)), path);
  }

  public JsonNode delete(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder().DELETE(), path);
  }

  /** Deletes with a body, such as the reason. */
  public JsonNode delete(String path, String body) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder().method("DELETE", BodyPublishers.ofString(body)), path);
  }

  /** Sends a merge patch. */
  public JsonNode patch(String path, String body) throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder()
            .method("PATCH", BodyPublishers.ofString(body))
            .setHeader("Content-Type", "application/merge-patch+json"),
        path);
  }

  private JsonNode send(HttpRequest.Builder request, String path)
      throws IOException, InterruptedException {
    HttpRequest.Builder complete = request.copy();
    complete.uri(URI.create(url + path)).header("Authorization", "Bearer " + token);
    if (complete.build().headers().firstValue("Content-Type").isEmpty()) {
      complete.header("Content-Type", "application/json");
    }
    HttpResponse<String> response =
        complete.build().method().equals("GET")
            ? http.send(complete.build(), BodyHandlers.ofString())
            : change(http, complete);
    assertThat(response.statusCode()).as("%s: %s", path, response.body()).isBetween(200, 299);
    return JSON.readTree(response.body());
  }

  @Override
  public void close() {
    http.close();
  }
}
