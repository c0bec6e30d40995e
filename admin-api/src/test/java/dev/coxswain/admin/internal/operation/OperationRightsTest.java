// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.operation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.http.Access;
import dev.coxswain.testing.Await;
import dev.coxswain.view.Phase;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An operation is for those who have the right to what it is about, and unknown to all others. */
class OperationRightsTest {

  private static final String UNKNOWN = "/api/v1/operations/op-00000000-1";

  private final Reviewers reviewers = new Reviewers();
  private final Api api = reviewers.api();
  private String ofPayments = "";
  private String ofAll = "";

  @BeforeEach
  void begin() {
    api.demo.put("payments", "a", Phase.DELAYED, 1, "boom");
    ofPayments = order("\"selector\":{\"namespace\":\"payments\"}");
    ofAll = order("\"all\":true");
    for (Verb verb : new Verb[] {Verb.GET, Verb.STOP, Verb.LIST}) {
      reviewers.denied.add(right(verb, "", ""));
    }
    reviewers.rights.clear();
  }

  @AfterEach
  void close() {
    api.close();
  }

  private String order(String scope) {
    String order = "{\"action\":\"forget\"," + scope + ",\"reason\":\"x\"}";
    String path = Api.DEMO + "/operations";
    String address = api.post(path, order, "Authorization", "Bearer good-root").header("Location");
    Await.until(() ->
        !api.send(api.request(address).header("Authorization", "Bearer good-root"))
            .ok(200)
            .path("state")
            .asText()
            .equals("Running"));
    return address;
  }

  private static AccessRequest right(Verb verb, String namespace, String name) {
    return new AccessRequest(verb, Access.OPERATIONS, namespace, name);
  }

  private Api.Answer get(String path) {
    return api.send(api.request(path).header("Authorization", "Bearer good-alice"));
  }

  private Api.Answer stop(String path) {
    return api.change("DELETE", path, "{\"reason\":\"x\"}", "Authorization", "Bearer good-alice");
  }

  /** Returns what is told, but for the number of the request and the address that was asked. */
  private static ObjectNode told(Api.Answer refused) {
    ObjectNode problem = (ObjectNode) refused.problem(403, "forbidden");
    problem.remove("requestId");
    problem.remove("instance");
    return problem;
  }

  @Test
  void theRightToItsController_inItsNamespace_isEnough() {
    assertThat(get(ofPayments).ok(200).path("controller").asText()).isEqualTo("demo");
    assertThat(reviewers.rights)
        .containsExactly(right(Verb.GET, "", ""), right(Verb.GET, "payments", "demo"));
    stop(ofPayments).ok(200);
    assertThat(reviewers.rights).last().isEqualTo(right(Verb.STOP, "payments", "demo"));
    get(ofAll).ok(200);
    assertThat(reviewers.rights).last().isEqualTo(right(Verb.GET, "", "demo"));
  }

  @Test
  void whatIsForbidden_cannotBeToldFromWhatIsNotThere() {
    reviewers.denied.add(right(Verb.GET, "payments", "demo"));
    reviewers.denied.add(right(Verb.STOP, "payments", "demo"));
    assertThat(told(get(ofPayments))).isEqualTo(told(get(UNKNOWN)));
    assertThat(told(stop(ofPayments))).isEqualTo(told(stop(UNKNOWN)));
    assertThat(told(get(ofPayments)).at("/required/name").asText()).isEmpty();
  }

  @Test
  void aStopThatIsRefused_isInTheAudit_withWhatItWasAbout() {
    reviewers.denied.add(right(Verb.STOP, "payments", "demo"));
    stop(ofPayments).problem(403, "forbidden");
    var record = get("/api/v1/audit?actor=alice").ok(200).at("/items/0");
    assertThat(record.path("result").asText()).isEqualTo("forbidden");
    assertThat(ofPayments).endsWith("/" + record.path("operation").asText());
  }

  @Test
  void whoMaySeeAllOperations_isToldThatThereIsNone() {
    reviewers.denied.clear();
    get(UNKNOWN).problem(404, "operation-not-found");
    stop(UNKNOWN).problem(404, "operation-not-found");
  }

  @Test
  void aListOfOneController_inOneNamespace_needsNoMoreThanThat_andShowsNoMore() {
    get("/api/v1/operations").problem(403, "forbidden");
    reviewers.denied.add(right(Verb.LIST, "", "demo"));
    get("/api/v1/operations?controller=demo").problem(403, "forbidden");
    var list = get("/api/v1/operations?controller=demo&namespace=payments").ok(200);
    assertThat(list.path("items")).hasSize(1);
    assertThat(ofPayments).endsWith("/" + list.at("/items/0/id").asText());
  }

  @Test
  void whenNobodyCanTell_nobodyIsTold() {
    reviewers.out = true;
    for (String path : new String[] {ofPayments, UNKNOWN}) {
      var request = api.request(path).header("Authorization", "Bearer good-root");
      reviewers.pass(Duration.ofMinutes(2));
      api.send(request).problem(503, "review-unavailable");
    }
  }
}
