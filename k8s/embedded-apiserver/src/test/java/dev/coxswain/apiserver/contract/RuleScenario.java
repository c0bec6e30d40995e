// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A few requests with the answers that a real API server gives; immutable, any thread.
 *
 * <p>Form: {@code ## name} begins a scenario; {@code METHOD path} a request; {@code @ Header:
 * value} and the lines of a body (single quotes stand for double ones) belong to it; lines that
 * begin with {@code <} expect something of its answer:
 *
 * <ul>
 *   <li>{@code < 404 NotFound}: status and reason ({@code < 200} alone: no reason)
 *   <li>{@code < 422 Service "a"}: an invalid object; its message is made of the causes
 *   <li>{@code < FieldValueRequired | spec.ports | Required value}: the next cause; a message that
 *       begins with {@code ~} is part of the real one
 *   <li>{@code < message text}: the whole message, with {@code ~} a part of it
 *   <li>{@code < /json/pointer {'a':1}}: a value, {@code -} for none, {@code ~text} for a part
 *   <li>{@code < text part}: part of the body; {@code < header Name: part}: part of a header
 * </ul>
 *
 * <p>{@code ${ns}} is a namespace of the scenario, {@code ${group}} an API group of its own, {@code
 * ${rv}} the resource version and {@code ${uid}} the uid of the last answer that had them.
 */
record RuleScenario(String name, List<Step> steps) {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final AtomicInteger NEXT = new AtomicInteger();

  /** One request; the lists grow while the file is read. */
  record Step(
      String method, String path, List<String> headers, StringBuilder body, List<String> expected) {
    Step(String method, String path) {
      this(method, path, new ArrayList<>(), new StringBuilder(), new ArrayList<>());
    }
  }

  /** Reads all scenarios of a file. */
  static List<RuleScenario> read(Path file) throws IOException {
    List<RuleScenario> all = new ArrayList<>();
    for (String line : Files.readAllLines(file)) {
      if (line.isBlank() || line.startsWith("# ")) {
        continue;
      }
      if (line.startsWith("## ")) {
        all.add(new RuleScenario(line.substring(3), new ArrayList<>()));
        continue;
      }
      List<Step> steps = all.getLast().steps();
      if (line.matches("[A-Z]+ /.*")) {
        int space = line.indexOf(' ');
        steps.add(new Step(line.substring(0, space), line.substring(space + 1)));
      } else if (line.startsWith("@ ")) {
        steps.getLast().headers().add(line.substring(2));
      } else if (line.startsWith("< ")) {
        steps.getLast().expected().add(line.substring(2));
      } else {
        steps.getLast().body().append(line).append('\n');
      }
    }
    return all;
  }

  /** Runs the requests; returns the differences of the first that has any. */
  List<String> run(String server) throws IOException, InterruptedException {
    String id = "r" + NEXT.incrementAndGet();
    Variables variables = new Variables(id, "", "");
    Step namespace = new Step("POST", "/api/v1/namespaces");
    namespace.body().append("{'metadata':{'name':'").append(id).append("'}}");
    namespace.expected().add("201");
    List<Step> all = new ArrayList<>(steps);
    all.addFirst(namespace);
    for (Step step : all) {
      List<String> wrong = run(server, step, variables);
      if (!wrong.isEmpty()) {
        wrong.addFirst(step.method() + " " + step.path());
        return wrong;
      }
    }
    return List.of();
  }

  /** What the texts of a scenario may name; changes with every answer. */
  private static final class Variables {
    private final String namespace;
    private String version;
    private String uid;

    Variables(String namespace, String version, String uid) {
      this.namespace = namespace;
      this.version = version;
      this.uid = uid;
    }

    String fill(String text) {
      return text.replace("${ns}", namespace)
          .replace("${group}", namespace + ".rules.example")
          .replace("${rv}", version)
          .replace("${uid}", uid);
    }

    void see(JsonNode answer) {
      JsonNode meta = answer.path("metadata");
      version = meta.path("resourceVersion").asText(version);
      uid = meta.path("uid").asText(uid);
    }
  }

