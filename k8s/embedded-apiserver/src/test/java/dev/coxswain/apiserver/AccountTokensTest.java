// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.coxswain.apiserver.EmbeddedApiServerOptions.Token;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A token of a service account is that account's, for whom it was made and while there is one. */
class AccountTokensTest {

  private static final String ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts/";
  private static final String TOKEN = ACCOUNTS + "bot/token";
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";

  private final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(
          EmbeddedApiServerOptions.defaults()
              .withTokens(
                  List.of(
                      new Token("root", "root", List.of("system:masters")),
                      new Token("weak", "weak", List.of()))));
  private final Http http = new Http(server).as("root");

  @BeforeEach
  void give() {
    server.apply(
        """
        apiVersion: v1
        kind: ServiceAccount
        metadata: {name: bot}
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
        subjects: [{kind: ServiceAccount, name: bot, namespace: default}]
        roleRef: {kind: Role, name: look, apiGroup: rbac.authorization.k8s.io}
        """);
  }

  @AfterEach
  void close() {
    http.close();
    server.close();
  }

  private static String request(String spec) {
    return "{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"TokenRequest\",\"spec\":{"
        + spec
        + "}}";
  }

  private JsonNode issued(String spec) {
    Http.Answer answer = http.post(TOKEN, request(spec));
    assertThat(answer.status()).as(answer.raw().body()).isEqualTo(201);
    return answer.body();
  }

  private JsonNode review(String token, String audiences) {
    return http.post(
            "/apis/authentication.k8s.io/v1/tokenreviews",
            "{\"spec\":{\"token\":\"" + token + "\",\"audiences\":[" + audiences + "]}}")
        .body()
        .path("status");
  }

  @Test
  void aToken_saysWhatItIs() {
    JsonNode answer = issued("\"audiences\":[\"a\",\"b\"],\"expirationSeconds\":900");
    assertThat(answer.path("kind").asText()).isEqualTo("TokenRequest");
    assertThat(answer.path("apiVersion").asText()).isEqualTo("authentication.k8s.io/v1");
    assertThat(answer.at("/metadata/name").asText()).isEqualTo("bot");
    assertThat(answer.at("/metadata/namespace").asText()).isEqualTo("default");
    assertThat(answer.at("/spec/audiences").toString()).isEqualTo("[\"a\",\"b\"]");
    Instant issued = Instant.parse(answer.at("/metadata/creationTimestamp").asText());
    Instant expires = Instant.parse(answer.at("/status/expirationTimestamp").asText());
    assertThat(Duration.between(issued, expires)).isEqualTo(Duration.ofMinutes(15));
    String[] parts = answer.at("/status/token").asText().split("\\.", -1);
    assertThat(parts).hasSize(3);
    assertThat(new String(Base64.getUrlDecoder().decode(parts[1]), StandardCharsets.UTF_8))
        .contains("\"aud\":[\"a\",\"b\"]")
        .contains("\"exp\":" + expires.getEpochSecond())
        .contains("\"sub\":\"system:serviceaccount:default:bot\"");
  }

  @Test
  void aToken_isGoodForItsAudiencesAlone() {
    String token = issued("\"audiences\":[\"a\",\"b\"]").at("/status/token").asText();
    JsonNode good = review(token, "\"b\",\"c\"");
    assertThat(good.path("authenticated").asBoolean()).isTrue();
    assertThat(good.path("audiences").toString()).isEqualTo("[\"b\"]");
    assertThat(good.at("/user/username").asText()).isEqualTo("system:serviceaccount:default:bot");
    assertThat(good.at("/user/groups").toString())
        .isEqualTo(
            "[\"system:serviceaccounts\",\"system:serviceaccounts:default\",\"system:authenticated\"]");
    assertThat(review(token, "\"c\"").path("authenticated").asBoolean()).isFalse();
    assertThat(review(token, "").path("authenticated").asBoolean()).isFalse();
    try (Http bot = http.as(token)) {
      assertThat(bot.get(MAPS).status()).isEqualTo(401);
    }
  }

