// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.internal.http.Body;
import dev.coxswain.controller.BulkProgress;
import dev.coxswain.controller.BulkResult;
import dev.coxswain.controller.BulkResult.Ending;
import dev.coxswain.spi.Clock;
import dev.coxswain.testing.Await;
import dev.coxswain.view.Phase;
import io.vertx.core.Promise;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** An operation is a resource: it begins, shows how far it is, is stopped, ends, is forgotten. */
class OperationLifeTest {

  private static final String OPERATIONS = Api.DEMO + "/operations";
  private static final String FORGET =
      "{\"action\":\"forget\",\"selector\":{\"failing\":true},\"reason\":\"INC-1\"}";

  private final Api api = new Api(options -> options.withRequestTimeout(Duration.ofSeconds(30)));

  @AfterEach
  void close() {
    api.close();
  }

  private Promise<BulkResult> hold() {
    Promise<BulkResult> held = Promise.promise();
    api.demo.heldBulk = held;
    api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    return held;
  }

  private static BulkResult result(Ending ending, int matched, int changed, int failed) {
    return new BulkResult(
        false,
        ending,
        new BulkProgress(matched, changed, Map.of(), failed, 0, 0),
        failed > 0 ? "java.lang.IllegalStateException: <b>no</b>" : null,
        Map.of(),
        Map.of(),
        List.of(),
        1);
  }

  private String begin() {
    Api.Answer begun = api.post(OPERATIONS, FORGET);
    JsonNode operation = begun.ok(202);
    assertThat(begun.header("Location"))
        .isEqualTo("/api/v1/operations/" + operation.path("id").asText());
    assertThat(operation.path("state").asText()).isEqualTo("Running");
    return begun.header("Location");
  }

  @Test
  void aRunningOperation_showsHowFarItIs() {
    Promise<BulkResult> held = hold();
    String address = begin();
    api.demo.progress = new BulkProgress(1000, 300, Map.of("due already", 20), 5, 0, 0);
    JsonNode shown = api.get(address).ok(200);
    assertThat(shown.path("matched").asInt()).isEqualTo(1000);
    assertThat(shown.path("done").asInt()).isEqualTo(325);
    assertThat(shown.path("applied").asInt()).isEqualTo(300);
    assertThat(shown.path("skipped").asInt()).isEqualTo(20);
    assertThat(shown.path("failed").asInt()).isEqualTo(5);
    assertThat(shown.path("remaining").asInt()).isEqualTo(675);
    assertThat(shown.path("actor").asText()).isEqualTo("anonymous");
    assertThat(shown.path("reason").asText()).isEqualTo("INC-1");
    assertThat(shown.has("endedAt")).isFalse();
    assertThat(Instant.parse(shown.path("expectedEnd").asText()))
        .isAfter(Instant.parse(shown.path("startedAt").asText()));
    held.complete(result(Ending.COMPLETE, 1000, 1000, 0));
    JsonNode over = api.ended(shown);
    assertThat(over.path("state").asText()).isEqualTo("Succeeded");
    assertThat(over.path("endedAt").asText()).endsWith("Z");
  }

  @Test
  void itemsThatMovedToAnotherReplica_areCounted_andTheOperationIsNotASuccess() {
    Promise<BulkResult> held = hold();
    JsonNode begun = api.get(begin()).ok(200);
    held.complete(
        new BulkResult(
            false,
            Ending.COMPLETE,
            new BulkProgress(5, 3, Map.of(BulkProgress.MOVED, 2), 0, 0, 0),
            null,
            Map.of(),
            Map.of(),
            List.of(),
            1));
    JsonNode over = api.ended(begun);
    assertThat(over.path("state").asText()).isEqualTo("PartiallySucceeded");
    assertThat(over.path("moved").asInt()).isEqualTo(2);
    assertThat(over.path("skipped").asInt()).isEqualTo(2);
    assertThat(over.path("detail").asText()).startsWith("2 items moved to another replica");
    assertThat(over.path("byResult").toString()).contains("moved to another replica");
  }

  @Test
  void theStateTellsTheTruth_aboutEveryEnd() {
    Map<BulkResult, String> states =
        Map.of(
            result(Ending.COMPLETE, 5, 5, 0), "Succeeded",
            result(Ending.COMPLETE, 5, 3, 2), "PartiallySucceeded",
            result(Ending.COMPLETE, 5, 0, 5), "Failed",
            result(Ending.COMPLETE, 5, 0, 0), "Failed",
            result(Ending.STOPPED, 5, 2, 0), "Cancelled",
            result(Ending.CONTROLLER_STOPS, 5, 2, 0), "PartiallySucceeded",
            result(Ending.CONTROLLER_STOPS, 5, 0, 0), "Failed",
            result(Ending.TOO_MANY, 5, 0, 0), "Failed");
    states.forEach((result, state) -> {
      Promise<BulkResult> held = hold();
      JsonNode begun = api.get(begin()).ok(200);
      held.complete(result);
      JsonNode over = api.ended(begun);
      assertThat(over.path("state").asText()).as(result.toString()).isEqualTo(state);
      assertThat(over.has("detail")).isEqualTo(!state.equals("Succeeded"));
    });
  }

