// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A role for one name allows a list and a watch that select just that name, and no others. */
class NamedRightsTest {

  private static final String MAPS = "/api/v1/namespaces/default/configmaps";

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withTokens(List.of(new Token("s", "reader", List.of()))));
  private final Http http = new Http(server).as("s");

  @BeforeEach
  void give() {
    server.apply(
        """
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: mine}
        ---
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: other}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: Role
        metadata: {name: mine, namespace: default}
        rules:
        - {apiGroups: [""], resources: [configmaps], resourceNames: [mine], verbs: [list, watch, deletecollection]}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: RoleBinding
        metadata: {name: mine, namespace: default}
        subjects: [{kind: User, name: reader, apiGroup: rbac.authorization.k8s.io}]
        roleRef: {kind: Role, name: mine, apiGroup: rbac.authorization.k8s.io}
        """);
  }

  @AfterEach
  void close() {
    http.close();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "metadata.name=mine",
        "metadata.name==mine",
        "metadata.namespace=default,metadata.name=mine"
      })
  void theNameThatIsSelected_isTheNameOfTheRight(String selector) {
    Http.Answer list = http.get(MAPS + "?fieldSelector=" + selector);
    assertThat(list.status()).isEqualTo(200);
    assertThat(list.body().path("items")).hasSize(1);
    assertThat(http.get(MAPS + "?watch=true&timeoutSeconds=1&fieldSelector=" + selector).status())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "metadata.name=other",
        "metadata.name!=mine",
        "metadata.namespace=mine",
        "metadata.name=mine,x",
        "metadata.name=..",
        "metadata.name=other,metadata.name=mine",
        ""
      })
  void whatSelectsMore_orAnother_isForbidden(String selector) {
    for (String watch : new String[] {"", "watch=true&timeoutSeconds=1&"}) {
      assertThat(http.get(MAPS + "?" + watch + "fieldSelector=" + selector).status())
          .isEqualTo(403);
    }
  }

  @Test
  void theRefusal_namesWhatWasSelected() {
    Http.Answer answer = http.get(MAPS + "?fieldSelector=metadata.name%3Dother");
    assertThat(answer.body().path("message").asText())
        .startsWith("configmaps \"other\" is forbidden: User \"reader\" cannot list resource");
    assertThat(answer.body().at("/details/name").asText()).isEqualTo("other");
  }

  @Test
  void aDeletionOfManyHasNoName_whateverItSelects() {
    Http.Answer answer =
        http.call("DELETE", MAPS + "?fieldSelector=metadata.name%3Dmine", null, "application/json");
    assertThat(answer.status()).isEqualTo(403);
  }
}
