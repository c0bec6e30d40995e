// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.KubernetesRuntime;
import dev.coxswain.k8s.client.ApiStatusException;
import dev.coxswain.k8s.client.KubernetesOptions;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.credentials.AccessTokenAuthentication;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AccessReviewsTest {

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withTokens(
                  List.of(
                      new Token("root", "root", List.of("system:masters")),
                      new Token("ours", "alice", List.of("oncall"), List.of("coxswain-admin")),
                      new Token("theirs", "alice", List.of("oncall")))));

  @AfterEach
  void close() {
    server.close();
  }

  private AccessReviews reviews(String token, String audience) {
    ApiClient client = new ApiClient().setBasePath(server.url());
    new AccessTokenAuthentication(token).provide(client);
    return new AccessReviews(
        KubernetesRuntime.of(Kubernetes.of(client, KubernetesOptions.DEFAULT)).transport(),
        audience);
  }

  @Test
  void aToken_standsForItsUser_onlyWhereItWasMadeFor() {
    assertThat(reviews("root", "coxswain-admin").user("ours"))
        .hasValueSatisfying(user -> {
          assertThat(user.name()).isEqualTo("alice");
          assertThat(user.groups()).contains("oncall", "system:authenticated");
        });
    assertThat(reviews("root", "coxswain-admin").user("theirs")).isEmpty();
    assertThat(reviews("root", "coxswain-admin").user("nobodys")).isEmpty();
    assertThat(reviews("root", Token.API_AUDIENCE).user("theirs")).isPresent();
    assertThat(reviews("root", Token.API_AUDIENCE).user("ours")).isEmpty();
  }

  @Test
  void aRight_isThatOfTheRoles_withSubresourceNamespaceAndName() {
    server.apply(
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: Role
        metadata: {name: retry, namespace: default}
        rules:
        - {apiGroups: [g.example], resources: [things/parts], resourceNames: [one], verbs: [retry]}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: RoleBinding
        metadata: {name: retry, namespace: default}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: retry}
        subjects: [{kind: Group, apiGroup: rbac.authorization.k8s.io, name: oncall}]
        """);
    AccessReviews reviews = reviews("root", "x");
    ReviewedUser alice = new ReviewedUser("alice", "", List.of("oncall"), Map.of());
    assertThat(allowed(reviews, alice, "g.example", "things/parts", "retry", "default", "one"))
        .isTrue();
    assertThat(allowed(reviews, alice, "g.example", "things", "retry", "default", "one")).isFalse();
    assertThat(allowed(reviews, alice, "g.example", "things/parts", "drop", "default", "one"))
        .isFalse();
    assertThat(allowed(reviews, alice, "g.example", "things/parts", "retry", "", "one")).isFalse();
    assertThat(allowed(reviews, alice, "g.example", "things/parts", "retry", "default", "two"))
        .isFalse();
    assertThat(allowed(reviews, alice, "h.example", "things/parts", "retry", "default", "one"))
        .isFalse();
    ReviewedUser bob = new ReviewedUser("bob", "1", List.of(), Map.of("scopes", List.of("a")));
    assertThat(allowed(reviews, bob, "g.example", "things/parts", "retry", "default", "one"))
        .isFalse();
  }

  @Test
  void aRightOnAPath_isThatOfTheRoles_alsoForATokenOfTheApiServer() {
    server.apply(
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        metadata: {name: scrape}
        rules:
        - {nonResourceURLs: [/metrics], verbs: [get]}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRoleBinding
        metadata: {name: scrape}
        roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: scrape}
        subjects: [{kind: Group, apiGroup: rbac.authorization.k8s.io, name: oncall}]
        """);
    ApiClient client = new ApiClient().setBasePath(server.url());
    new AccessTokenAuthentication("root").provide(client);
    AccessReviews reviews =
        AccessReviews.ofApiServerTokens(
            KubernetesRuntime.of(Kubernetes.of(client, KubernetesOptions.DEFAULT)).transport());
    ReviewedUser alice = reviews.user("theirs").orElseThrow();
    assertThat(reviews.allowed(alice, "/metrics", "get")).isTrue();
    assertThat(reviews.allowed(alice, "/metrics", "post")).isFalse();
    assertThat(reviews.allowed(alice, "/other", "get")).isFalse();
    assertThat(reviews.user("ours")).as("made for another").isEmpty();
    ReviewedUser bob = new ReviewedUser("bob", "", List.of(), Map.of());
    assertThat(reviews.allowed(bob, "/metrics", "get")).isFalse();
  }

  private static boolean allowed(
      AccessReviews reviews,
      ReviewedUser user,
      String group,
      String resource,
      String verb,
      String namespace,
      String name) {
    return reviews.allowed(user, new ResourceAttributes(group, resource, verb, namespace, name));
  }

  @Test
  void whoMayNotAsk_isToldSo_andNoMessageHoldsTheToken() {
    assertThatThrownBy(() -> reviews("theirs", "x").user("secret-token"))
        .isInstanceOf(ApiStatusException.class)
        .hasMessageContaining("tokenreviews")
        .hasMessageNotContaining("secret-token");
  }

  @Test
  void theExpiry_isReadFromAWebToken_andFromNothingElse() {
    assertThat(AccessReviews.expiry(jwt("{\"exp\":1767225600}")))
        .hasValue(Instant.ofEpochSecond(1767225600));
    for (String other :
        new String[] {
          "opaque",
          "",
          "a.b.c",
          "..",
          jwt("{}"),
          jwt("[]"),
          jwt("{\"exp\":\"soon\"}"),
          jwt("{\"exp\":1e300}"),
          jwt("not json {")
        }) {
      assertThat(AccessReviews.expiry(other)).as(other).isEmpty();
    }
  }

  private static String jwt(String payload) {
    return "e30."
        + Base64.getUrlEncoder()
            .withoutPadding()
            .encodeToString(payload.getBytes(StandardCharsets.UTF_8))
        + ".sig";
  }
}
