// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.spi.ConfigurationStatus;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.verticle.ControllerVerticle;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Thousands of requests made from the OpenAPI document, as it allows them and broken, against a
 * fake and a real controller. {@link Api#send} holds every answer against the document; here
 * nothing may be a 5xx, what the document allows is not called malformed, and what it forbids does
 * not succeed. {@code -Dcoxswain.seed} repeats a run, {@code -Dcoxswain.requests} makes it longer.
 */
class ContractFuzzTest {

  private static final int REQUESTS = Integer.getInteger("coxswain.requests", 3000);
  private static final int OBJECTS = 100;
  private static final Set<String> METHODS = Set.of("get", "post", "patch", "put", "delete");

  /** Bodies of these have rules between their fields that a schema does not tell. */
  private static final Set<String> MORE_RULES =
      Set.of(
          "createOperation",
          "controllerStats",
          "clusterStats",
          "pauseController",
          "patchLimiter",
          "putLimiterOverride");

  /** The same of parameters: where a walk has come to, and the grammar of Kubernetes. */
  private static final Set<String> NO_SCHEMA = Set.of("continue", "labelSelector");

  /** These succeed only in a state that other requests end again; UndoTest has it. */
  private static final Set<String> OF_A_STATE = Set.of("undoChange");

  private final long seed = Long.getLong("coxswain.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final Api api = new Api(options -> options.withRequestTimeout(Duration.ofSeconds(60)));
  private final JsonObject document =
      new Contract(api.get("/api/v1/openapi.json").http().body()).document();
  private final Contract contract = new Contract(document.encode());
  private final FuzzValues values = new FuzzValues(document, random);
  private final List<String> ids = new ArrayList<>();
  private String begun = "";
  private String cause = "";

  private record Operation(String path, String method, JsonObject text, JsonArray shared) {
    String id() {
      return text.getString("operationId");
    }
  }

  @BeforeEach
  void start() {
    var budget = new LocalRetryBudget("default", 10, 100, Clock.system());
    Controller<Request> controller =
        Controller.named("real")
            .watches(new GivenRequests(OBJECTS))
            .reconcilesAsync((request, context) ->
                request.namespace().equals("bad")
                    ? Future.failedFuture(new IllegalStateException("no luck"))
                    : Future.succeededFuture(Result.requeueAfter(Duration.ofMinutes(1))));
    ControllerVerticle<Request> verticle =
        new ControllerVerticle<>(
            controller,
            new ControllerRuntime(
                name -> budget,
                name -> ControllerTelemetry.NONE,
                Clock.system(),
                Duration.ofSeconds(5)));
    api.vertx.deployVerticle(verticle).await();
    api.directory.handles.put("real", verticle.handle());
    api.directory.budgets.add(budget.snapshot());
    api.directory.overrides = new NothingIsSet();
    api.directory.plugins = new FakePlugins();
    api.directory.configuration = ConfigurationStatus.started("a.yaml", Instant.EPOCH);
    api.directory.slots = new FakeSlots().spread(2).at(0);
    for (int i = 0; i < OBJECTS; i++) {
      ids.add(api.demo.put("a", "b" + i, Phase.values()[i % 4], i % 3, i % 3 == 0 ? null : "boom"));
      ids.add(new ItemId(i % 2 == 0 ? "bad" : "good", "o-" + i).encoded());
    }
    String order = "{\"action\":\"forget\",\"selector\":{\"name\":\"b1\"},\"reason\":\"x\"}";
    cause = api.get(Api.DEMO + "/causes").ok(200).at("/items/0/id").asText();
    api.post(Api.DEMO + "/pause", "{\"reason\":\"x\"}", "X-Request-Id", "paused").ok(200);
    begun = api.operate(Api.DEMO + "/operations", order).path("id").asText();
  }

  @AfterEach
  void close() {
    api.close();
  }

  private List<Operation> operations() {
    List<Operation> operations = new ArrayList<>();
    JsonObject paths = document.getJsonObject("paths");
    for (String path : paths.fieldNames()) {
      JsonObject item = paths.getJsonObject(path);
      for (String method : item.fieldNames()) {
        if (METHODS.contains(method)) {
          operations.add(
              new Operation(
                  path,
                  method.toUpperCase(Locale.ROOT),
                  item.getJsonObject(method),
                  item.getJsonArray("parameters", new JsonArray())));
        }
      }
    }
    return operations;
  }

  @Test
  void everyAnswer_isAsDescribed_andNoneIsAFaultOfTheHost() {
    List<Operation> operations = operations();
    Set<String> succeeded = new TreeSet<>();
    Set<Integer> statuses = new TreeSet<>();
    List<String> expected =
        operations.stream()
            .map(Operation::id)
            .filter(id -> !MORE_RULES.contains(id) && !OF_A_STATE.contains(id))
            .toList();
    // A seed in some thousands tries one of them too seldom.
    for (int i = 0; i < REQUESTS || (i < 4 * REQUESTS && !succeeded.containsAll(expected)); i++) {
      Operation operation = operations.get(random.nextInt(operations.size()));
      boolean honest = values.chance(0.5);
      try {
        Api.Answer answer = honest ? honest(operation) : dishonest(operation);
        assertThat(answer.status())
            .as("%s: %s", answer.http().uri(), answer.http().body())
            .isLessThan(500);
        statuses.add(answer.status());
        if (honest && answer.status() < 300) {
          succeeded.add(operation.id());
        }
      } catch (AssertionError e) {
        throw new AssertionError(
            "seed " + seed + ", request " + i + ", " + operation.id() + ": " + e.getMessage(), e);
      }
    }
    assertThat(succeeded)
        .as("seed %s: operations that have succeeded at least once", seed)
        .containsAll(expected);
    assertThat(statuses)
        .as("seed %s: nothing tried this", seed)
        .contains(200, 201, 204, 400, 403, 404, 406, 412, 413);
  }

  private Api.Answer honest(Operation operation) {
    StringBuilder query = new StringBuilder();
    List<String> headers = new ArrayList<>();
    for (int i = 0; i < operation.text().getJsonArray("parameters", new JsonArray()).size(); i++) {
      JsonObject parameter =
          values.resolve(operation.text().getJsonArray("parameters").getJsonObject(i));
      if (NO_SCHEMA.contains(parameter.getString("name"))
          || (!parameter.getBoolean("required", false) && values.chance(0.7))) {
        continue;
      }
      String value = plain(values.valid(parameter.getJsonObject("schema")));
      if (parameter.getString("in").equals("query")) {
        query.append(query.isEmpty() ? "?" : "&");
        query.append(parameter.getString("name")).append('=').append(escape(value));
      } else {
        headers.addAll(List.of(parameter.getString("name"), value));
      }
    }
    Api.Answer answer =
        api.send(request(operation, path(operation, true) + query, body(operation), headers));
    if (answer.status() == 400 && !MORE_RULES.contains(operation.id())) {
      throw new AssertionError("the document allows what is refused: " + answer.http().body());
    }
    return answer;
  }

  private static String plain(Object value) {
    return value instanceof JsonArray array
        ? String.join(",", array.stream().map(String::valueOf).toList())
        : String.valueOf(value);
  }

  private @Nullable JsonObject bodySchema(Operation operation) {
    JsonObject body = operation.text().getJsonObject("requestBody");
    return body == null
        ? null
        : body.getJsonObject("content").getJsonObject("application/json").getJsonObject("schema");
  }

  private @Nullable String body(Operation operation) {
    JsonObject schema = bodySchema(operation);
    return schema == null ? null : ((JsonObject) values.valid(schema)).encode();
  }

  private Api.Answer dishonest(Operation operation) {
    String target = path(operation, values.chance(0.7));
    if (values.chance(0.5)) {
      JsonArray known = operation.text().getJsonArray("parameters", new JsonArray());
      String name =
          known.isEmpty() || values.chance(0.2)
              ? values.nasty()
              : values.resolve(known.getJsonObject(random.nextInt(known.size()))).getString("name");
      target += "?" + escape(name) + "=" + escape(values.nasty());
    }
    JsonObject schema = bodySchema(operation);
    String body = body(operation);
    if (body != null && values.chance(0.7)) {
      body = values.broken(new JsonObject(body));
    } else if (body == null && values.chance(0.1)) {
      body = "{}";
    }
    List<String> headers = new ArrayList<>();
    if (values.chance(0.3)) {
      headers.add(
          values.oneOf(
              List.of("If-Match", "Accept", "X-Request-Id", "Sec-Fetch-Site", "Last-Event-ID")));
      headers.add(values.oneOf(List.of("nonsense", "*/*;q=2", "\"999\"", "text/plain", "")));
    }
    Api.Answer answer = api.send(request(operation, target, body, headers));
    if (answer.status() < 300 && schema != null && body != null && !allows(schema, body)) {
      throw new AssertionError("the document forbids what was done: " + body);
    }
    return answer;
  }

  private boolean allows(JsonObject schema, String body) {
    try {
      return Boolean.TRUE.equals(
          contract.validate(schema, io.vertx.core.json.Json.decodeValue(body)).getValid());
    } catch (io.vertx.core.json.DecodeException e) {
      return false;
    }
  }

  private String path(Operation operation, boolean honest) {
    return operation
        .path()
        .replace(
            "{c}", honest ? values.oneOf(List.of("real", "demo")) : escape("x" + values.nasty()))
        .replace("{q}", honest ? "paused" : escape("x" + values.nasty()))
        .replace("{op}", honest ? begun : escape("x" + values.nasty()))
        .replace("{l}", honest ? "default" : escape("x" + values.nasty()))
        .replace("{x}", honest ? cause : escape("x" + values.nasty()))
        .replace("{p}", honest ? "copier" : escape("x" + values.nasty()))
        .replace("{r}", honest ? "coxswain-0" : escape("x" + values.nasty()))
        .replace("{id}", honest ? values.oneOf(ids) : escape("x" + values.nasty()));
  }

  private static String escape(String text) {
    StringBuilder escaped = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      boolean plain =
          (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == ',';
      escaped.append(plain ? String.valueOf((char) b) : "%%%02X".formatted(b & 0xFF));
    }
    return escaped.length() > 3000 ? "long" : escaped.toString();
  }

  private HttpRequest.Builder request(
      Operation operation, String target, @Nullable String body, List<String> headers) {
    // A stream of events would not end; HEAD asks for all of it but the stream.
    String method = operation.id().equals("events") ? "HEAD" : operation.method();
    HttpRequest.Builder request =
        api.request(target)
            .method(method, body == null ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
    if (body != null) {
      request.header("Content-Type", "application/json");
    }
    if (!headers.isEmpty()) {
      request.headers(headers.toArray(String[]::new));
    }
    return request;
  }
}