  @Test
  void withoutAudiences_itIsForTheServer_withTheRightsOfTheAccount() {
    JsonNode answer = issued("");
    assertThat(answer.at("/spec/expirationSeconds").asLong()).isEqualTo(3600);
    assertThat(answer.at("/spec/audiences/0").asText()).isEqualTo(Token.API_AUDIENCE);
    try (Http bot = http.as(answer.at("/status/token").asText())) {
      assertThat(bot.get(MAPS).status()).isEqualTo(200);
      assertThat(bot.get("/api/v1/namespaces/default/secrets").status()).isEqualTo(403);
    }
  }

  @Test
  void aToken_endsWithItsAccount_alsoWhenThereIsAnotherOfTheName() {
    String token = issued("").at("/status/token").asText();
    assertThat(review(token, "").path("authenticated").asBoolean()).isTrue();
    http.delete(ACCOUNTS + "bot");
    assertThat(review(token, "").path("authenticated").asBoolean()).isFalse();
    give();
    assertThat(review(token, "").path("authenticated").asBoolean()).isFalse();
  }

  @Test
  void whatWasChanged_orMadeElsewhere_isNoToken() {
    String token = issued("").at("/status/token").asText();
    int middle = token.indexOf('.') + 10;
    char other = token.charAt(middle) == 'A' ? 'B' : 'A';
    String changed = token.substring(0, middle) + other + token.substring(middle + 1);
    String unsigned = token.substring(0, token.lastIndexOf('.') + 1);
    for (String bad : List.of(changed, unsigned, token + "A", "..", ".", "a.b.c")) {
      assertThat(review(bad, "").path("authenticated").asBoolean()).as(bad).isFalse();
    }
    try (EmbeddedApiServer another =
            EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
        Http there = new Http(another)) {
      String review = "{\"spec\":{\"token\":\"" + token + "\"}}";
      JsonNode body = there.post("/apis/authentication.k8s.io/v1/tokenreviews", review).body();
      assertThat(body.at("/status/authenticated").asBoolean()).isFalse();
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          "expirationSeconds":599        | 422 | TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 599: may not specify a duration less than 10 minutes
          "expirationSeconds":4294967297 | 422 | TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds
          "expirationSeconds":"soon"     | 400 | TokenRequest in version "v1" cannot be handled as a TokenRequest: json: cannot unmarshal string
          "boundObjectRef":{"kind":"Pod","apiVersion":"v1","name":"p"} | 501 | tokens that are bound to an object are not served
          """)
  void whatCannotBe_isRefusedInTheWordsOfTheServer(String spec, int status, String message) {
    Http.Answer answer = http.post(TOKEN, request(spec));
    assertThat(answer.status()).as(answer.raw().body()).isEqualTo(status);
    assertThat(answer.body().path("message").asText()).startsWith(message);
  }

  @Test
  void anotherName_anotherKind_noAccount_andNoRight_areRefused() {
    Http.Answer named = http.post(TOKEN, "{\"metadata\":{\"name\":\"other\"},\"spec\":{}}");
    assertThat(named.status()).isEqualTo(422);
    assertThat(named.body().path("message").asText())
        .isEqualTo(
            "TokenRequest.authentication.k8s.io \"bot\" is invalid: metadata.name: Invalid value:"
                + " \"other\": must match the service account name if specified");
    assertThat(http.post(TOKEN, "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}").status())
        .isEqualTo(400);
    Http.Answer missing = http.post(ACCOUNTS + "nobody/token", request(""));
    assertThat(missing.status()).isEqualTo(404);
    assertThat(missing.body().path("message").asText())
        .isEqualTo("serviceaccounts \"nobody\" not found");
    assertThat(http.get(TOKEN).status()).isEqualTo(405);
    try (Http weak = http.as("weak")) {
      Http.Answer forbidden = weak.post(TOKEN, request(""));
      assertThat(forbidden.status()).isEqualTo(403);
      assertThat(forbidden.body().path("message").asText())
          .startsWith(
              "serviceaccounts \"bot\" is forbidden: User \"weak\" cannot create resource"
                  + " \"serviceaccounts/token\" in API group \"\" in the namespace \"default\"");
    }
  }
}
