// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.spi.ControllerDirectory;
import dev.coxswain.admin.spi.ControllerDirectory.FailedController;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.view.ConditionType;
import dev.coxswain.view.Phase;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ControllersTest {

  private final Api api = new Api();

  @AfterEach
  void close() {
    api.close();
  }

  private static FailedController broken() {
    return new FailedController(
        "broken",
        "no CRD \"widgets\"\nstack",
        FakeController.START,
        3,
        FakeController.START.plusSeconds(30));
  }

  @Test
  void aController_isShownWithItsCountsByPhase() {
    api.demo.put("a", "r", Phase.READY, 0, null);
    api.demo.put("a", "d", Phase.DELAYED, 1, "boom");
    api.demo.put("a", "t", Phase.TERMINAL, 2, "never");
    JsonNode json = api.get(Api.DEMO).ok(200);
    assertThat(json.path("kind").asText()).isEqualTo("Controller");
    assertThat(json.path("state").asText()).isEqualTo("running");
    assertThat(json.path("paused").asBoolean()).isFalse();
    assertThat(json.path("counts").toString())
        .isEqualTo("{\"ready\":1,\"delayed\":1,\"waitingToken\":0,\"inFlight\":0,\"terminal\":1}");
    assertThat(json.path("total").asInt()).as("what is in the queue").isEqualTo(2);
    assertThat(json.path("failing").asInt()).isEqualTo(2);
    assertThat(json.path("oldestReadySeconds").asDouble()).isEqualTo(1.5);
    assertThat(json.path("asOf").asText()).isEqualTo("2026-11-20T10:00:00Z");
    assertThat(json.at("/sources/0/synced").asBoolean()).isTrue();
    assertThat(json.at("/options/limiter").asText()).isEqualTo("default");
    assertThat(json.at("/options/composition").asText()).isEqualTo("admission");
  }

  @Test
  void everyTypeOfStandingProblem_isShownAsTheDocumentHasIt() {
    assertThat(api.get(Api.DEMO).ok(200).path("conditions")).isEmpty();
    for (ConditionType type : ConditionType.values()) {
      api.demo.conditions.raise(type, "what is\nwrong");
    }
    JsonNode shown = api.get(Api.DEMO).ok(200).path("conditions");
    assertThat(shown.findValuesAsText("type"))
        .containsExactlyElementsOf(
            Stream.of(ConditionType.values()).map(ConditionType::label).toList());
    assertThat(shown.get(0).path("message").asText()).isEqualTo("what is wrong");
    assertThat(shown.get(0).path("replica").asText()).isEqualTo(api.directory.replica());
    assertThat(shown.get(0).has("since")).isTrue();
  }

  @Test
  void aControllerThatFailedToStart_isVisible() {
    api.directory.failed.add(broken());
    JsonNode list = api.get("/api/v1/controllers").ok(200);
    assertThat(list.path("items").findValuesAsText("name")).containsExactly("broken", "demo");
    JsonNode json = api.get("/api/v1/controllers/broken").ok(200);
    assertThat(json.path("state").asText()).isEqualTo("failed");
    assertThat(json.path("error").asText()).isEqualTo("no CRD \"widgets\" stack");
    assertThat(json.path("attempts").asInt()).isEqualTo(3);
    api.get("/api/v1/controllers/broken/items").problem(503, "controller-not-running");
    api.post("/api/v1/controllers/broken/pause", "{\"reason\":\"x\"}")
        .problem(503, "controller-not-running");
  }

  @Test
  void oneUnreadableController_doesNotHideTheOthers() {
    api.demo.unreadable = true;
    try (FakeController other = new FakeController("other")) {
      api.directory.handles.put("other", other);
      JsonNode items = api.get("/api/v1/controllers").ok(200).path("items");
      assertThat(items).hasSize(2);
      assertThat(items.get(0).path("state").asText()).isEqualTo("unknown");
      assertThat(items.get(1).path("state").asText()).isEqualTo("running");
      assertThat(items.toString()).doesNotContain("secret");
    }
  }

  @Test
  void anUnknownController_is404_onEveryRoute() {
    for (String path : List.of("", "/items", "/items/YS9i", "/items/YS9i/explain")) {
      api.get("/api/v1/controllers/nobody" + path).problem(404, "controller-not-found");
    }
    for (String path : List.of("/pause", "/operations", "/items", "/items/YS9i/retry")) {
      api.post("/api/v1/controllers/nobody" + path, "{\"reason\":\"x\"}")
          .problem(404, "controller-not-found");
    }
  }

  @Test
  void pauseAndResume_areShown() {
    JsonNode paused =
        api.post(Api.DEMO + "/pause", "{\"reason\":\"INC-1\",\"duration\":\"10m\"}").ok(200);
    assertThat(paused.path("paused").asBoolean()).isTrue();
    assertThat(paused.at("/pause/reason").asText()).isEqualTo("INC-1");
    assertThat(Instant.parse(paused.at("/pause/until").asText()))
        .isEqualTo(Instant.parse(paused.at("/pause/since").asText()).plusSeconds(600));
    JsonNode resumed = api.post(Api.DEMO + "/resume", "{\"reason\":\"done\"}").ok(200);
    assertThat(resumed.path("paused").asBoolean()).isFalse();
    assertThat(resumed.has("pause")).isFalse();
    api.post(Api.DEMO + "/pause", "{\"reason\":\"x\",\"duration\":\"0s\"}")
        .problem(400, "invalid-body");
  }

  @Test
  void aSettingThatIsAsRequestedAlready_isSkipped_withTheReason() {
    String why = "{\"reason\":\"INC-1\"}";
    assertThat(api.post(Api.DEMO + "/pause", why).ok(200).path("result").asText())
        .isEqualTo("applied");
    skipped(api.post(Api.DEMO + "/pause", why), "it is paused already, since");
    JsonNode longer =
        api.post(Api.DEMO + "/pause", "{\"reason\":\"INC-1\",\"duration\":\"10m\"}").ok(200);
    assertThat(longer.path("result").asText()).isEqualTo("applied");
    assertThat(longer.path("detail").asText()).startsWith("it was paused already,");
    assertThat(api.post(Api.DEMO + "/resume", why).ok(200).path("result").asText())
        .isEqualTo("applied");
    skipped(api.post(Api.DEMO + "/resume", why), "it is not paused");
    String seven = "{\"maxConcurrent\":7,\"reason\":\"x\"}";
    assertThat(api.change("PUT", Api.DEMO + "/scale", seven).ok(200).path("result").asText())
        .isEqualTo("applied");
    skipped(api.change("PUT", Api.DEMO + "/scale", seven), "maxConcurrent is 7 already");
    skipped(api.change("PATCH", Api.DEMO, seven), "maxConcurrent is 7 already");
  }

  private static void skipped(Api.Answer answer, String why) {
    JsonNode json = answer.ok(200);
    assertThat(json.path("result").asText()).isEqualTo("skipped");
    assertThat(json.path("detail").asText()).startsWith(why).endsWith("; nothing was changed");
  }

  @ParameterizedTest
  @CsvSource({"PATCH,", "PUT,/scale"})
  void maxConcurrent_canBeChanged_withinItsBounds(String method, @Nullable String below) {
    String path = Api.DEMO + (below == null ? "" : below);
    assertThat(
            api.change(method, path, "{\"maxConcurrent\":7,\"reason\":\"x\"}")
                .ok(200)
                .path("maxConcurrent")
                .asInt())
        .isEqualTo(7);
    for (String bad : List.of("0", "10001", "\"7\"", "null", "1.5")) {
      api.change(method, path, "{\"maxConcurrent\":" + bad + ",\"reason\":\"x\"}")
          .problem(400, "invalid-body");
    }
    api.change(method, path, "{\"reason\":\"x\"}").problem(400, "invalid-body");
    assertThat(api.demo.concurrency).isEqualTo(7);
  }

  @Test
  void limiters_areShown_withAnyName() {
    api.directory.budgets.add(
        new BudgetSnapshot("vendor x", "local", 10, 100, -3.5, 8, 70, 9, List.of("demo")));
    api.directory.budgets.add(
        new BudgetSnapshot(
            "default", "local", Double.POSITIVE_INFINITY, 100, 100, 0, 0, 0, List.of()));
    JsonNode list = api.get("/api/v1/limiters").ok(200);
    assertThat(list.path("items").findValuesAsText("name")).containsExactly("default", "vendor x");
    assertThat(list.at("/items/0/refillPerSecond").isNull()).isTrue();
    JsonNode one = api.get("/api/v1/limiters/vendor%20x").ok(200);
    assertThat(one.path("kind").asText()).isEqualTo("Limiter");
    assertThat(one.path("capacity").asInt()).isEqualTo(100);
    assertThat(one.path("refillPerSecond").asDouble()).isEqualTo(10);
    assertThat(one.path("tokens").asDouble()).isEqualTo(-3.5);
    assertThat(one.path("waiters").asInt()).isEqualTo(8);
    assertThat(one.at("/consumers/0").asText()).isEqualTo("demo");
    assertThat(one.path("degraded").asBoolean()).isFalse();
    assertThat(one.has("degradedReason")).isFalse();
    api.get("/api/v1/limiters/nobody").problem(404, "limiter-not-found");
  }

  @Test
  void sharedLimiter_saysWhyItIsDegraded_andWhatEachReplicaWasGranted() {
    api.directory.budgets.add(
        new BudgetSnapshot(
            "default",
            "hazelcast",
            10,
            100,
            7,
            3,
            70,
            9,
            List.of("demo"),
            "a minority of 1 member",
            List.of(
                new BudgetSnapshot.Replica("coxswain-0", 1, 40),
                new BudgetSnapshot.Replica("two", 2, 30)),
            null,
            null));
    JsonNode one = api.get("/api/v1/limiters/default").ok(200);
    assertThat(one.path("mode").asText()).isEqualTo("hazelcast");
    assertThat(one.path("degraded").asBoolean()).isTrue();
    assertThat(one.path("degradedReason").asText()).isEqualTo("a minority of 1 member");
    assertThat(one.at("/replicas/1/name").asText()).isEqualTo("two");
    assertThat(one.at("/replicas/1/waiters").asInt()).isEqualTo(2);
    assertThat(one.at("/replicas/1/granted").asInt()).isEqualTo(30);
  }

  @Test
  void aReplicaWithoutASharedLimiter_isTheOnlyOne_withoutALease() {
    JsonNode list = api.get("/api/v1/replicas").ok(200);
    assertThat(list.path("items").findValuesAsText("replica"))
        .containsExactly(api.directory.replica());
    assertThat(list.at("/items/0/state").asText()).isEqualTo("ok");
    assertThat(list.at("/items/0").has("ordinal")).isFalse();
  }

  @Test
  void aReplica_isShownWithItsLease() {
    api.directory.replicas.add(
        new ControllerDirectory.ReplicaInfo(
            api.directory.replica(),
            "coxswain-0_1",
            0,
            Instant.EPOCH,
            "g1",
            true,
            Map.of("member", "10.0.0.7:5701")));
    JsonNode one = api.get("/api/v1/replicas").ok(200).at("/items/0");
    assertThat(one.path("ordinal").asInt(-1)).isZero();
    assertThat(one.path("since").asText()).isEqualTo("1970-01-01T00:00:00Z");
    assertThat(one.path("pool").asBoolean()).isTrue();
    assertThat(one.at("/addresses/member").asText()).isEqualTo("10.0.0.7:5701");
  }
}
