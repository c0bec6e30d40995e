// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.zip.GZIPInputStream;

/** Runs one recorded scenario against a server. */
final class Scenario {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final String ADMIN = "admin";
  private static final Duration CALL_LIMIT = Duration.ofSeconds(60);

  /** What is waited for has at least this long, whatever the scenario sets: machines are busy. */
  private static final double LEAST_LIMIT = 60;

  private final JsonNode scenario;
  private final ContractServer server;
  private final Leftovers leftovers;
  private final Variables variables = new Variables();
  private final Map<String, WatchStream> watches = new HashMap<>();

  Scenario(JsonNode scenario, ContractServer server, Leftovers leftovers) {
    this.scenario = scenario;
    this.server = server;
    this.leftovers = leftovers;
    String id = UUID.randomUUID().toString().substring(0, 8);
    variables.set("id", id);
    server.token().ifPresent(token -> variables.set("token", token));
    variables.set("group", "g" + id + ".contract.example.com");
    scenario
        .path("namespaces")
        .forEach(n -> variables.set(n.asText(), "c" + n.asText() + "-" + id));
  }

  /** The API group of its definitions; nobody else's ends with it. */
  String group() {
    return variables.text("group");
  }

  private record Reply(int status, Map<String, String> headers, String text) {
    JsonNode json() {
      try {
        return text.isEmpty() ? MissingNode.getInstance() : MAPPER.readTree(text);
      } catch (IOException e) {
        return MissingNode.getInstance();
      }
    }
  }

  /** Returns the first difference, empty when everything is as recorded. */
  List<String> run() throws IOException, InterruptedException {
    try {
      for (JsonNode n : scenario.path("namespaces")) {
        ObjectNode step =
            MAPPER.createObjectNode().put("method", "POST").put("path", "/api/v1/namespaces");
        String namespace = variables.text(n.asText());
        step.putObject("body").putObject("metadata").put("name", namespace);
        leftovers.created("/api/v1/namespaces/" + namespace); // even if the answer gets lost
        Reply reply = send(step);
        if (reply.status() != 201) {
          return List.of("cannot create namespace: " + reply.text());
        }
      }
      int i = 0;
      for (JsonNode step : scenario.path("steps")) {
        i++;
        List<String> problems = step(step);
        if (!problems.isEmpty()) {
          String where =
              "step "
                  + i
                  + " "
                  + variables.replace(step.path("name").asText(step.path("path").asText()));
          return problems.stream().map(p -> where + ": " + p).toList();
        }
      }
      return List.of();
    } finally {
      watches.values().forEach(WatchStream::close);
    }
  }

  private List<String> step(JsonNode raw) throws IOException, InterruptedException {
    ObjectNode step = (ObjectNode) variables.resolve(raw);
    if (step.has("bodyFrom")) {
      JsonNode body = step.get("bodyFrom").deepCopy();
      step.set("body", merge(body, step.path("merge")));
    }
    if (step.has("watch")) {
      return watch(step, raw);
    }
    long deadline = System.nanoTime() + limit(step.path("within").asDouble());
    while (true) {
      Reply reply = send(step);
      List<String> problems = check(step.path("expect"), reply);
      if (problems.isEmpty()) {
        return capture(raw, reply.json());
      }
      if (System.nanoTime() >= deadline) {
        return problems;
      }
      Thread.sleep(20); // the scenario sets the limit
    }
  }

  /** In nanoseconds; nothing at all stays nothing, which is one try. */
  private static long limit(double seconds) {
    return seconds <= 0 ? 0 : (long) (Math.max(seconds, LEAST_LIMIT) * 1e9);
  }

  private List<String> capture(JsonNode step, JsonNode document) {
    for (Map.Entry<String, JsonNode> e : step.path("capture").properties()) {
      JsonNode value = document.at(e.getValue().asText());
      if (value.isMissingNode()) {
        return List.of("nothing at " + e.getValue() + ", needed later as " + e.getKey());
      }
      variables.set(e.getKey(), value);
    }
    return List.of();
  }

