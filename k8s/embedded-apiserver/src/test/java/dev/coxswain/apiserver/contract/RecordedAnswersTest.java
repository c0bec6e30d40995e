// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.testing.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * Requests of the same rules as the scenarios of the contract, with what kube-apiserver 1.36 answered
 * (2026-11-27). They were sent in this order; without what differs from server to server, such as
 * uids, and without the text of a rejected patch.
 */
class RecordedAnswersTest {

  private static final ObjectMapper JSON =
      new ObjectMapper().configure(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS, true);
  private static final String ID = "5ec0de";
  private static final List<String> OWN =
      List.of("uid", "resourceVersion", "creationTimestamp", "managedFields");
  private static final Pattern UID = Pattern.compile("[0-9a-f]{8}-[0-9a-f-]{27}");
  private static final Pattern PATCH = Pattern.compile("patch: Invalid value: .*?(?=[\",}])");
  private static final Pattern RECORD = Pattern.compile("record \\(\\d+\\)");

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private final HttpClient http = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    http.close();
    server.close();
  }

  @TestFactory
  Stream<DynamicTest> answersAreThoseOfARealServer() throws IOException {
    try (InputStream in =
        Objects.requireNonNull(
            RecordedAnswersTest.class.getResourceAsStream("/answers/answers.json"))) {
      return StreamSupport.stream(JSON.readTree(in).spliterator(), false)
          .map(group ->
              DynamicTest.dynamicTest(
                  group.path("name").asText(), () -> replay(group.path("steps"))));
    }
  }

  private void replay(JsonNode steps) throws Exception {
    boolean wait = false;
    for (JsonNode recorded : steps) {
      JsonNode step = JSON.readTree(recorded.toString().replace("@ID", ID));
      if (wait) { // the server does something after an answer
        Await.until(
            step.path("p").asText(), () -> !step.has("status") || matches(step, send(step)));
      } else {
        check(step, send(step));
      }
      wait = step.has("wait");
    }
  }

  private static boolean matches(JsonNode step, HttpResponse<String> answer) {
    return answer.statusCode() == step.path("status").asInt();
  }

  private static void check(JsonNode step, HttpResponse<String> answer) throws IOException {
    if (step.has("status")) {
      assertThat(answer.statusCode())
          .as("%s%n%s", step, answer.body())
          .isEqualTo(step.path("status").asInt());
    }
    if (step.has("body") && !step.path("m").asText().equals("HEAD")) {
      JsonNode body =
          answer.headers().firstValue("Content-Type").orElse("").contains("json")
              ? masked(JSON.readTree(answer.body()))
              : JSON.getNodeFactory().textNode(answer.body());
      assertThat(sorted(body))
          .as("%s %s", step.path("m"), step.path("p"))
          .isEqualTo(sorted(step.path("body")));
    }
    if (step.has("warning")) {
      assertThat(answer.headers().firstValue("Warning")).hasValue(step.path("warning").asText());
    }
  }

  private static String sorted(JsonNode node) throws IOException {
    return JSON.writeValueAsString(JSON.treeToValue(node, Object.class));
  }

  /** Replaces what is the server's own. */
  private static JsonNode masked(JsonNode body) throws IOException {
    strip(body);
    String text = body.toString();
    text = UID.matcher(text).replaceAll("U");
    text = PATCH.matcher(text).replaceAll("patch");
    return JSON.readTree(RECORD.matcher(text).replaceAll("record"));
  }

  private static void strip(JsonNode node) {
    if (node instanceof ObjectNode object) {
      object.remove(OWN);
    }
    node.forEach(RecordedAnswersTest::strip);
  }

  private HttpResponse<String> send(JsonNode step) {
    String body =
        step.has("raw")
            ? step.path("raw").asText()
            : step.has("b") ? step.path("b").toString() : "";
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.url() + step.path("p").asText()))
            .method(
                step.path("m").asText(),
                body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    request.header("Accept", "application/json").header("User-Agent", "unknown");
    if (step.has("b")) {
      request.header("Content-Type", "application/json");
    }
    step.path("h").properties().forEach(e -> request.setHeader(e.getKey(), e.getValue().asText()));
    try {
      return http.send(request.build(), BodyHandlers.ofString());
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