  @Test
  void anOperationThatFailsInside_isFailed_andTheNextOneMayBegin() {
    Promise<BulkResult> held = hold();
    JsonNode begun = api.get(begin()).ok(200);
    held.fail(new IllegalArgumentException("secret internals"));
    JsonNode over = api.ended(begun);
    assertThat(over.path("state").asText()).isEqualTo("Failed");
    assertThat(over.toString()).doesNotContain("secret internals");
    api.demo.heldBulk = null;
    assertThat(api.operate(OPERATIONS, FORGET).path("state").asText()).isEqualTo("Succeeded");
  }

  @Test
  void onlyOneOperationPerController_runsAtATime() {
    Promise<BulkResult> held = hold();
    JsonNode begun = api.get(begin()).ok(200);
    api.post(OPERATIONS, FORGET).problem(409, "operation-running");
    held.complete(result(Ending.COMPLETE, 1, 1, 0));
    api.ended(begun);
    api.demo.heldBulk = null;
    api.operate(OPERATIONS, FORGET);
  }

  @Test
  void aStop_answersWhenTheRestIsLeftAlone() {
    Promise<BulkResult> held = hold();
    String address = begin();
    CompletableFuture<Api.Answer> stop =
        CompletableFuture.supplyAsync(
            () -> api.change("DELETE", address, "{\"reason\":\"enough\"}"));
    Await.until(() -> api.demo.stops.get() == 1);
    assertThat(api.get(address).ok(200).path("state").asText()).isEqualTo("Running");
    assertThat(stop).isNotDone();
    held.complete(result(Ending.STOPPED, 10, 4, 0));
    JsonNode stopped = stop.join().ok(200);
    assertThat(stopped.path("state").asText()).isEqualTo("Cancelled");
    assertThat(stopped.path("applied").asInt()).isEqualTo(4);
    assertThat(stopped.path("remaining").asInt()).isEqualTo(6);
    assertThat(stopped.at("/stop/reason").asText()).isEqualTo("enough");
    assertThat(stopped.at("/stop/actor").asText()).isEqualTo("anonymous");
    assertThat(stopped.path("result").asText()).isEqualTo("applied");
    JsonNode again = api.change("DELETE", address, "{\"reason\":\"again\"}").ok(200);
    assertThat(again.path("result").asText()).isEqualTo("skipped");
    assertThat(api.get(address).ok(200).has("result")).isFalse();
    assertThat(again.at("/stop/reason").asText()).isEqualTo("enough");
    assertThat(api.demo.stops.get()).isEqualTo(1);
  }

  @Test
  void operations_areListedTheYoungestFirst_byStateAndController() {
    api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    String first = api.operate(OPERATIONS, FORGET).path("id").asText();
    hold();
    String second = api.get(begin()).ok(200).path("id").asText();
    assertThat(ids("")).containsExactly(second, first);
    assertThat(ids("?state=Running")).containsExactly(second);
    assertThat(ids("?state=Succeeded,Failed&controller=demo")).containsExactly(first);
    assertThat(ids("?controller=other")).isEmpty();
    assertThat(ids("?namespace=a")).isEmpty(); // both are about all namespaces
    api.get("/api/v1/operations?state=asleep").problem(400, "invalid-query");
    api.get("/api/v1/operations/op-0").problem(404, "operation-not-found");
    api.change("DELETE", "/api/v1/operations/op-0", "{\"reason\":\"x\"}")
        .problem(404, "operation-not-found");
  }

  private List<String> ids(String query) {
    return api
        .get("/api/v1/operations" + query)
        .ok(200)
        .path("items")
        .findValuesAsText("id")
        .stream()
        .filter(id -> id.startsWith("op-"))
        .toList();
  }

  @Test
  void onlyTheLastOperationsAreRemembered_butEveryRunningOne() {
    OperationLog log = new OperationLog();
    Operation running = operation(log.nextId());
    log.began(running);
    for (int i = 0; i < OperationLog.MAX_ENDED + 50; i++) {
      Operation operation = operation(log.nextId());
      log.began(operation);
      operation.end(result(Ending.COMPLETE, 1, 1, 0), FakeController.START);
      log.ended(operation);
    }
    assertThat(log.all()).hasSize(OperationLog.MAX_ENDED + 1).contains(running);
    assertThat(log.find(running.id())).isPresent();
  }

  private Operation operation(String id) {
    OperationRequest request =
        OperationRequest.read(
            Body.parse(FORGET.getBytes(java.nio.charset.StandardCharsets.UTF_8)), 200);
    OperationHeader header = new OperationHeader(id, List.of("coxswain-0"));
    return new Operation(
        new OperationRecord(header, "demo", request, "anonymous", FakeController.START),
        1,
        request.counting(),
        api.demo.begin(request.counting()),
        Clock.system());
  }

  @Test
  void aReplicaThatStops_endsItsOperations() {
    Api other = new Api();
    other.demo.heldBulk = Promise.promise();
    other.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    other.post(OPERATIONS, FORGET).ok(202);
    other.close(); // must not wait for what never answers
    assertThat(other.demo.stops.get()).isEqualTo(1);
  }
}
