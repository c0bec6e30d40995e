// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.admin.internal.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.admin.Api;
import dev.coxswain.admin.Reviewers;
import dev.coxswain.admin.auth.AccessLevel;
import dev.coxswain.admin.auth.AccessRequest;
import dev.coxswain.admin.auth.ReviewLimits;
import dev.coxswain.admin.auth.Verb;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Callers hear what they may do before they try. */
class RightsTest {

  private final Reviewers reviewers = new Reviewers();
  private Api api = reviewers.api();

  @AfterEach
  void close() {
    api.close();
  }

  private Map<String, Boolean> rights(String query) {
    JsonNode list =
        api.send(api.request("/api/v1/rights" + query).header("Authorization", "Bearer good-alice"))
            .ok(200);
    Map<String, Boolean> rights = new TreeMap<>();
    list.path("items")
        .forEach(one ->
            rights.put(
                one.path("resource").asText() + " " + one.path("verb").asText(),
                one.path("allowed").asBoolean()));
    return rights;
  }

  @Test
  void everyRightThatARouteNeeds_isInTheList() {
    Set<String> needed = new TreeSet<>();
    api.send(api.request("/api/v1").header("Authorization", "Bearer good-alice"))
        .ok(200)
        .path("routes")
        .forEach(route ->
            route
                .path("verbs")
                .forEach(
                    verb -> needed.add(route.path("resource").asText() + " " + verb.asText())));
    assertThat(rights("").keySet()).isEqualTo(needed);
  }

  @Test
  void theReviewer_isAskedForTheControllerAndTheNamespace_whereTheyMatter() {
    reviewers.denied.add(new AccessRequest(Verb.RETRY, "controllers/items", "payments", "demo"));
    assertThat(rights("?controller=demo&namespace=payments"))
        .containsEntry("controllers/items retry", false)
        .containsEntry("controllers/operations retry", true);
    assertThat(reviewers.rights)
        .contains(
            new AccessRequest(Verb.FLUSH, "controllers/operations", "payments", "demo"),
            new AccessRequest(Verb.PAUSE, "controllers", "", "demo"), // about all namespaces
            new AccessRequest(Verb.LIST, "limiters", "", "")); // about no controller
    assertThat(rights("?controller=demo")).containsEntry("controllers/items retry", true);
    assertThat(rights("")).containsEntry("controllers/items retry", true);
  }

  @Test
  void ofLimiters_theReviewerIsAskedByTheirName() {
    reviewers.denied.add(new AccessRequest(Verb.TUNE, "limiters", "", "default"));
    assertThat(rights("?limiter=default")).containsEntry("limiters tune", false);
    assertThat(rights("?limiter=vendor")).containsEntry("limiters tune", true);
    assertThat(reviewers.rights)
        .contains(new AccessRequest(Verb.PAUSE, "controllers", "", "")); // about no limiter
  }

  @Test
  void whoCannotBeAskedAbout_isNotToldThatTheyMayNot() {
    rights(""); // the token is known from now on
    reviewers.out = true;
    reviewers.pass(Duration.ofSeconds(50));
    api.send(api.request("/api/v1/rights").header("Authorization", "Bearer good-alice"))
        .problem(503, "review-unavailable");
  }

  @Test
  void whatIsAboveTheCeiling_isNotAllowed() {
    api.close();
    api =
        new Api(
            reviewers.control(ReviewLimits.DEFAULT).withCeiling(AccessLevel.READ_ONLY),
            reviewers,
            options -> options);
    assertThat(rights(""))
        .containsEntry("controllers/items list", true)
        .containsEntry("controllers/items retry", false);
  }
}
