// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.explain;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

/** Requests for one object at all controllers, in the situations of {@link WhyNotReconciled}. */
record ExplanationLists(ThreeReplicas session) {

  private static final Set<String> MEANINGLESS = Set.of("leftOut", "notInCache", "unknownName");

  /** One request for an object has the answers of all controllers, whichever replica receives it. */
  void areWhole() throws IOException {
    JsonNode controllers =
        ThreeReplicas.JSON.readTree(session.send("GET", "/api/v1/controllers", "").body());
    for (JsonNode replica : session.report.get("replicas")) {
      String admin = replica.get("admin").asText();
      JsonNode failing = atMain(admin, "failing-0", "backoff");
      assertThat(failing.at("/item/lastError").asText()).contains("the disk is full");
      assertThat(failing.path("replica")).isEqualTo(failing.at("/slot/owner"));
      assertThat(atMain(admin, "healthy-0", "succeeded").has("item")).as("in no queue").isFalse();
      assertThat(atMain(admin, "never", "notInCache").path("message").asText())
          .contains("The API server has no ConfigMap of this namespace and name");
      List<String> order = new ArrayList<>();
      object(admin, "never").path("items").forEach(one -> order.add(one.path("reason").asText()));
      assertThat(order)
          .hasSameSizeAs(controllers.path("items"))
          .contains("notSynced", "notInCache");
      assertThat(order.stream().map(MEANINGLESS::contains).toList())
          .as("problems of controllers, then those that the object means nothing to: %s", order)
          .isSorted();
    }
  }

  /** Returns the explanation of {@link WhyController#MAIN} in the list of all. */
  private JsonNode atMain(String admin, String name, String reason) throws IOException {
    for (JsonNode one : object(admin, name).path("items")) {
      if (one.path("controller").asText().equals(WhyController.MAIN)) {
        assertThat(one.path("reason").asText()).as(one.toString()).isEqualTo(reason);
        return one;
      }
    }
    throw new AssertionError(WhyController.MAIN + " is missing for " + name);
  }

  /** Returns the explanations of an object, when all controllers have given one in time. */
  private JsonNode object(String admin, String name) throws IOException {
    AtomicReference<JsonNode> list = new AtomicReference<>(ThreeReplicas.JSON.createObjectNode());
    session.await(
        "an explanation of each controller",
        () -> {
          list.set(
              ThreeReplicas.JSON.readTree(
                  session
                      .send(
                          admin,
                          "GET",
                          "/api/v1/objects?namespace=" + WhyController.MAIN + "&name=" + name,
                          "")
                      .body()));
          return list.get().path("kind").asText().equals("ExplanationList")
              && !list.get().has("unread");
        });
    return list.get();
  }
}
