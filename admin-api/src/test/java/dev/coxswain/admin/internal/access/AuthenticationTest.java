// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.Api;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.Authentication;
import dev.coxswain.admin.auth.Principal;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.testing.Await;
import io.vertx.core.Promise;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuthenticationTest {

  private final Reviewers reviewers = new Reviewers();
  private final List<Api> apis = new ArrayList<>();
  private final Api api = keep(reviewers.api());

  private Api keep(Api made) {
    apis.add(made);
    return made;
  }

  @AfterEach
  void close() {
    reviewers.held = null;
    apis.forEach(Api::close);
  }

  private static HttpRequest.Builder as(Api api, String token, String path) {
    return api.request(path).header("Authorization", "Bearer " + token);
  }

  private Api.Answer get(String token, String path) {
    return api.send(as(api, token, path));
  }

  private String raw(String... authorization) {
    StringBuilder request = new StringBuilder("GET /api/v1 HTTP/1.1\r\nHost: localhost\r\n");
    for (String value : authorization) {
      request.append("Authorization: ").append(value).append("\r\n");
    }
    return api.raw(request.append("Connection: close\r\n\r\n").toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/nothing",
        "/api/v1",
        "/api/v1/controllers",
        "/api/v1/controllers/demo/items?limit=x",
        "/api/v1/limiters/x"
      })
  void withoutAToken_nothingIsAnswered_andNobodyIsAsked(String path) {
    var answer = api.get(path);
    assertThat(answer.problem(401, "unauthenticated").path("detail").asText())
        .endsWith("ask the test for one");
    assertThat(answer.header("WWW-Authenticate")).isEqualTo("Bearer realm=\"coxswain\"");
    for (String method : new String[] {"POST", "DELETE", "PUT", "OPTIONS"}) {
      api.change(method, path, "{\"reason\":\"x\"}").problem(401, "unauthenticated");
    }
    assertThat(reviewers.tokens).isEmpty();
    assertThat(api.demo.pause).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Basic YTpi", "Bearer", "Bearer ", "Bearer a b", "good-alice", "Bearer é"})
  void aHeaderThatIsNoBearerToken_isRefused(String header) {
    assertThat(raw(header)).startsWith("HTTP/1.1 401 ").contains("error=\"invalid_request\"");
    assertThat(reviewers.tokens).isEmpty();
  }

  @Test
  void twoTokens_areRefused_alsoWhenBothAreGood() {
    assertThat(raw("Bearer good-a", "Bearer good-a")).startsWith("HTTP/1.1 401 ");
  }

  @Test
  void aBadToken_isRefused_andAGoodOneLetIn() {
    var bad = get("bad", "/api/v1");
    bad.problem(401, "unauthenticated");
    assertThat(bad.header("WWW-Authenticate")).contains("error=\"invalid_token\"");
    var good = get("good-alice", "/api/v1").ok(200);
    assertThat(good.at("/principal/name").asText()).isEqualTo("alice");
    assertThat(good.at("/principal/groups/0").asText()).isEqualTo("oncall");
    assertThat(good.path("authentication").asText()).isEqualTo("test");
  }

  @Test
  void aToken_isReviewedOnceAMinute_andABadOneOnceInFiveSeconds() {
    for (int i = 0; i < 3; i++) {
      get("good-alice", "/api/v1").ok(200);
      get("bad", "/api/v1").problem(401, "unauthenticated");
    }
    assertThat(reviewers.tokens).containsExactly("good-alice", "bad");
    reviewers.pass(Duration.ofSeconds(5));
    get("bad", "/api/v1");
    get("good-alice", "/api/v1");
    assertThat(reviewers.tokens).containsExactly("good-alice", "bad", "bad");
    reviewers.pass(Duration.ofSeconds(55));
    get("good-alice", "/api/v1");
    assertThat(reviewers.tokens).containsExactly("good-alice", "bad", "bad", "good-alice");
  }

  @Test
  void aToken_isNeverKnownForLongerThanItLives() {
    reviewers.lifetime = Duration.ofSeconds(7);
    get("good-alice", "/api/v1").ok(200);
    reviewers.pass(Duration.ofSeconds(7));
    get("good-alice", "/api/v1").ok(200);
    assertThat(reviewers.tokens).hasSize(2);
    reviewers.lifetime = Duration.ofSeconds(-1);
    get("good-bob", "/api/v1").ok(200);
    get("good-bob", "/api/v1").ok(200);
    assertThat(reviewers.tokens).hasSize(4);
  }

  @Test
  void manyAtOnceWithOneToken_areOneReview() {
    Promise<Authentication> held = Promise.promise();
    reviewers.held = held;
    List<CompletableFuture<Api.Answer>> answers =
        IntStream.range(0, 10)
            .mapToObj(i -> CompletableFuture.supplyAsync(() -> get("good-alice", "/api/v1")))
            .toList();
    Await.until(() -> !reviewers.tokens.isEmpty());
    held.complete(Authentication.accepted(Principal.of("alice")));
    answers.forEach(answer -> answer.join().ok(200));
    assertThat(reviewers.tokens).hasSize(1);
  }

  @Test
  void whenNobodyCanTell_strangersGet503_andWhoIsKnownGoesOn() {
    get("good-alice", "/api/v1/controllers").ok(200);
    reviewers.out = true;
    var stranger = get("good-bob", "/api/v1/controllers");
    stranger.problem(503, "review-unavailable");
    assertThat(stranger.header("Retry-After")).isEqualTo("5");
    get("good-alice", "/api/v1/controllers").ok(200);
    get("good-alice", "/api/v1/limiters").problem(503, "review-unavailable");
    reviewers.pass(Duration.ofMinutes(1));
    get("good-alice", "/api/v1/controllers").problem(503, "review-unavailable");
    reviewers.out = false;
    get("good-bob", "/api/v1/controllers").ok(200);
  }

  @Test
  void aReviewThatNeverEnds_isGivenUp_andKeepsItsSlot() {
    ReviewLimits slow =
        ReviewLimits.DEFAULT.withMaxEntries(16).withMaxAtOnce(1).withTimeout(Duration.ofMillis(50));
    Api small = keep(new Api(reviewers.control(slow), reviewers, options -> options));
    Promise<Authentication> held = Promise.promise();
    reviewers.held = held;
    small.send(as(small, "good-a", "/api/v1")).problem(503, "review-unavailable");
    small.send(as(small, "good-b", "/api/v1")).problem(503, "too-many-reviews");
    assertThat(reviewers.tokens).containsExactly("good-a");
    reviewers.held = null;
    held.fail("at last");
    Await.until(() -> small.send(as(small, "good-b", "/api/v1")).status() == 200);
  }

  @Test
  void anAddressThatSendsBadTokens_isStopped_beforeTheReviewer_andOthersOfItAreNotForgotten() {
    get("good-alice", "/api/v1").ok(200);
    int limited = 0;
    for (int i = 0; i < 100; i++) {
      var answer = get("bad-" + i, "/api/v1");
      if (answer.status() == 429) {
        answer.problem(429, "too-many-attempts");
        assertThat(answer.header("Retry-After")).isEqualTo("1");
        limited++;
      }
    }
    assertThat(limited).isEqualTo(80);
    assertThat(reviewers.tokens).hasSize(22); // the first of a connection has a budget of its own
    get("good-alice", "/api/v1").ok(200);
    reviewers.pass(Duration.ofSeconds(1));
    get("good-bob", "/api/v1").ok(200);
  }

  /** Whoever tried tokens from an address kept all others behind it out. */
  @Test
  void anAddressThatSendsBadTokens_doesNotLockOutGoodOnesOfIt() {
    get("good-alice", "/api/v1").ok(200);
    reviewers.pass(Duration.ofMinutes(2)); // by now it must be reviewed again
    for (int i = 0; i < 100; i++) {
      get("bad-" + i, "/api/v1");
    }
    get("good-alice", "/api/v1").ok(200);
    // A token that was never seen, on a connection that has refused none.
    List<String> lines =
        List.of(
            "GET /api/v1 HTTP/1.1",
            "Host: localhost",
            "Connection: close",
            "Authorization: Bearer good-new",
            "",
            "");
    assertThat(api.raw(String.join("\r\n", lines))).startsWith("HTTP/1.1 200 ");
  }

  @Test
  void goodTokens_doNotUseUpWhatAnAddressMaySend() {
    for (int i = 0; i < 60; i++) {
      get("good-" + i, "/api/v1").ok(200);
    }
  }

  @Test
  void allTogether_causeNoMoreReviewsThanTheReviewerCanTake() {
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      statuses.add(get("good-" + i, "/api/v1").status());
    }
    assertThat(statuses.subList(0, 100)).containsOnly(200);
    assertThat(statuses.subList(100, 120)).containsOnly(503);
    assertThat(reviewers.tokens).hasSize(100);
  }

  @Test
  void aCaller_mayNotSendFasterThanTheRates_andOthersAreNotSlowed() {
    Api strict =
        keep(
            new Api(
                reviewers.control(ReviewLimits.DEFAULT),
                reviewers,
                options -> options.withReadsPerSecond(2).withChangesPerSecond(1)));
    for (int i = 0; i < 4; i++) {
      assertThat(strict.send(as(strict, "good-a", "/api/v1")).status()).isEqualTo(200);
    }
    var tooFast = strict.send(as(strict, "good-a", "/nothing"));
    tooFast.problem(429, "too-many-requests");
    assertThat(tooFast.header("Retry-After")).isEqualTo("1");
    assertThat(strict.send(as(strict, "good-b", "/api/v1")).status()).isEqualTo(200);
    String body = "{\"reason\":\"x\"}";
    for (int status : new int[] {200, 200, 429}) {
      assertThat(
              strict
                  .change("POST", Api.DEMO + "/pause", body, "Authorization", "Bearer good-a")
                  .status())
          .isEqualTo(status);
    }
    reviewers.pass(Duration.ofSeconds(1));
    assertThat(strict.send(as(strict, "good-a", "/api/v1")).status()).isEqualTo(200);
  }
}
