// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.resource;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Role;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.admin.spi.LimiterOverrides;
import dev.coxswain.retry.BudgetSnapshot;
import dev.coxswain.testing.Await;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an operator sets of a limiter holds for a while, with a reason, within what is allowed. */
class LimiterOverridesTest {

  private static final String LIMITER = "/api/v1/limiters/default";
  private static final String OVERRIDE = LIMITER + "/override";
  private static final String HALF = "{\"rate\":5,\"ttl\":\"30m\",\"reason\":\"INC-1\"}";
  private static final String WHY = "{\"reason\":\"over\"}";

  private final Api api = new Api();
  private final Shared shared = new Shared();

  /** Sets what it is told to, as all replicas would. */
  private final class Shared implements LimiterOverrides {
    final List<String> asked = new CopyOnWriteArrayList<>();
    volatile @Nullable RuntimeException failure;
    volatile @Nullable Promise<Void> held;
    final AtomicInteger checked = new AtomicInteger();

    @Override
    public Future<Void> set(
        String limiter, @Nullable Double rate, @Nullable Integer burst, Duration ttl) {
      asked.add(limiter + " " + rate + " " + burst + " " + ttl);
      Promise<Void> first = held;
      if (first != null) {
        held = null;
        return first
            .future()
            .compose(_ -> done(rate == null ? 10 : rate, 100, Instant.EPOCH.plus(ttl)));
      }
      return done(rate == null ? 10 : rate, burst == null ? 100 : burst, Instant.EPOCH.plus(ttl));
    }

    @Override
    public boolean raises(String limiter, @Nullable Double rate, @Nullable Integer burst) {
      checked.incrementAndGet();
      return (rate != null && rate > 10) || (burst != null && burst > 100);
    }

    @Override
    public Future<Void> clear(String limiter) {
      asked.add(limiter);
      return done(10, 100, null);
    }

    private Future<Void> done(double rate, int burst, @Nullable Instant until) {
      RuntimeException cause = failure;
      if (cause != null) {
        return Future.failedFuture(cause);
      }
      show(rate, burst, until);
      return Future.succeededFuture();
    }
  }

  private void show(double rate, int burst, @Nullable Instant until) {
    api.directory.budgets.clear();
    api.directory.budgets.add(
        new BudgetSnapshot(
            "default",
            "hazelcast",
            rate,
            burst,
            7,
            0,
            0,
            0,
            List.of(),
            null,
            List.of(),
            until,
            null));
  }

  @BeforeEach
  void begin() {
    api.directory.overrides = shared;
    show(10, 100, null);
  }

  @AfterEach
  void close() {
    api.close();
  }

  @ParameterizedTest
  @CsvSource({"PATCH,/api/v1/limiters/default", "PUT,/api/v1/limiters/default/override"})
  void whatIsSet_isShownWithItsEnd_andWhatIsClearedIsNot(String method, String path) {
    assertThat(api.get(LIMITER).ok(200).path("source").asText()).isEqualTo("config");
    JsonNode set = api.change(method, path, HALF).ok(200);
    assertThat(set.path("refillPerSecond").asDouble()).isEqualTo(5);
    assertThat(set.path("capacity").asInt()).isEqualTo(100);
    assertThat(set.path("source").asText()).isEqualTo("override");
    assertThat(set.path("expiresAt").asText()).isEqualTo("1970-01-01T00:30:00Z");
    String both = "{\"rate\":0.5,\"burst\":20,\"ttl\":\"24h\",\"reason\":\"INC-1\"}";
    api.change(method, path, both).ok(200);
    JsonNode cleared = api.change("DELETE", OVERRIDE, WHY).ok(200);
    assertThat(cleared.path("source").asText()).isEqualTo("config");
    assertThat(cleared.has("expiresAt")).isFalse();
    assertThat(shared.asked)
        .containsExactly("default 5.0 null PT30M", "default 0.5 20 PT24H", "default");
  }

