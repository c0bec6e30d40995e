// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.auth.AccessControl;
import dev.coxswain.admin.internal.event.Intervals;
import dev.coxswain.admin.spi.AdminPorts;
import dev.coxswain.admin.spi.AdminTelemetry;
import dev.coxswain.admin.spi.LimiterOverrides;
import dev.coxswain.retry.LocalRetryBudget;
import dev.coxswain.spi.Clock;
import dev.coxswain.view.Phase;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every route of the OpenAPI document that changes something, with random valid bodies, while audit
 * records cannot be written: each change is refused and none is made. {@code -Dcoxswain.seed}
 * repeats a run.
 */
class UnauditedChangesTest {

  private static final Set<String> METHODS = Set.of("post", "patch", "put", "delete");
  private static final int ROUNDS = 40;
  private static final String OVERRIDE = "{\"rate\":1,\"ttl\":\"1m\",\"reason\":\"x\"}";

  /** Bodies of routes with rules between fields, which a random body seldom meets. */
  private static final Map<String, String> SIMPLE =
      Map.of(
          "createOperation",
          "{\"action\":\"forget\",\"selector\":{\"name\":\"b1\"},\"reason\":\"x\"}",
          "patchLimiter",
          OVERRIDE,
          "putLimiterOverride",
          OVERRIDE,
          "resetSlots",
          "{\"force\":true,\"reason\":\"x\"}");

  private final long seed = Long.getLong("coxswain.seed", System.nanoTime());
  private final Random random = new Random(seed);
  private final AtomicInteger overrides = new AtomicInteger();
  private volatile Supplier<Future<Void>> sink = Future::succeededFuture;
  private final Api api =
      new Api(
          "coxswain-0",
          AccessControl.open(),
          Clock.system(),
          options -> options,
          new AdminPorts(line -> sink.get(), new AdminTelemetry() {}),
          Intervals.DEFAULT);
  private final JsonObject document =
      new Contract(api.get("/api/v1/openapi.json").http().body()).document();
  private final FuzzValues values = new FuzzValues(document, random);
  private final FakeSlots slots = new FakeSlots();
  private final FakePlugins plugins = new FakePlugins();
  private String item = "";

  private record Change(String method, String path, String id, @Nullable JsonObject schema) {}

  @BeforeEach
  void fill() {
    api.directory.overrides =
        new LimiterOverrides() {
          @Override
          public Future<Void> set(
              String limiter, @Nullable Double rate, @Nullable Integer burst, Duration ttl) {
            overrides.incrementAndGet();
            return Future.succeededFuture();
          }

          @Override
          public boolean raises(String limiter, @Nullable Double rate, @Nullable Integer burst) {
            return false;
          }

          @Override
          public Future<Void> clear(String limiter) {
            overrides.incrementAndGet();
            return Future.succeededFuture();
          }
        };
    api.directory.plugins = plugins;
    api.directory.slots = slots.spread(2).at(0);
    api.directory.budgets.add(new LocalRetryBudget("default", 10, 100, Clock.system()).snapshot());
    item = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
    for (int i = 0; i < 20; i++) {
      api.demo.put("a", "b" + i, Phase.values()[i % 4], i % 3, null);
    }
  }

  @AfterEach
  void close() {
    api.close();
  }

  private List<Change> changes() {
    JsonObject paths = document.getJsonObject("paths");
    return paths.fieldNames().stream()
        .flatMap(path ->
            paths.getJsonObject(path).fieldNames().stream()
                .filter(METHODS::contains)
                .map(method -> {
                  JsonObject text = paths.getJsonObject(path).getJsonObject(method);
                  JsonObject body = text.getJsonObject("requestBody");
                  return new Change(
                      method.toUpperCase(Locale.ROOT),
                      path.replace("{c}", "demo")
                          .replace("{l}", "default")
                          .replace("{p}", "copier")
                          .replace("{r}", "coxswain-0")
                          .replace("{id}", item),
                      text.getString("operationId"),
                      body == null
                          ? null
                          : body.getJsonObject("content")
                              .getJsonObject("application/json")
                              .getJsonObject("schema"));
                }))
        .filter(change -> !change.path().contains("{")) // of an operation: there is none
        .toList();
  }

  private Api.Answer make(Change change) {
    JsonObject body =
        change.schema() == null ? new JsonObject() : (JsonObject) values.valid(change.schema());
    body.remove("dryRun"); // previews change nothing
    if (SIMPLE.containsKey(change.id()) && random.nextBoolean()) {
      body = new JsonObject(SIMPLE.get(change.id()));
    }
    return api.change(change.method(), change.path(), body.encode());
  }

  /** What a change could have left behind. */
  private String state() {
    FakeController demo = api.demo;
    return demo.changes
        + " "
        + demo.bulks.stream().filter(bulk -> !bulk.dryRun()).count() // counting is no change
        + " "
        + demo.pause
        + " "
        + demo.concurrency
        + " "
        + demo.size()
        + " "
        + overrides
        + " "
        + slots.at(0).drains
        + " "
        + plugins.begun
        + " "
        + api.get("/api/v1/operations").ok(200).path("items").size();
  }

  @Test
  void aChangeWhoseAuditRecordIsNotWritten_isNotMade_onAnyRoute() {
    Map<String, Supplier<Future<Void>>> sinks =
        Map.of(
            "fails",
            () -> Future.failedFuture("disk full, secret internals"),
            "throws",
            () -> {
              throw new IllegalStateException("secret internals");
            });
    List<Change> changes = changes();
    for (Map.Entry<String, Supplier<Future<Void>>> kind : new TreeMap<>(sinks).entrySet()) {
      sink = kind.getValue();
      Set<String> refused = new TreeSet<>();
      for (int i = 0; i < ROUNDS; i++) {
        for (Change change : changes) {
          String before = state();
          Api.Answer answer = make(change);
          String what = "seed %s, the sink %s, %s".formatted(seed, kind.getKey(), change);
          if (answer.status() == 503) {
            assertThat(answer.json().path("type").asText())
                .as(what + answer.http().body())
                .endsWith("/audit-unavailable");
            refused.add(change.id());
          } else {
            assertThat(answer.status())
                .as("%s: %s", what, answer.http().body())
                .isBetween(400, 499);
          }
          assertThat(state()).as(what).isEqualTo(before);
        }
      }
      assertThat(refused)
          .as("seed %s, the sink %s: routes whose change was refused", seed, kind.getKey())
          .containsExactlyInAnyOrderElementsOf(changes.stream().map(Change::id).toList());
    }
  }

  /** So that the law above cannot hold because nothing works. */
  @Test
  void theSameChanges_areMade_whenTheirRecordsAreWritten() {
    Set<String> made = new TreeSet<>();
    List<Change> changes = changes();
    for (int i = 0; i < ROUNDS; i++) {
      for (Change change : changes) {
        item = api.demo.put("a", "b", Phase.DELAYED, 1, "boom");
        if (make(change).status() < 300) {
          made.add(change.id());
        }
      }
    }
    assertThat(made)
        .as("seed %s", seed)
        .containsExactlyInAnyOrderElementsOf(changes.stream().map(Change::id).toList());
  }
}