  private static List<String> run(String server, Step step, Variables variables)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(
            URI.create(server + variables.fill(step.path()).replace(" ", "%20")));
    request.timeout(Duration.ofSeconds(60));
    boolean typed = false;
    for (String header : step.headers()) {
      int colon = header.indexOf(": ");
      request.header(header.substring(0, colon), header.substring(colon + 2));
      typed |= header.startsWith("Content-Type");
    }
    String body = variables.fill(step.body().toString().strip().replace('\'', '"'));
    if (!typed && !body.isEmpty()) {
      request.header("Content-Type", "application/json");
    }
    request.method(
        step.method(),
        body.isEmpty()
            ? HttpRequest.BodyPublishers.noBody()
            : HttpRequest.BodyPublishers.ofString(body));
    HttpResponse<String> response =
        CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
    JsonNode answer = parse(response.body());
    List<String> wrong = new ArrayList<>();
    int causes = 0;
    boolean invalid = false;
    for (String line : step.expected()) {
      String expected = variables.fill(line);
      if (expected.startsWith("FieldValue")) {
        cause(expected, answer.at("/details/causes/" + causes++), wrong);
      } else if (expected.matches("\\d{3}( .*)?")) {
        status(expected, response, answer, wrong);
        invalid = expected.startsWith("422 ") && expected.endsWith("\"");
      } else if (expected.startsWith("message ")) {
        text(expected.substring(8), answer.path("message").asText(), "message", wrong);
      } else if (expected.startsWith("text ")) {
        text("~" + expected.substring(5), response.body(), "body", wrong);
      } else if (expected.startsWith("header ")) {
        int colon = expected.indexOf(": ");
        String name = expected.substring(7, colon);
        String found = String.join(", ", response.headers().allValues(name));
        text("~" + expected.substring(colon + 2), found, name, wrong);
      } else {
        pointer(expected, answer, wrong);
      }
    }
    if (invalid) {
      message(answer, causes, step.expected(), variables, wrong);
    }
    if (!wrong.isEmpty()) {
      wrong.add("answer: " + response.statusCode() + " " + response.body());
    }
    variables.see(answer);
    return wrong;
  }

  private static void status(
      String expected, HttpResponse<String> response, JsonNode answer, List<String> wrong) {
    if (response.statusCode() != Integer.parseInt(expected.substring(0, 3))) {
      wrong.add("status should be " + expected);
    }
    String reason = expected.length() > 4 ? expected.substring(4) : "";
    if (!reason.isEmpty() && !reason.endsWith("\"")) {
      text(reason, answer.path("reason").asText(), "reason", wrong);
    }
  }

  /** The message of an invalid object is its name and all different causes. */
  private static void message(
      JsonNode answer, int causes, List<String> expected, Variables variables, List<String> wrong) {
    if (answer.at("/details/causes").size() != causes) {
      wrong.add("there should be " + causes + " causes");
    }
    Set<String> parts = new LinkedHashSet<>();
    for (JsonNode cause : answer.at("/details/causes")) {
      parts.add(cause.path("field").asText() + ": " + cause.path("message").asText());
    }
    String joined = String.join(", ", parts);
    String head = variables.fill(expected.getFirst().substring(4)) + " is invalid: ";
    text(
        head + (parts.size() == 1 ? joined : "[" + joined + "]"),
        answer.path("message").asText(),
        "message",
        wrong);
    text("Invalid", answer.path("reason").asText(), "reason", wrong);
  }

  private static void cause(String expected, JsonNode cause, List<String> wrong) {
    String[] parts = expected.split(" \\| ", 3);
    text(parts[0], cause.path("reason").asText(), "reason of a cause", wrong);
    text(parts[1], cause.path("field").asText(), "field of a cause", wrong);
    text(parts[2], cause.path("message").asText(), "message of a cause", wrong);
  }

  private static void text(String expected, String found, String what, List<String> wrong) {
    boolean right =
        expected.startsWith("~") ? found.contains(expected.substring(1)) : found.equals(expected);
    if (!right) {
      wrong.add(what + " should be [" + expected + "], is [" + found + "]");
    }
  }

  private static void pointer(String expected, JsonNode answer, List<String> wrong)
      throws IOException {
    int space = expected.indexOf(' ');
    String path = expected.substring(0, space);
    String value = expected.substring(space + 1);
    JsonNode found = answer.at(path);
    if (value.equals("-")) {
      if (!found.isMissingNode()) {
        wrong.add(path + " should not be there, is " + found);
      }
    } else if (value.startsWith("~")) {
      text(value, found.isTextual() ? found.textValue() : found.toString(), path, wrong);
    } else if (!found.equals(MAPPER.readTree(value.replace('\'', '"')))) {
      wrong.add(path + " should be " + value + ", is " + found);
    }
  }

  private static JsonNode parse(String text) {
    try {
      return text.isEmpty() ? MissingNode.getInstance() : MAPPER.readTree(text);
    } catch (IOException e) {
      return MissingNode.getInstance();
    }
  }
}
