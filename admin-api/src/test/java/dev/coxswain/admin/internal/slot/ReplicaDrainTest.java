// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.FakeSlots;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.auth.Role;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.http.Access;
import io.vertx.core.Future;
import java.net.http.HttpRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A replica is drained by itself, through any replica. The slots are {@link FakeSlots}. */
class ReplicaDrainTest {

  private static final String REASON = "{\"reason\":\"node maintenance\"}";
  private static final String FORCED = "{\"reason\":\"node maintenance\",\"force\":true}";

  private static final String[] CHANGE = {"stage", "action", "change"};

  private final Cluster3 cluster = new Cluster3();
  private final FakeSlots slots = cluster.shard();

  @AfterEach
  void close() {
    cluster.close();
  }

  private static String drain(int replica) {
    return "/api/v1/replicas/coxswain-" + replica + "/drain";
  }

  @Test
  void aReplica_isDrainedByItself_throughAnyOther_andBothRecordIt() {
    for (int asked = 0; asked < 2; asked++) {
      JsonNode json = cluster.at(asked).post(drain(1), REASON).ok(200);
      assertThat(json.path("replica").asText()).isEqualTo("coxswain-1");
      assertThat(json.path("drained").asBoolean()).isTrue();
      assertThat(json.path("slots").asInt()).isEqualTo(3);
      assertThat(json.path("result").asText()).isEqualTo(asked == 0 ? "applied" : "skipped");
      assertThat(json.path("results").path(0).path("replica").asText()).isEqualTo("coxswain-1");
    }
    assertThat(slots.at(1).drains.get()).isEqualTo(2);
    assertThat(slots.at(0).drains.get()).isZero();
    String change = " drain {\"replica\":\"coxswain-1\"}";
    assertThat(cluster.audit(0, CHANGE))
        .containsExactlyInAnyOrder("intent" + change, "outcome" + change);
    assertThat(cluster.audit(1, CHANGE)).hasSize(4).contains("intent" + change, "outcome" + change);
    assertThat(cluster.audit(2, CHANGE)).isEmpty();
  }

  @Test
  void aDrain_isUndone() {
    cluster.at(0).post(drain(1), REASON).ok(200);
    JsonNode json = cluster.at(2).change("DELETE", drain(1), REASON).ok(200);
    assertThat(json.path("drained").asBoolean(true)).isFalse();
    assertThat(json.path("result").asText()).isEqualTo("applied");
    JsonNode again = cluster.at(2).change("DELETE", drain(1), REASON).ok(200);
    assertThat(again.path("result").asText()).isEqualTo("skipped");
    assertThat(cluster.audit(1, CHANGE)).contains("intent undrain {\"replica\":\"coxswain-1\"}");
  }

  @Test
  void theOnlyReplicaThatMayHaveSlots_isDrainedByForceOnly() {
    cluster.at(0).post(drain(0), REASON).ok(200);
    cluster.at(0).post(drain(1), REASON).ok(200);
    JsonNode problem = cluster.at(0).post(drain(2), REASON).problem(409, "last-replica");
    assertThat(problem.path("detail").asText()).contains("coxswain-2").contains("force");
    assertThat(slots.at(2).drains.get()).isZero();
    // Once more for one that is drained already: nothing becomes worse.
    cluster.at(2).post(drain(1), REASON).ok(200);
    cluster.at(0).post(drain(2), FORCED).ok(200);
    assertThat(slots.at(2).drains.get()).isEqualTo(1);
    assertThat(cluster.audit(2, CHANGE))
        .contains("intent drain {\"replica\":\"coxswain-2\",\"force\":true}");
  }

  @Test
  void anUnknownReplica_andAHostWithoutSlots_areRefused() {
    cluster.at(0).post(drain(9), REASON).problem(404, "replica-not-found");
    cluster.at(0).post(drain(1), "{}").problem(400, "invalid-body");
    cluster.at(0).post(drain(0), "{}").problem(400, "invalid-body");
    cluster.at(0).change("DELETE", drain(0), FORCED).problem(400, "invalid-body");
    cluster.at(0).post(drain(1) + "?replica=coxswain-0", REASON).problem(400, "invalid-query");
    cluster.at(1).directory.slots = null;
    for (int asked = 0; asked < 2; asked++) {
      cluster.at(asked).post(drain(1), REASON).problem(409, "slots-not-used");
      cluster.at(asked).change("DELETE", drain(1), REASON).problem(409, "slots-not-used");
    }
  }

  @Test
  void aWeightThatIsNotStored_isReported_andSoIsAReplicaThatIsGone() {
    slots.at(1).stored = () -> Future.failedFuture("secret internals");
    for (int asked = 0; asked < 2; asked++) {
      Api.Answer answer = cluster.at(asked).post(drain(1), REASON);
      answer.problem(503, "drain-not-stored");
      assertThat(answer.header("Retry-After")).isEqualTo("1");
    }
    cluster.kill(2);
    cluster.at(0).post(drain(2), REASON).problem(503, "replica-unreachable");
  }

  @Test
  void theSameKey_drainsOnce() {
    cluster.at(0).post(drain(1), REASON, "Idempotency-Key", "k").ok(200);
    cluster.at(0).post(drain(1), REASON, "Idempotency-Key", "k").ok(200);
    cluster.at(1).post(drain(1), REASON, "Idempotency-Key", "k").ok(200);
    assertThat(slots.at(1).drains.get()).isEqualTo(1);
  }

  @Test
  void anOperatorMayDrain_andBothReplicasCheckTheRight() {
    assertThat(Role.OPERATOR.verbs()).contains(Verb.DRAIN);
    assertThat(Role.VIEWER.verbs()).doesNotContain(Verb.DRAIN);
    Reviewers reviewers = new Reviewers();
    try (Cluster3 guarded = new Cluster3(reviewers.control(ReviewLimits.DEFAULT))) {
      FakeSlots some = guarded.shard();
      AccessRequest wanted = new AccessRequest(Verb.DRAIN, Access.REPLICAS, "", "");
      HttpRequest.Builder request =
          guarded
              .at(0)
              .request(drain(1))
              .header("Content-Type", "application/json")
              .header("Authorization", "Bearer good-alice")
              .POST(HttpRequest.BodyPublishers.ofString(REASON));
      guarded.at(0).send(request).ok(200);
      assertThat(reviewers.rights).containsExactly(wanted, wanted);
      reviewers.denied.add(new AccessRequest(Verb.LIST, Access.SLOTS, "", ""));
      guarded
          .at(0)
          .send(guarded.at(0).request("/api/v1/slots").header("Authorization", "Bearer good-alice"))
          .problem(403, "forbidden");
      assertThat(some.at(1).drains.get()).isEqualTo(1);
    }
  }
}
