// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;

/** How a test asks each of several replicas, by its number, for the state of all. */
abstract class ClusterViews implements AutoCloseable {

  static final Duration AWAIT_LIMIT = Duration.ofMinutes(3);
  static final ObjectMapper JSON = new ObjectMapper();
  static final String REPLICAS = "/api/v1/replicas";

  final HttpClient http = HttpClient.newHttpClient();

  /** The addresses of their admin APIs. */
  final List<String> admins = new ArrayList<>();

  String token = "none";

  @Override
  @AfterEach
  public void close() {
    http.close();
  }

  /** Returns the replicas that did not answer, and why. */
  static List<String> missing(JsonNode answer) {
    List<String> missing = new ArrayList<>();
    for (JsonNode one : answer.path("replicas")) {
      if (!one.path("state").asText().equals("ok")) {
        missing.add(one.path("replica").asText() + " " + one.path("state").asText());
      }
    }
    return missing;
  }

  static List<String> states(JsonNode answer) {
    return answer.path("replicas").findValuesAsText("state");
  }

  JsonNode whole(int replica, String path) throws Exception {
    return awaited(
        "an answer of all",
        () -> get(replica, path),
        answer -> !answer.path("partial").asBoolean(true));
  }

  JsonNode get(int replica, String path) throws Exception {
    return answer(replica, "GET", path, "", 200);
  }

  JsonNode answer(int replica, String method, String path, String body, int status)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(admins.get(replica) + path))
            .header("Authorization", "Bearer " + token);
    if (!body.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    HttpResponse<String> response =
        http.send(
            request
                .method(
                    method,
                    body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(path + " " + response.body()).isEqualTo(status);
    return JSON.readTree(response.body());
  }

  static void await(String what, Callable<Boolean> condition) throws Exception {
    awaited(what, condition, met -> met);
  }

  /**
   * Returns the first answer that is as expected. One that a busy replica does not give within two
   * seconds is partial.
   */
  static <T> T awaited(String what, Callable<T> read, Predicate<T> expected) throws Exception {
    long deadline = System.nanoTime() + AWAIT_LIMIT.toNanos();
    while (true) {
      T answer = read.call();
      if (expected.test(answer)) {
        return answer;
      }
      assertThat(System.nanoTime())
          .as("waited in vain for %s, the last: %s", what, answer)
          .isLessThan(deadline);
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }
}