  @Test
  void whetherValuesAreInForce_isDecidedAfterTheChangesBefore() {
    Promise<Void> first = Promise.promise();
    shared.held = first;
    CompletableFuture<Api.Answer> half =
        CompletableFuture.supplyAsync(() -> api.change("PUT", OVERRIDE, HALF));
    Await.until(() -> !shared.asked.isEmpty());
    String configured = "{\"rate\":10,\"burst\":100,\"ttl\":\"30m\",\"reason\":\"INC-1\"}";
    CompletableFuture<Api.Answer> back =
        CompletableFuture.supplyAsync(() -> api.change("PUT", OVERRIDE, configured));
    Await.until(() -> shared.checked.get() == 2);
    api.get(LIMITER).ok(200); // so the one before it waits for its turn
    first.complete();
    half.join().ok(200);
    assertThat(back.join().ok(200).path("result").asText()).isEqualTo("applied");
    assertThat(shared.asked).hasSize(2);
  }

  @Test
  void valuesThatAreInForceAlready_areSkipped_andALaterEndIsNot() {
    String same = "{\"rate\":10,\"burst\":100,\"ttl\":\"30m\",\"reason\":\"INC-1\"}";
    JsonNode none = api.change("PUT", OVERRIDE, same).ok(200);
    assertThat(none.path("result").asText()).isEqualTo("skipped");
    assertThat(none.path("detail").asText())
        .isEqualTo("its rate and burst are these already, as configured; nothing was changed");
    assertThat(none.path("source").asText()).isEqualTo("config");
    assertThat(shared.asked).isEmpty();
    JsonNode set = api.change("PUT", OVERRIDE, HALF).ok(200);
    assertThat(set.path("result").asText()).isEqualTo("applied");
    assertThat(set.has("detail")).isFalse();
    JsonNode longer = api.change("PUT", OVERRIDE, HALF.replace("30m", "45m")).ok(200);
    assertThat(longer.path("result").asText()).isEqualTo("applied");
    assertThat(longer.path("detail").asText()).contains("only the end of the override");
    assertThat(api.change("DELETE", OVERRIDE, WHY).ok(200).path("result").asText())
        .isEqualTo("applied");
    JsonNode over = api.change("DELETE", OVERRIDE, WHY).ok(200);
    assertThat(over.path("result").asText()).isEqualTo("skipped");
    assertThat(over.path("detail").asText()).isEqualTo("it has no override; nothing was changed");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"rate\":5",
        "\"ttl\":\"30m\"",
        "\"rate\":5,\"ttl\":\"0s\"",
        "\"rate\":5,\"ttl\":\"24h1s\"",
        "\"rate\":5,\"ttl\":\"soon\"",
        "\"rate\":0,\"ttl\":\"30m\"",
        "\"rate\":-1,\"ttl\":\"30m\"",
        "\"rate\":1e7,\"ttl\":\"30m\"",
        "\"rate\":\"5\",\"ttl\":\"30m\"",
        "\"burst\":0,\"ttl\":\"30m\"",
        "\"burst\":1.5,\"ttl\":\"30m\"",
        "\"rate\":5,\"ttl\":\"30m\",\"maxRate\":50"
      })
  void aBadOverride_isRefused_beforeAnybodyIsAsked(String part) {
    api.change("PATCH", LIMITER, "{" + part + ",\"reason\":\"x\"}").problem(400, "invalid-body");
    api.change("PUT", OVERRIDE, "{" + part + ",\"reason\":\"x\"}").problem(400, "invalid-body");
    api.change("PATCH", LIMITER, HALF.replace("INC-1", "")).problem(400, "invalid-body");
    assertThat(shared.asked).isEmpty();
  }

  @Test
  void whatTheConfigurationForbids_isRefused_namingTheKey() {
    shared.failure =
        new IllegalArgumentException(
            "limiters.default.rate: 5.0 is beyond the ceiling, limiters.default.maxRate = 4.0");
    assertThat(
            api.change("PATCH", LIMITER, HALF)
                .problem(422, "override-refused")
                .path("detail")
                .asText())
        .contains("limiters.default.maxRate");
  }

  @Test
  void whoMayOnlyTune_lowersALimiter_andNeverRaisesIt() {
    assertThat(Role.OPERATOR.verbs()).contains(Verb.TUNE).doesNotContain(Verb.UPDATE);
    Reviewers reviewers = new Reviewers();
    reviewers.denied.add(new AccessRequest(Verb.UPDATE, Access.LIMITERS, "", "default"));
    try (Api guarded = reviewers.api()) {
      guarded.directory.overrides = shared;
      guarded.directory.budgets.addAll(api.directory.budgets);
      asAlice(guarded, "{\"rate\":5,\"burst\":100,\"ttl\":\"30m\",\"reason\":\"x\"}").ok(200);
      for (String more : List.of("\"rate\":10.5", "\"burst\":101", "\"rate\":1,\"burst\":101")) {
        asAlice(guarded, "{" + more + ",\"ttl\":\"30m\",\"reason\":\"x\"}")
            .problem(403, "forbidden");
      }
      assertThat(shared.asked).hasSize(1);
      reviewers.denied.clear();
      reviewers.pass(Duration.ofMinutes(10)); // decisions are remembered for a while
      asAlice(guarded, "{\"rate\":11,\"ttl\":\"30m\",\"reason\":\"x\"}").ok(200);
    }
  }

  private static Api.Answer asAlice(Api guarded, String body) {
    return guarded.send(
        guarded
            .request(OVERRIDE)
            .header("Content-Type", "application/json")
            .header("Authorization", "Bearer good-alice")
            .method("PUT", HttpRequest.BodyPublishers.ofString(body)));
  }

  @Test
  void withoutAQuorum_nothingIsChanged_andThatIsSaid() {
    shared.failure = new LimiterOverrides.NoQuorumException("1 of 3 replicas is reached");
    for (Api.Answer answer :
        List.of(api.change("PATCH", LIMITER, HALF), api.change("DELETE", OVERRIDE, WHY))) {
      JsonNode problem = answer.problem(503, "no-quorum");
      assertThat(problem.path("detail").asText()).contains("1 of 3", "nothing was changed");
      assertThat(answer.header("Retry-After")).isNotEmpty();
    }
  }

  @Test
  void whatNobodyKnows_isNotCalledRefused() {
    shared.failure = new IllegalStateException("secret internals");
    JsonNode problem = api.change("PATCH", LIMITER, HALF).problem(503, "outcome-unknown");
    assertThat(problem.path("detail").asText()).contains("check before");
  }

  /** It may have been made, and cleared by somebody since. */
  @Test
  void whatNobodyKnows_isNotTriedAgain_underTheSameKey() {
    shared.failure = new IllegalStateException("secret internals");
    api.change("PATCH", LIMITER, HALF, "Idempotency-Key", "k").problem(503, "outcome-unknown");
    shared.failure = null;
    api.change("PATCH", LIMITER, HALF, "Idempotency-Key", "k").problem(503, "outcome-unknown");
    assertThat(shared.asked).hasSize(1);
  }

  @Test
  void aLimiterOfOneReplica_andOneThatIsNotThere_cannotBeSet() {
    api.change("PATCH", "/api/v1/limiters/nobody", HALF).problem(404, "limiter-not-found");
    api.change("DELETE", "/api/v1/limiters/nobody/override", WHY).problem(404, "limiter-not-found");
    api.directory.overrides = null;
    api.change("PATCH", LIMITER, HALF).problem(409, "limiter-not-shared");
    api.change("DELETE", OVERRIDE, WHY).problem(409, "limiter-not-shared");
  }

  @Test
  void theAudit_saysWhichLimiter_whatWasSet_andWhy() {
    api.change("PATCH", LIMITER, HALF).ok(200);
    JsonNode items = api.get("/api/v1/audit").ok(200).path("items");
    assertThat(items).hasSize(2);
    for (JsonNode record : items) {
      assertThat(record.path("action").asText()).isEqualTo("override-limiter");
      assertThat(record.path("limiter").asText()).isEqualTo("default");
      assertThat(record.path("change").asText())
          .startsWith(
              "{\"rateBefore\":10.0,\"rate\":5.0,\"ttl\":\"30m\","
                  + "\"limitBefore\":{\"rate\":10.0,\"burst\":100}");
      assertThat(record.path("reason").asText()).isEqualTo("INC-1");
    }
  }
}
