// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerHandle;
import dev.coxswain.controller.ControllerRuntime;
import dev.coxswain.reconcile.Request;
import dev.coxswain.reconcile.Result;
import dev.coxswain.reconcile.TerminalException;
import dev.coxswain.retry.Backoff;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.spi.ControllerTelemetry;
import dev.coxswain.testing.Await;
import dev.coxswain.verticle.ControllerVerticle;
import dev.coxswain.view.ItemId;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The API in front of a real controller that fails for every object of the namespace "bad". */
class EngineTest {

  private static final String REAL = "/api/v1/controllers/real";
  private static final int OBJECTS = 1000;

  private final Api api = new Api();
  private String deployment = "";

  /** Knows the requests of the namespace "bad". */
  private static final class Once extends GivenRequests {
    Once() {
      super(OBJECTS);
    }

    @Override
    public boolean holds(Request request) {
      return request.namespace().equals("bad");
    }
  }

  @BeforeEach
  void start() {
    var budget = new LocalRetryBudget("default", 10, 100, Clock.system());
    Controller<Request> controller =
        Controller.named("real")
            .watches(new Once())
            .options(
                o -> o.withBackoff(Backoff.fastSlow(Duration.ofHours(1), Duration.ofHours(1), 1)))
            .reconcilesAsync((request, context) ->
                request.name().equals("terminal")
                    ? Future.failedFuture(new TerminalException("never"))
                    : request.namespace().equals("bad")
                        ? Future.failedFuture(new IllegalStateException("no <b>luck</b>"))
                        : Future.succeededFuture(Result.done()));
    ControllerVerticle<Request> verticle =
        new ControllerVerticle<>(
            controller,
            new ControllerRuntime(
                name -> budget,
                name -> ControllerTelemetry.NONE,
                Clock.system(),
                Duration.ofSeconds(5)));
    deployment = api.vertx.deployVerticle(verticle).await();
    api.directory.handles.put("real", verticle.handle());
    Await.until(() -> count("delayed") == OBJECTS / 2 && count("ready") == 0);
  }

  @AfterEach
  void close() {
    api.close();
  }

  private static String rev(JsonNode item) {
    return "\"" + item.path("rev").asText() + "\"";
  }

  private int count(String phase) {
    return api.get(REAL).ok(200).path("counts").path(phase).asInt(-1);
  }

  @Test
  void aWalk_showsEveryFailingItemOnce() {
    Set<String> seen = new HashSet<>();
    int shown = 0;
    String next = "";
    do {
      JsonNode page = api.get(REAL + "/items?failing=true&limit=77" + next).ok(200);
      List<String> ids = page.path("items").findValuesAsText("id");
      shown += ids.size();
      seen.addAll(ids);
      next = page.has("continue") ? "&continue=" + page.path("continue").asText() : "";
    } while (!next.isEmpty());
    assertThat(shown).isEqualTo(OBJECTS / 2);
    assertThat(seen).hasSize(OBJECTS / 2);
  }

