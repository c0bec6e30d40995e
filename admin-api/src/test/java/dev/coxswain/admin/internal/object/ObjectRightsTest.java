// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.object;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Cluster3;
import dev.coxswain.admin.FakeController;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.auth.Verb;
import dev.coxswain.admin.internal.http.Access;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who may read the item of an object at one controller receives its explanation, and no other. */
class ObjectRightsTest {

  private static final String ALL = "/api/v1/objects?namespace=payments&name=x";

  private final Reviewers reviewers = new Reviewers();
  private final Cluster3 cluster = new Cluster3(reviewers.control(ReviewLimits.DEFAULT));
  private final FakeController other = new FakeController("other");

  @BeforeEach
  void second() {
    cluster.at(1).directory.handles.put("other", other);
  }

  @AfterEach
  void close() {
    other.close();
    cluster.close();
  }

  private void deny(String... controllers) {
    for (String controller : controllers) {
      reviewers.denied.add(new AccessRequest(Verb.GET, Access.ITEMS, "payments", controller));
    }
  }

  private dev.coxswain.admin.Api.Answer get(int replica, String path) {
    return cluster
        .at(replica)
        .send(cluster.at(replica).request(path).header("Authorization", "Bearer good-alice"));
  }

  private static List<String> controllers(JsonNode list) {
    List<String> names = new ArrayList<>();
    list.path("items").forEach(one -> names.add(one.path("controller").asText()));
    return names;
  }

  @Test
  void theRightToAllControllers_isOneReview() {
    assertThat(controllers(get(1, ALL).ok(200))).containsExactly("demo", "other");
    assertThat(reviewers.rights)
        .containsOnly(new AccessRequest(Verb.GET, Access.ITEMS, "payments", ""));
  }

  @Test
  void controllersWithoutARight_areLeftOut_andCounted() {
    deny("", "other");
    for (int asked = 0; asked < 3; asked++) {
      JsonNode list = get(asked, ALL).ok(200);
      assertThat(controllers(list)).containsExactly("demo");
      assertThat(list.path("hidden").asInt()).isEqualTo(1);
      assertThat(list.path("partial").asBoolean(true)).isFalse();
      assertThat(list.toString()).doesNotContain("\"other\"");
    }
    assertThat(controllers(get(0, "/api/v1/objects?namespace=shop&name=x").ok(200)))
        .as("the right is of one namespace")
        .containsExactly("demo", "other");
  }

  @Test
  void aReplicaThatHasOnlyControllersWithoutARight_isNotMissing() {
    cluster.at(2).directory.handles.clear();
    cluster.at(2).directory.handles.put("other", other);
    deny("", "other");
    JsonNode list = get(0, ALL).ok(200);
    assertThat(controllers(list)).containsExactly("demo");
    assertThat(list.path("hidden").asInt()).isEqualTo(1);
    assertThat(list.path("partial").asBoolean(true)).isFalse();
  }

  @Test
  void withoutAnyRight_theMissingOneIsNamed() {
    deny("", "demo", "other");
    for (int asked = 0; asked < 3; asked++) {
      JsonNode required = get(asked, ALL).problem(403, "forbidden").path("required");
      assertThat(required.path("verb").asText()).isEqualTo("get");
      assertThat(required.path("resource").asText()).isEqualTo("controllers/items");
      assertThat(required.path("namespace").asText()).isEqualTo("payments");
      assertThat(required.path("name").asText()).isEmpty();
    }
    JsonNode one = get(0, ALL + "&controller=demo").problem(403, "forbidden");
    assertThat(one.at("/required/name").asText()).isEqualTo("demo");
  }

  @Test
  void theNameOfAController_isNotRevealed_byItsRefusal() {
    deny("", "other", "none");
    assertThat(get(0, ALL + "&controller=other").status())
        .isEqualTo(get(0, ALL + "&controller=none").status())
        .isEqualTo(403);
  }

  @Test
  void aRightThatCannotBeReviewed_isAFailure() {
    reviewers.out = true;
    assertThat(get(0, ALL).status()).isEqualTo(503);
  }
}