  private static JsonNode merge(JsonNode target, JsonNode patch) {
    if (!(patch instanceof ObjectNode changes)) {
      return patch.isMissingNode() ? target : patch;
    }
    ObjectNode out = target instanceof ObjectNode object ? object : MAPPER.createObjectNode();
    for (Map.Entry<String, JsonNode> e : changes.properties()) {
      if (e.getValue().isNull()) {
        out.remove(e.getKey());
      } else {
        out.set(e.getKey(), merge(out.path(e.getKey()), e.getValue()));
      }
    }
    return out;
  }

  private static List<String> check(JsonNode expect, Reply reply) {
    List<String> problems = new ArrayList<>();
    JsonNodeFactory nodes = JsonNodeFactory.instance;
    if (expect.has("status")) {
      problems.addAll(
          Matcher.differences(expect.get("status"), nodes.numberNode(reply.status()), "status"));
    }
    for (Map.Entry<String, JsonNode> e : expect.path("headers").properties()) {
      String value = reply.headers().get(e.getKey().toLowerCase(java.util.Locale.ROOT));
      boolean type =
          e.getKey().equalsIgnoreCase("content-type") && !e.getValue().asText().contains(";");
      JsonNode actual =
          value == null
              ? MissingNode.getInstance()
              : nodes.textNode(type ? value.replaceFirst(";.*", "").strip() : value);
      problems.addAll(Matcher.differences(e.getValue(), actual, "header " + e.getKey()));
    }
    if (expect.has("text")) {
      problems.addAll(
          Matcher.differences(expect.get("text"), nodes.textNode(reply.text()), "text"));
    }
    if (expect.has("body")) {
      problems.addAll(Matcher.differences(expect.get("body"), reply.json(), "body"));
    }
    return problems;
  }

  private HttpRequest.Builder request(JsonNode step) {
    List<String> pairs = new ArrayList<>();
    for (Map.Entry<String, JsonNode> e : step.path("query").properties()) {
      JsonNode values =
          e.getValue() instanceof ArrayNode list
              ? list
              : MAPPER.createArrayNode().add(e.getValue());
      values.forEach(v -> pairs.add(encode(e.getKey()) + "=" + encode(v.asText())));
    }
    String query = pairs.isEmpty() ? "" : "?" + String.join("&", pairs);
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create(server.url() + step.path("path").asText() + query));
    Map<String, String> headers = new HashMap<>();
    headers.put("User-Agent", "contract-replay/1.0");
    headers.put("Accept", "application/json");
    switch (step.path("auth").asText(ADMIN)) {
      case "none" -> {}
      case "invalid" -> headers.put("Authorization", "Bearer not-a-valid-token");
      case "limited" ->
          headers.put("Authorization", "Bearer " + server.limitedToken().orElseThrow());
      default -> server.token().ifPresent(t -> headers.put("Authorization", "Bearer " + t));
    }
    if (step.has("body") || step.has("rawBody")) {
      headers.put("Content-Type", "application/json");
    }
    for (Map.Entry<String, JsonNode> e : step.path("headers").properties()) {
      if (e.getValue().isNull()) {
        headers.remove(e.getKey());
      } else {
        headers.put(e.getKey(), e.getValue().asText());
      }
    }
    headers.forEach(builder::header);
    return builder;
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  /** A client certificate would speak for everybody. */
  private HttpClient client(JsonNode step) {
    return step.path("auth").asText(ADMIN).equals(ADMIN) ? server.client() : server.nobody();
  }