  @Test
  void aWalkUnderChurn_showsEverySurvivorOnce() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    ControllerHandle handle = api.directory.find("real").orElseThrow();
    Thread churn =
        Thread.ofVirtual()
            .start(() -> {
              for (int i = 0; !stop.get(); i++) {
                handle.add(new ItemId("churn", "c-" + i), Duration.ofHours(1)).await();
                if (i % 2 == 0) {
                  handle.drop(new ItemId("churn", "c-" + i / 2), null).await();
                }
              }
            });
    List<String> seen = new ArrayList<>();
    String next = "";
    do {
      JsonNode page = api.get(REAL + "/items?limit=13" + next).ok(200);
      seen.addAll(page.path("items").findValuesAsText("id"));
      next = page.has("continue") ? "&continue=" + page.path("continue").asText() : "";
    } while (!next.isEmpty() && seen.size() < 1_000_000);
    stop.set(true);
    churn.join();
    assertThat(seen).doesNotHaveDuplicates();
    for (int i = 0; i < OBJECTS; i += 2) {
      assertThat(seen).contains(new ItemId("bad", "o-" + i).encoded());
    }
  }

  @Test
  void anItem_isExplainedRetriedForgottenAndDropped() {
    String item = REAL + "/items/" + new ItemId("bad", "o-0").encoded();
    JsonNode shown = api.get(item).ok(200);
    assertThat(shown.path("failures").asInt()).isEqualTo(1);
    assertThat(shown.path("lastError").asText()).contains("no <b>luck</b>");
    assertThat(api.get(item + "/explain").ok(200).path("reason").asText()).isEqualTo("backoff");
    String stale = rev(shown);
    api.post(item + "/retry", "{\"reason\":\"x\"}", "If-Match", stale).ok(200);
    // It fails again inside its backoff window, which keeps the count and changes the revision.
    Await.until(() -> {
      JsonNode now = api.get(item).ok(200);
      return now.path("phase").asText().equals("delayed") && !stale.contains(rev(now));
    });
    api.post(item + "/retry", "{\"reason\":\"x\"}", "If-Match", stale).problem(412, "item-changed");
    assertThat(
            api.post(item + "/forget", "{\"reason\":\"x\"}").ok(200).at("/item/failures").asInt(-1))
        .isZero();
    api.post(item + "/requeue", "{\"reason\":\"x\",\"delay\":\"2h\"}").ok(200);
    assertThat(api.change("DELETE", item, "{\"reason\":\"x\"}").status()).isEqualTo(204);
    api.get(item).problem(404, "item-not-found");
    JsonNode gone = api.get(item + "/explain").ok(200);
    assertThat(gone.path("reason").asText()).isEqualTo("dropped");
    assertThat(gone.path("endedBy").asText()).isEqualTo("anonymous");
    assertThat(gone.path("endedAt").asText()).isNotEmpty();
  }

  @Test
  void anItemThatFailedTerminally_isListedCountedExplainedAndRetried() {
    String none = REAL + "/items?phase=terminal";
    assertThat(api.get(none).ok(200).path("items")).isEmpty();
    api.post(REAL + "/items", "{\"namespace\":\"bad\",\"name\":\"terminal\",\"reason\":\"x\"}")
        .ok(201);
    Await.until(() -> !api.get(none).ok(200).path("items").isEmpty());
    JsonNode listed = api.get(none).ok(200).path("items").path(0);
    assertThat(listed.path("phase").asText()).isEqualTo("terminal");
    assertThat(listed.path("failing").asBoolean()).isTrue();
    assertThat(listed.has("lastErrorStack")).isFalse();
    String item = REAL + "/items/" + new ItemId("bad", "terminal").encoded();
    JsonNode why = api.get(item + "/explain").ok(200);
    assertThat(why.path("reason").asText()).isEqualTo("terminal");
    assertThat(why.path("endedAt").asText()).isNotEmpty();
    assertThat(listed.path("failedAt").asText()).isNotEmpty();
    assertThat(why.at("/item/lastErrorStack").asText()).contains("TerminalException\n\tat ");
    assertThat(api.get(item).ok(200).path("lastErrorStack").asText()).contains("\tat ");
    JsonNode retried = api.post(item + "/retry", "{\"reason\":\"x\"}").ok(200);
    assertThat(retried.path("result").asText()).isEqualTo("applied");
    assertThat(retried.at("/item/lastErrorStack").isMissingNode()).isTrue();
    Await.until(() -> api.get(item).ok(200).path("failures").asInt() == 2);
    assertThat(api.change("DELETE", item, "{\"reason\":\"x\"}").status()).isEqualTo(204);
    Await.until(() -> api.get(REAL).ok(200).at("/counts/terminal").asInt() == 0);
  }

  @Test
  void aDryRun_countsWhatTheFlushThenDrops() {
    String order =
        "\"action\":\"flush\",\"selector\":{\"namespace\":\"bad\",\"name\":\"o-1*\"},"
            + "\"then\":\"none\",\"itemsPerSecond\":10000,\"reason\":\"x\"}";
    JsonNode preview = api.post(REAL + "/operations", "{\"dryRun\":true," + order).ok(200);
    assertThat(count("delayed")).isEqualTo(OBJECTS / 2);
    JsonNode done =
        api.operate(REAL + "/operations", api.confirmed(REAL + "/operations", "{" + order));
    assertThat(done.path("applied").asInt())
        .isEqualTo(preview.path("matched").asInt())
        .isEqualTo(55);
    Await.until(() -> count("delayed") == OBJECTS / 2 - 55);
  }

  @Test
  void flushThenRelist_addsAgainWhatStillExists() {
    JsonNode done =
        api.operate(
            REAL + "/operations",
            api.confirmed(
                REAL + "/operations",
                "{\"action\":\"flush\",\"selector\":{\"failing\":true},\"reason\":\"x\","
                    + "\"spreadOver\":\"1h\",\"itemsPerSecond\":100000}"));
    assertThat(done.path("applied").asInt()).isEqualTo(OBJECTS / 2);
    assertThat(done.path("relisted").asInt()).isEqualTo(OBJECTS / 2);
    Await.until(() -> count("delayed") == OBJECTS / 2);
  }

  @Test
  void pause_holdsNewItems_untilResume() {
    assertThat(
            api.post(REAL + "/pause", "{\"reason\":\"INC-1\"}").ok(200).path("paused").asBoolean())
        .isTrue();
    api.post(REAL + "/items", "{\"namespace\":\"good\",\"name\":\"new\",\"reason\":\"x\"}").ok(201);
    String item = REAL + "/items/" + new ItemId("good", "new").encoded();
    assertThat(api.get(item + "/explain").ok(200).path("reason").asText()).isEqualTo("paused");
    assertThat(api.post(REAL + "/resume", "{\"reason\":\"x\"}").ok(200).path("paused").asBoolean())
        .isFalse();
    Await.until(() -> api.get(item).status() == 404);
  }

  /** It was added, failed for ever or succeeded, and was found by nobody. */
  @Test
  void aNameThatNoObjectCanHave_isNotAdded() {
    for (String key :
        List.of(
            "\"namespace\":\"Good\",\"name\":\"n\"",
            "\"namespace\":\"a.b\",\"name\":\"n\"",
            "\"name\":\"Checkout\"",
            "\"name\":\"a b\"",
            "\"name\":\"-a\"",
            "\"name\":\"a..b\"",
            "\"name\":\"a/b\"",
            "\"name\":\"" + "a".repeat(254) + "\"")) {
      api.post(REAL + "/items", "{" + key + ",\"reason\":\"x\"}").problem(422, "invalid-key");
    }
    api.post(REAL + "/items", "{\"name\":\"system:a.b-c\",\"reason\":\"x\"}").ok(201);
  }

  @Test
  void maxConcurrent_takesEffect() {
    api.change("PATCH", REAL, "{\"maxConcurrent\":4,\"reason\":\"x\"}").ok(200);
    Await.until(() -> api.get(REAL).ok(200).path("maxConcurrent").asInt() == 4);
  }

  @Test
  void afterTheStop_questionsAre503() {
    api.vertx.undeploy(deployment).await();
    assertThat(api.get(REAL + "/items").status()).isEqualTo(503);
    assertThat(api.get(REAL).ok(200).path("state").asText()).isEqualTo("stopped");
  }
}
