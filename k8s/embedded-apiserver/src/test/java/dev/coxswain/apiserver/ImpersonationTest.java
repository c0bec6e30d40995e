// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A request in the name of another user has the rights of that user, if the sender may do so. */
class ImpersonationTest {

  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String SELF = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  private static final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withTokens(
                  List.of(
                      new Token("root", "root", List.of("system:masters")),
                      new Token("weak", "weak", List.of()),
                      new Token("proxy", "proxy", List.of()))));
  private static final HttpClient http = HttpClient.newHttpClient();

  @BeforeAll
  static void give() {
    server.apply(
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        metadata: {name: as-jane}
        rules:
        - {apiGroups: [""], resources: [users], verbs: [impersonate], resourceNames: [jane]}
        - {apiGroups: [authentication.k8s.io], resources: [userextras/reason], verbs: [impersonate], resourceNames: [audit]}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRoleBinding
        metadata: {name: as-jane}
        subjects: [{kind: User, name: proxy}]
        roleRef: {kind: ClusterRole, name: as-jane, apiGroup: rbac.authorization.k8s.io}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: Role
        metadata: {name: look, namespace: default}
        rules:
        - {apiGroups: [""], resources: [configmaps], verbs: [list]}
        ---
        apiVersion: rbac.authorization.k8s.io/v1
        kind: RoleBinding
        metadata: {name: look, namespace: default}
        subjects: [{kind: User, name: jane}, {kind: ServiceAccount, name: bot, namespace: default}, {kind: Group, name: lookers}]
        roleRef: {kind: Role, name: look, apiGroup: rbac.authorization.k8s.io}
        """);
  }

  @AfterAll
  static void close() {
    http.close();
    server.close();
  }

  private static HttpResponse<String> send(
      String token, String path, String body, String... headers) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.url() + path))
            .header("Authorization", "Bearer " + token);
    if (!body.isEmpty()) {
      request
          .header("Content-Type", "application/json")
          .POST(HttpRequest.BodyPublishers.ofString(body));
    }
    for (int i = 0; i < headers.length; i += 2) {
      request.header(headers[i], headers[i + 1]);
    }
    return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void theRightsOfTheImpersonatedUserCount_notThoseOfTheSender() throws Exception {
    assertThat(send("root", MAPS, "", "Impersonate-User", "jane").statusCode()).isEqualTo(200);
    HttpResponse<String> refused = send("root", MAPS, "", "Impersonate-User", "joe");
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(refused.body()).contains("User \\\"joe\\\" cannot list");
    assertThat(
            send("root", MAPS, "", "Impersonate-User", "system:serviceaccount:default:bot")
                .statusCode())
        .isEqualTo(200);
    assertThat(
            send("root", MAPS, "", "Impersonate-User", "joe", "Impersonate-Group", "lookers")
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void aSenderWithoutTheRight_isRefused_forEachPart() throws Exception {
    assertThat(send("weak", MAPS, "", "Impersonate-User", "jane").body())
        .contains("users \\\"jane\\\" is forbidden: User \\\"weak\\\" cannot impersonate");
    assertThat(send("proxy", MAPS, "", "Impersonate-User", "jane").statusCode()).isEqualTo(200);
    assertThat(send("proxy", MAPS, "", "Impersonate-User", "root").statusCode()).isEqualTo(403);
    for (String header : List.of("Impersonate-Group", "Impersonate-Uid", "Impersonate-Extra-x")) {
      assertThat(send("proxy", MAPS, "", "Impersonate-User", "jane", header, "a").statusCode())
          .as(header)
          .isEqualTo(403);
      assertThat(send("root", MAPS, "", header, "a").statusCode())
          .as("%s without a user", header)
          .isEqualTo(500);
    }
    assertThat(
            send("proxy", MAPS, "", "Impersonate-User", "jane", "Impersonate-Extra-Reason", "audit")
                .statusCode())
        .isEqualTo(200);
  }

  @Test
  void allParts_areThoseOfTheUser() throws Exception {
    HttpResponse<String> answer =
        send(
            "root",
            SELF,
            "{\"kind\":\"SelfSubjectReview\",\"apiVersion\":\"authentication.k8s.io/v1\"}",
            "Impersonate-User",
            "jane",
            "Impersonate-Uid",
            "u-1",
            "Impersonate-Group",
            "a",
            "Impersonate-Group",
            "b",
            "Impersonate-Extra-acme.com%2Fproject",
            "one");
    JsonNode user = new ObjectMapper().readTree(answer.body()).at("/status/userInfo");
    assertThat(user.toString())
        .isEqualTo(
            "{\"username\":\"jane\",\"groups\":[\"a\",\"b\",\"system:authenticated\"],"
                + "\"uid\":\"u-1\",\"extra\":{\"acme.com/project\":[\"one\"]}}");
  }
}
