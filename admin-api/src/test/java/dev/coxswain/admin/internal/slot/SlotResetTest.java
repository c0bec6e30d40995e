// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.slot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
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

/** A slot map that a replica does not accept is deleted by it. The slots are {@link FakeSlots}. */
class SlotResetTest {

  private static final String SLOTS = "/api/v1/slots";
  private static final String REASON = "{\"reason\":\"an old copy\"}";
  private static final String FORCED = "{\"reason\":\"an old copy\",\"force\":true}";

  private final Cluster3 cluster = new Cluster3();
  private final FakeSlots slots = cluster.shard();

  @AfterEach
  void close() {
    cluster.close();
  }

  private JsonNode audit() {
    return cluster.at(0).get("/api/v1/audit?scope=local&action=reset-slots").ok(200).path("items");
  }

  @Test
  void aMapThatIsNotAccepted_isDeleted_andTheDeletionIsAudited() {
    slots.at(0).rejected = "the slot map is older than one that was read";
    JsonNode json = cluster.at(0).change("DELETE", SLOTS, REASON).ok(200);
    assertThat(json.path("result").asText()).isEqualTo("applied");
    assertThat(json.path("replica").asText()).isEqualTo("coxswain-0");
    assertThat(json.path("problem").asText()).contains("older");
    assertThat(slots.at(0).deletions.get()).isEqualTo(1);
    assertThat(audit()).hasSize(2);
    assertThat(audit().path(0).path("reason").asText()).isEqualTo("an old copy");
  }

  @Test
  void aMapThatIsAccepted_isDeletedByForceOnly() {
    JsonNode problem =
        cluster.at(0).change("DELETE", SLOTS, REASON).problem(409, "slot-map-accepted");
    assertThat(problem.path("detail").asText()).contains("coxswain-0", "force");
    assertThat(slots.at(0).deletions.get()).isZero();
    cluster.at(0).change("DELETE", SLOTS, FORCED).ok(200);
    assertThat(slots.at(0).deletions.get()).isEqualTo(1);
  }

  @Test
  void aDeletionThatFails_andAHostWithoutSlots_areReported() {
    slots.at(0).rejected = "x";
    slots.at(0).stored = () -> Future.failedFuture("secret internals");
    cluster.at(0).change("DELETE", SLOTS, REASON).problem(503, "slots-not-reset");
    cluster.at(0).change("DELETE", SLOTS, "{}").problem(400, "invalid-body");
    cluster.at(0).directory.slots = null;
    cluster.at(0).change("DELETE", SLOTS, REASON).problem(409, "slots-not-used");
  }

  @Test
  void itNeedsTheRightToUpdateSlots_whichAnOperatorDoesNotHave() {
    assertThat(Role.OPERATOR.verbs()).doesNotContain(Verb.UPDATE);
    Reviewers reviewers = new Reviewers();
    try (Cluster3 guarded = new Cluster3(reviewers.control(ReviewLimits.DEFAULT))) {
      FakeSlots some = guarded.shard();
      reviewers.denied.add(new AccessRequest(Verb.UPDATE, Access.SLOTS, "", ""));
      HttpRequest.Builder request =
          guarded
              .at(0)
              .request(SLOTS)
              .header("Content-Type", "application/json")
              .header("Authorization", "Bearer good-alice")
              .method("DELETE", HttpRequest.BodyPublishers.ofString(FORCED));
      guarded.at(0).send(request).problem(403, "forbidden");
      assertThat(some.at(0).deletions.get()).isZero();
    }
  }
}
