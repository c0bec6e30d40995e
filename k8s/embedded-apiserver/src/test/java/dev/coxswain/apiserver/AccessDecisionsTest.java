// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServer.AccessDecision;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The decisions about requests, and the second one that an apply needs when it creates. */
class AccessDecisionsTest {

  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String APPLY = "application/apply-patch+yaml";
  private static final String MAP =
      "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"%s\"}}";

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withTokens(List.of(new Token("s", "writer", List.of()))));
  private final Http http = new Http(server).as("s");
  private final List<AccessDecision> decisions = new CopyOnWriteArrayList<>();

  @BeforeEach
  void give() {
    server.apply(
        """
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: here}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: Role
        metadata: {name: patches, namespace: default}
        rules:
        - {apiGroups: [""], resources: [configmaps], verbs: [patch]}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: RoleBinding
        metadata: {name: binding, namespace: default}
        subjects: [{kind: User, name: writer, apiGroup: rbac.authorization.k8s.io}]
        roleRef: {kind: Role, name: patches, apiGroup: rbac.authorization.k8s.io}
        """);
    server.observeAccess(decisions::add);
  }

  @AfterEach
  void close() {
    http.close();
    server.close();
  }

  @Test
  void eachRequest_isReportedWithTheRolesThatAllowIt() {
    http.get(MAPS + "/here");
    http.get("/metrics");
    apply("here");
    assertThat(decisions)
        .containsExactly(
            new AccessDecision("writer", "get", "", "configmaps", "default", "here", List.of()),
            new AccessDecision("writer", "get", "", "/metrics", "", "", List.of()),
            new AccessDecision(
                "writer", "patch", "", "configmaps", "default", "here", List.of("patches")));
    assertThat(decisions.getLast().allowed()).isTrue();
    server.observeAccess(null);
    http.get(MAPS + "/here");
    assertThat(decisions).hasSize(3);
  }

  @Test
  void anApplyThatCreates_needsTheRightToCreate() {
    assertThat(apply("here")).isEqualTo(200);
    assertThat(apply("another")).isEqualTo(403);
    assertThat(decisions.getLast())
        .isEqualTo(
            new AccessDecision(
                "writer", "create", "", "configmaps", "default", "another", List.of()));
  }

  private int apply(String name) {
    String path = MAPS + "/" + name + "?fieldManager=m";
    return http.call("PATCH", path, MAP.formatted(name), APPLY).status();
  }
}
