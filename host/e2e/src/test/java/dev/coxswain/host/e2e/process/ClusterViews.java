// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

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
public abstract class ClusterViews implements AutoCloseable {

  protected static final Duration AWAIT_LIMIT = Duration.ofMinutes(3);
  protected static final ObjectMapper JSON = new ObjectMapper();
  protected static final String REPLICAS = "/api/v1/replicas";

  protected final HttpClient http = HttpClient.newHttpClient();

  /** The addresses of their admin APIs. */
  protected final List<String> admins = new ArrayList<>();

  protected String token = "none";

  @Override
  @AfterEach
  public void close() {
    http.close();
  }

  /** Returns the replicas that did not answer, and why. */
  protected static List<String> missing(JsonNode answer) {
    List<String> missing = new ArrayList<>();
    for (JsonNode one : answer.path("replicas")) {
      if (!one.path("state").asText().equals("ok")) {
        missing.add(one.path("replica").asText() + " " + one.path("state").asText());
      }
    }
    return missing;
  }

  protected static List<String> states(JsonNode answer) {
    return answer.path("replicas").findValuesAsText("state");
  }

  protected JsonNode whole(int replica, String path) throws Exception {
    return awaited(
        "an answer of all",
        () -> get(replica, path),
        answer -> !answer.path("partial").asBoolean(true));
  }

  protected JsonNode get(int replica, String path) throws Exception {
    return answer(replica, "GET", path, "", 200);
  }

  protected JsonNode answer(int replica, String method, String path, String body, int status)
      throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(admins.get(replica) + path))
            .header("Authorization", "Bearer " + token);
    if (!body.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    request.method(
        method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    HttpResponse<String> response =
        method.equals("GET")
            ? http.send(request.build(), HttpResponse.BodyHandlers.ofString())
            : ApiCalls.change(http, request);
    assertThat(response.statusCode()).as(path + " " + response.body()).isEqualTo(status);
    return JSON.readTree(response.body());
  }

  protected static void await(String what, Callable<Boolean> condition) throws Exception {
    awaited(what, condition, met -> met);
  }

  /**
   * Returns the first answer that is as expected. One that a busy replica does not give within two
   * seconds is partial.
   */
  protected static <T> T awaited(String what, Callable<T> read, Predicate<T> expected)
      throws Exception {
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
