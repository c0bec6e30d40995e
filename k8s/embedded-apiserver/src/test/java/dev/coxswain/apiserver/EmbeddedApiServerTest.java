// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Life cycle, loading, deletion rules and robustness. */
final class EmbeddedApiServerTest {
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";
  private static final String DEFINITION =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata:
        name: boats.demo.example.com
      spec:
        group: demo.example.com
        scope: Namespaced
        names: {kind: Boat, plural: boats}
        versions:
        - name: v1
          served: true
          storage: true
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec: {type: object, properties: {length: {type: integer, default: 7}}}
        - name: v2
          served: true
          storage: false
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec: {type: object, properties: {length: {type: integer}}}
      ---
      apiVersion: demo.example.com/v1
      kind: Boat
      metadata: {name: one}
      spec: {}
      """;

  @RegisterExtension private static final ClassServer OWN = new ClassServer();
  private static final EmbeddedApiServer server = OWN.server;
  private static final Http http = OWN.http;

  @Test
  void aGivenClock_isThatOfTheTimeStamps() {
    Instant now = Instant.parse("2031-02-03T04:05:06.789Z");
    String maps = "/api/v1/namespaces/default/configmaps";
    try (EmbeddedApiServer other =
            EmbeddedApiServer.startBlocking(
                EmbeddedApiServerOptions.defaults().withClock(InstantSource.fixed(now)));
        Http client = new Http(other)) {
      client.post(maps, "{\"metadata\":{\"name\":\"a\",\"finalizers\":[\"x/y\"]}}");
      client.delete(maps + "/a");
      JsonNode metadata = client.get(maps + "/a").body().path("metadata");
      assertThat(metadata.path("creationTimestamp").asText()).isEqualTo("2031-02-03T04:05:06Z");
      assertThat(metadata.path("deletionTimestamp").asText()).isEqualTo("2031-02-03T04:05:06Z");
      assertThat(metadata.at("/managedFields/0/time").asText()).isEqualTo("2031-02-03T04:05:06Z");
    }
  }

  @Test
  void anEvent_expiresAsADeletion_whicheverApiItIsReadFrom() throws Exception {
    try (EmbeddedApiServer brief =
            EmbeddedApiServer.startBlocking(
                EmbeddedApiServerOptions.defaults().withEventTimeToLive(Duration.ofMillis(300)));
        Http client = new Http(brief);
        Http.Watch core = client.watch("/api/v1/namespaces/default/events?watch=true");
        Http.Watch fresh =
            client.watch("/apis/events.k8s.io/v1/namespaces/default/events?watch=true")) {
      String body =
          "{\"metadata\":{\"name\":\"e\"},\"involvedObject\":{\"namespace\":\"default\"}}";
      assertThat(client.post("/api/v1/namespaces/default/events", body).status()).isEqualTo(201);
      for (Http.Watch watch : List.of(core, fresh)) {
        assertThat(watch.next().path("type").asText()).isEqualTo("ADDED");
        assertThat(watch.next().path("type").asText()).isEqualTo("DELETED");
      }
      assertThat(client.get("/api/v1/events").body().path("items")).isEmpty();
    }
  }

  @Test
  void start_onATakenPort_saysSo() {
    assertThatThrownBy(() ->
            EmbeddedApiServer.startBlocking(
                EmbeddedApiServerOptions.defaults().withPort(server.port())))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("did not start on 127.0.0.1:" + server.port());
  }

  @Test
  void servers_inOneJvm_doNotShareObjects() throws Exception {
    http.configMap("only-here", "");
    try (EmbeddedApiServer another =
            EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
        Http client = new Http(another)) {
      assertThat(another.port()).isNotEqualTo(server.port());
      assertThat(client.get(MAPS + "/only-here").status()).isEqualTo(404);
    }
  }

  @Test
  void apply_servesDefinitionsBeforeTheObjectsBehindThem_andCanBeRepeated() {
    server.apply(DEFINITION);
    server.apply(DEFINITION);
    String path = "/namespaces/default/boats/one";
    assertThat(http.get("/apis/demo.example.com/v1" + path).body().at("/spec/length").asInt())
        .isEqualTo(7);
    assertThat(http.get("/apis/demo.example.com/v2" + path).body().path("apiVersion").asText())
        .isEqualTo("demo.example.com/v2");
  }

  @Test
  void apply_namesTheObjectThatIsWrong() {
    assertThatThrownBy(() -> server.apply("{apiVersion: v1, kind: Nothing, metadata: {name: x}}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Nothing \"x\"");
    assertThatThrownBy(
            () -> server.apply("{apiVersion: v1, kind: ConfigMap, metadata: {name: UP}}"))
        .hasMessageContaining("ConfigMap \"UP\"")
        .hasMessageContaining("lowercase");
    assertThatThrownBy(() -> server.apply("a: [")).isInstanceOf(IllegalArgumentException.class);
  }

  private static String owned(String owner, String uid, boolean block) {
    return "\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"name\":\""
        + owner
        + "\",\"uid\":\""
        + uid
        + "\",\"blockOwnerDeletion\":"
        + block
        + "}]";
  }

  @Test
  void foregroundDeletion_removesDependentsFirst() throws Exception {
    String uid = http.configMap("fg-owner", "").body().at("/metadata/uid").asText();
    http.configMap(
        "fg-child", "\"finalizers\":[\"example.com/hold\"]," + owned("fg-owner", uid, true));
    http.delete(MAPS + "/fg-owner?propagationPolicy=Foreground");
    Http.await(
        "child is being deleted",
        () -> http.get(MAPS + "/fg-child").body().at("/metadata/deletionTimestamp").isTextual());
    assertThat(http.get(MAPS + "/fg-owner").status()).isEqualTo(200);
    http.merge(MAPS + "/fg-child", "{\"metadata\":{\"finalizers\":null}}");
    Http.await("owner is gone", () -> http.get(MAPS + "/fg-owner").status() == 404);
  }

  @Test
  void orphanDeletion_leavesDependentsWithoutOwner() throws Exception {
    String uid = http.configMap("or-owner", "").body().at("/metadata/uid").asText();
    http.configMap("or-child", owned("or-owner", uid, false));
    http.delete(MAPS + "/or-owner?propagationPolicy=Orphan");
    Http.await("owner is gone", () -> http.get(MAPS + "/or-owner").status() == 404);
    assertThat(http.get(MAPS + "/or-child").body().at("/metadata").has("ownerReferences"))
        .isFalse();
  }

  @Test
  void dependentOfAnOwnerThatNeverWas_isCollected() throws Exception {
    http.configMap("stray", owned("nobody", "11111111-2222-3333-4444-555555555555", false));
    Http.await("stray is gone", () -> http.get(MAPS + "/stray").status() == 404);
  }

  @Test
  void malformedRequests_get4xxAndAStatus() {
    for (String body :
        List.of(
            "",
            "{",
            "[]",
            "5",
            "\"x\"",
            "null",
            "{\"metadata\":5}",
            "[".repeat(5_000),
            "{\"a\":1}{")) {
      Http.Answer answer = http.post(MAPS, body);
      assertThat(answer.status())
          .as("body %s", body.length() > 40 ? "deep" : body)
          .isBetween(400, 499);
      assertThat(answer.body().path("kind").asText()).isEqualTo("Status");
    }
    for (String query :
        List.of(
            "?limit=x",
            "?continue=%25",
            "?labelSelector=((",
            "?fieldSelector==",
            "?resourceVersion=-1x")) {
      assertThat(http.get(MAPS + query).status()).as(query).isBetween(400, 499);
    }
    for (String path :
        List.of("/api/v1/namespaces/%ZZ/configmaps", "/api/v1/namespaces/a/b/c/d/e")) {
      try {
        assertThat(http.get(path).status()).as(path).isBetween(400, 499);
      } catch (IllegalArgumentException e) {
        assertThat(path).contains("%ZZ"); // the client itself refuses to send this
      }
    }
  }

  @Test
  void jsonPatch_thatIsNonsense_get4xx() {
    http.configMap("jp", "");
    for (String patch :
        List.of(
            "[{}]",
            "[5]",
            "[{\"op\":\"remove\",\"path\":\"\"}]",
            "[{\"op\":\"add\",\"path\":\"x\"}]",
            "[{\"op\":\"move\",\"from\":\"/metadata\",\"path\":\"/metadata/x\"}]",
            "[{\"op\":\"replace\",\"path\":\"/metadata\",\"value\":7}]",
            "[{\"op\":\"replace\",\"path\":\"\",\"value\":[]}]")) {
      Http.Answer answer = http.call("PATCH", MAPS + "/jp", patch, "application/json-patch+json");
      assertThat(answer.status()).as(patch).isBetween(400, 499);
    }
  }

  @Test
  void watchHistory_isBounded_andOlderVersionsAreGone() throws Exception {
    try (EmbeddedApiServer small =
            EmbeddedApiServer.startBlocking(
                EmbeddedApiServerOptions.defaults().withWatchHistory(5));
        Http client = new Http(small)) {
      String version =
          client.configMap("first", "").body().at("/metadata/resourceVersion").asText();
      for (int i = 0; i < 10; i++) {
        client.configMap("x" + i, "");
      }
      try (Http.Watch watch = client.watch(MAPS + "?watch=true&resourceVersion=" + version)) {
        assertThat(watch.next().at("/object/code").asInt()).isEqualTo(410);
      }
    }
  }

  @Test
  void close_endsWatches_andMayBeRepeated() throws Exception {
    EmbeddedApiServer another =
        EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
    try (Http client = new Http(another);
        Http.Watch watch = client.watch(MAPS + "?watch=true")) {
      another.close();
      another.close();
      assertThat(watch.ends()).isTrue();
    }
  }

  private static String definition(String plural, String rule) {
    return """
    {"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
     "metadata":{"name":"%1$s.cel.example.com"},
     "spec":{"group":"cel.example.com","scope":"Namespaced","names":{"kind":"K%1$s","plural":"%1$s"},
      "versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",
       "properties":{"spec":{"type":"object","properties":{
         "l":{"type":"array","maxItems":9,"items":{"type":"integer"}},
         "s":{"type":"string","maxLength":9},"none":{"type":"string","maxLength":9},"x":{"type":"integer"}},
        "x-kubernetes-validations":[{"rule":"%2$s"}]}}}}}]}}
    """
        .formatted(plural, rule);
  }

  @Test
  void definitionWithARuleThatCannotBeEvaluated_isRefusedWithTheReason() {
    Http.Answer answer =
        http.post(
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
            definition("bad", "self.x.frobnicate() > 1"));
    assertThat(answer.status()).isEqualTo(422);
    assertThat(answer.body().path("message").asText())
        .contains("frobnicate")
        .contains("compilation failed");
  }

  @Test
  void expressionRules_areEvaluated() {
    List<String> holds =
        List.of(
            "self.l.all(i, i > 0 && i < 9)",
            "self.l.exists(i, i == 3)",
            "!has(self.none) || self.none == 'x'",
            "size(self.l) == 3 && self.s.size() == 5",
            "self.s.startsWith('he') && self.s.matches('^h.*o$')",
            "self.s in ['hello', 'world']",
            "(self.l[0] + 2 * 3 - 1) % 4 == 2",
            "self.l.filter(i, i > 1).size() == 2 ? true : false",
            "self.l.map(i, i * 2) == [2, 4, 6]");
    List<String> fails =
        List.of("self.l.exists_one(i, i > 1)", "self.none == 'x'", "self.s > 'z'", "-1 > 0");
    int i = 0;
    for (String rule : holds) {
      assertThat(accepted("h" + i++, rule)).as(rule).isEqualTo(201);
    }
    for (String rule : fails) {
      assertThat(accepted("f" + i++, rule)).as(rule).isEqualTo(422);
    }
  }

  private static int accepted(String plural, String rule) {
    server.apply(definition(plural, rule));
    return http.post(
            "/apis/cel.example.com/v1/namespaces/default/" + plural,
            "{\"apiVersion\":\"cel.example.com/v1\",\"kind\":\"K"
                + plural
                + "\",\"metadata\":{\"name\":\"x\"},\"spec\":{\"l\":[1,2,3],\"s\":\"hello\"}}")
        .status();
  }

  @Test
  void kubeconfig_pointsAtTheServer() {
    assertThat(server.kubeconfig())
        .contains("server: " + server.url())
        .contains("current-context: coxswain");
  }
}
