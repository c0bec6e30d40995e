// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.admin.Api;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.AccessLevel;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.view.ItemId;
import dev.coxswain.view.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AuthorizationTest {

  private static final String ITEM = new ItemId("payments", "checkout-7").encoded();

  private final Reviewers reviewers = new Reviewers();
  private final List<Api> apis = new ArrayList<>();
  private Api api = keep(reviewers.api());

  private Api keep(Api made) {
    apis.add(made);
    return made;
  }

  @AfterEach
  void close() {
    apis.forEach(Api::close);
  }

  private Api.Answer send(String method, String path, String body) {
    return method.equals("GET")
        ? api.send(api.request(path).header("Authorization", "Bearer good-alice"))
        : api.change(method, path, body, "Authorization", "Bearer good-alice");
  }

  /** What each route asks the right to; the matrix test of the host compares it with real roles. */
  @ParameterizedTest(name = "{0} {1} {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        "GET|/controllers||list|controllers||",
        "GET|/controllers/demo||get|controllers||demo",
        "PATCH|/controllers/demo|{}|tune|controllers||demo",
        "PUT|/controllers/demo/scale|{}|tune|controllers||demo",
        "POST|/controllers/demo/pause|{}|pause|controllers||demo",
        "POST|/controllers/demo/resume|{}|resume|controllers||demo",
        "GET|/controllers/demo/items||list|controllers/items||demo",
        "GET|/controllers/demo/items?namespace=payments||list|controllers/items|payments|demo",
        "GET|/controllers/demo/items?namespace=||list|controllers/items||demo",
        "GET|/controllers/demo/items?name=a&namespace=pay%6dents||list|controllers/items|payments|demo",
        "POST|/controllers/demo/items|{\"namespace\":\"payments\"}|enqueue|controllers/items|payments|demo",
        "POST|/controllers/demo/items|{}|enqueue|controllers/items||demo",
        "POST|/controllers/demo/items|{\"namespace\":3}|enqueue|controllers/items||demo",
        "GET|/controllers/demo/items/ID||get|controllers/items|payments|demo",
        "GET|/controllers/demo/items/ID/explain||get|controllers/items|payments|demo",
        "DELETE|/controllers/demo/items/ID|{}|drop|controllers/items|payments|demo",
        "POST|/controllers/demo/items/ID/retry|{}|retry|controllers/items|payments|demo",
        "POST|/controllers/demo/items/ID/forget|{}|forget|controllers/items|payments|demo",
        "POST|/controllers/demo/items/ID/requeue|{}|requeue|controllers/items|payments|demo",
        "POST|/controllers/demo/operations|{\"action\":\"retry\"}|retry|controllers/operations||demo",
        "POST|/controllers/demo/operations|{\"action\":\"retry\",\"selector\":{\"namespace\":\"payments\"}}|retry|controllers/operations|payments|demo",
        "POST|/controllers/demo/operations|{\"action\":\"flush\",\"then\":\"relist\"}|flush|controllers/operations||demo",
        "POST|/controllers/demo/operations|{\"action\":\"flush\",\"then\":\"none\"}|flushhard|controllers/operations||demo",
        "POST|/controllers/demo/operations|{\"action\":\"flush\",\"dryRun\":true}|flush|controllers/operations||demo",
        "POST|/controllers/demo/operations|{\"action\":\"flushhard\"}|forget|controllers/operations||demo",
        "POST|/controllers/demo/operations|{\"action\":\"get\"}|forget|controllers/operations||demo",
        "GET|/operations||list|controllers/operations||",
        "GET|/operations?controller=demo||list|controllers/operations||demo",
        "GET|/operations?namespace=payments&controller=demo||list|controllers/operations|payments|demo",
        "GET|/operations/op-1||get|controllers/operations||",
        "DELETE|/operations/op-1|{}|stop|controllers/operations||",
        "GET|/audit||list|audit||",
        "GET|/audit?controller=demo||list|audit||",
        "PATCH|/limiters/default|{}|tune|limiters||default",
        "PUT|/limiters/default/override|{}|tune|limiters||default",
        "DELETE|/limiters/default/override|{}|tune|limiters||default",
        "GET|/limiters||list|limiters||",
        "GET|/limiters/default||get|limiters||default",
        "GET|/replicas||list|replicas||",
        "GET|/controllers/unknown||get|controllers||unknown"
      })
  void aRequest_needsTheRightThatItsRouteNames(
      String method,
      String path,
      String body,
      String verb,
      String resource,
      String namespace,
      String name) {
    AccessRequest wanted =
        new AccessRequest(
            Verb.of(verb).orElseThrow(),
            resource,
            namespace == null ? "" : namespace,
            name == null ? "" : name);
    reviewers.denied.add(wanted);
    var answer = send(method, "/api/v1" + path.replace("ID", ITEM), body);
    assertThat(reviewers.rights).containsExactly(wanted);
    var required = answer.problem(403, "forbidden").path("required");
    assertThat(required.path("verb").asText()).isEqualTo(wanted.verb().label());
    assertThat(required.path("group").asText()).isEqualTo("admin.coxswain.dev");
    assertThat(required.path("resource").asText()).isEqualTo(wanted.resource());
    assertThat(required.path("namespace").asText()).isEqualTo(wanted.namespace());
    assertThat(required.path("name").asText()).isEqualTo(wanted.name());
  }

  @Test
  void whatIsDenied_isNotDone() {
    String id = api.demo.put("payments", "checkout-7", Phase.DELAYED, 1, "boom");
    reviewers.denied.add(new AccessRequest(Verb.DROP, Access.ITEMS, "payments", "demo"));
    send("DELETE", Api.item(id), "{\"reason\":\"x\"}").problem(403, "forbidden");
    send("GET", Api.item(id), "").ok(200);
    assertThat(send("DELETE", "/api/v1/controllers/demo/items/!", "{}").status()).isEqualTo(400);
  }

  @Test
  void theProblem_saysWhoLacksWhat() {
    reviewers.denied.add(new AccessRequest(Verb.RETRY, Access.ITEMS, "payments", "demo"));
    assertThat(
            send("POST", Api.item(ITEM) + "/retry", "{\"reason\":\"x\"}")
                .problem(403, "forbidden")
                .path("detail")
                .asText())
        .isEqualTo(
            "\"alice\" may not retry controllers/items.admin.coxswain.dev \"demo\" in namespace"
                + " \"payments\"");
  }

  @Test
  void rightsAreKnownForAWhile_thoseToChangeForLess_andMissingOnesForLeast() {
    AccessRequest pause = new AccessRequest(Verb.PAUSE, Access.CONTROLLERS, "", "demo");
    Runnable all =
        () -> {
          send("GET", Api.DEMO, "");
          send("POST", Api.DEMO + "/resume", "{\"reason\":\"x\"}");
          send("POST", Api.DEMO + "/pause", "{\"reason\":\"x\"}");
        };
    reviewers.denied.add(pause);
    all.run();
    all.run();
    assertThat(reviewers.rights).hasSize(3);
    reviewers.pass(Duration.ofSeconds(5));
    reviewers.denied.clear();
    all.run();
    assertThat(reviewers.rights).hasSize(4).last().isEqualTo(pause);
    reviewers.pass(Duration.ofSeconds(5));
    all.run();
    assertThat(reviewers.rights).hasSize(5);
    reviewers.pass(Duration.ofSeconds(20));
    all.run();
    assertThat(reviewers.rights).hasSize(8);
  }

  @ParameterizedTest
  @CsvSource({
    "none,403,403,403,403",
    "read-only,200,403,403,403",
    "no-destructive,200,200,403,403",
    "full,200,200,204,202"
  })
  void theCeiling_holdsForEverybody(String level, int get, int pause, int drop, int flush) {
    AccessLevel ceiling = AccessLevel.of(level).orElseThrow();
    api =
        keep(
            new Api(
                reviewers.control(ReviewLimits.DEFAULT).withCeiling(ceiling),
                reviewers,
                options -> options));
    String id = api.demo.put("payments", "checkout-7", Phase.DELAYED, 1, "boom");
    String reason = "{\"reason\":\"x\"}";
    assertThat(send("GET", "/api/v1", "").status()).isEqualTo(get);
    assertThat(send("GET", Api.DEMO, "").status()).isEqualTo(get);
    assertThat(send("POST", Api.DEMO + "/pause", reason).status()).isEqualTo(pause);
    assertThat(send("DELETE", Api.item(id), reason).status()).isEqualTo(drop);
    var flushed =
        send(
            "POST",
            Api.DEMO + "/operations",
            "{\"action\":\"flush\",\"all\":true,\"reason\":\"x\"}");
    assertThat(flushed.status()).isEqualTo(flush);
    if (flush == 403) {
      flushed.problem(403, "access-ceiling");
      assertThat(reviewers.rights).noneMatch(wanted -> !ceiling.allows(wanted.verb()));
    }
  }

  @Test
  void everyRoute_saysWhatItNeedsTheRightTo() {
    var routes = send("GET", "/api/v1", "").ok(200).path("routes");
    assertThat(routes).hasSizeGreaterThan(15);
    routes.forEach(route -> {
      if (!Set.of("/api/v1", "/api/v1/openapi.json", "/api/v1/rights")
          .contains(route.path("path").asText())) {
        assertThat(route.path("resource").asText()).as(route.toString()).isNotEmpty();
        assertThat(route.path("verbs")).as(route.toString()).isNotEmpty();
        assertThat(route.path("namespace").asText()).as(route.toString()).isNotEmpty();
      }
    });
  }
}