  private Reply send(JsonNode step) throws IOException, InterruptedException {
    byte[] body =
        step.has("rawBody")
            ? step.get("rawBody").asText().getBytes(StandardCharsets.UTF_8)
            : step.has("body") ? MAPPER.writeValueAsBytes(step.get("body")) : new byte[0];
    HttpRequest.BodyPublisher publisher =
        body.length == 0
            ? HttpRequest.BodyPublishers.noBody()
            : step.path("chunked").asBoolean()
                ? HttpRequest.BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body))
                : HttpRequest.BodyPublishers.ofByteArray(body);
    HttpRequest request =
        request(step).timeout(CALL_LIMIT).method(step.path("method").asText(), publisher).build();
    HttpResponse<byte[]> response =
        client(step).send(request, HttpResponse.BodyHandlers.ofByteArray());
    Map<String, String> headers = new HashMap<>();
    response
        .headers()
        .map()
        .forEach((k, v) -> headers.put(k.toLowerCase(java.util.Locale.ROOT), v.getLast()));
    byte[] answer = response.body();
    if ("gzip".equals(headers.get("content-encoding"))) {
      answer = new GZIPInputStream(new ByteArrayInputStream(answer)).readAllBytes();
    }
    Reply reply =
        new Reply(response.statusCode(), headers, new String(answer, StandardCharsets.UTF_8));
    note(step, reply);
    return reply;
  }

  private void note(JsonNode step, Reply reply) {
    JsonNode object = reply.json();
    boolean stored =
        reply.status() == 201
            && object.at("/metadata/uid").isTextual()
            && !step.path("query").has("dryRun");
    if (stored) {
      String path = step.path("path").asText();
      boolean collection = step.path("method").asText().equals("POST");
      leftovers.created(collection ? path + "/" + object.at("/metadata/name").asText() : path);
    }
  }

  private List<String> watch(ObjectNode step, JsonNode raw)
      throws IOException, InterruptedException {
    String id = step.path("id").asText();
    long within = System.nanoTime() + limit(step.path("within").asDouble(10));
    boolean bookmarks = step.path("bookmarks").asBoolean();
    if (step.path("watch").asText().equals("open")) {
      WatchStream opened = new WatchStream(client(step), request(step).GET().build());
      watches.put(id, opened);
      return opened.status() == step.path("expect").path("status").asInt(200)
          ? List.of()
          : List.of("watch answered " + opened.status());
    }
    WatchStream watch = java.util.Objects.requireNonNull(watches.get(id), id);
    switch (step.path("watch").asText()) {
      case "close" -> watch.close();
      case "silent" -> {
        long end = System.nanoTime() + (long) (step.path("for").asDouble(0.5) * 1e9);
        JsonNode event = watch.next(end, bookmarks);
        return event == null ? List.of() : List.of("no event expected, got " + event);
      }
      case "closed" -> {
        JsonNode event = watch.next(within, false);
        return event != null
            ? List.of("end of stream expected, got " + event)
            : watch.closed(within) ? List.of() : List.of("stream is still open");
      }
      case "expect" -> {
        return expect(step, raw, watch, within, bookmarks);
      }
      default ->
          throw new IllegalArgumentException("unknown watch operation " + step.path("watch"));
    }
    return List.of();
  }

  private List<String> expect(
      ObjectNode step, JsonNode raw, WatchStream watch, long within, boolean bookmarks)
      throws InterruptedException {
    JsonNode wanted = step.path("expect").path("events");
    if (step.path("unordered").asBoolean()) {
      ArrayNode got = MAPPER.createArrayNode();
      for (int i = 0; i < wanted.size(); i++) {
        JsonNode event = watch.next(within, bookmarks);
        if (event != null) {
          got.add(event);
        }
      }
      ObjectNode unordered = MAPPER.createObjectNode();
      unordered.set("$unordered", wanted);
      return Matcher.differences(unordered, got, "events");
    }
    int i = 0;
    for (JsonNode want : wanted) {
      boolean marks = bookmarks || want.path("type").asText().equals("BOOKMARK");
      JsonNode event = watch.next(within, marks);
      List<String> problems =
          Matcher.differences(
              want, event == null ? MissingNode.getInstance() : event, "event " + ++i);
      if (!problems.isEmpty()) {
        return problems;
      }
      List<String> missing =
          event == null ? List.of() : capture(raw.path("expect").path("events").path(i - 1), event);
      if (!missing.isEmpty()) {
        return missing;
      }
    }
    return List.of();
  }
}
