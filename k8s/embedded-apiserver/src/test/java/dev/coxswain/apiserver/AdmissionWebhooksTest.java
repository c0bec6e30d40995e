// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static dev.coxswain.apiserver.WebhookServer.admission;
import static dev.coxswain.apiserver.WebhookServer.allowed;
import static dev.coxswain.apiserver.WebhookServer.denied;
import static dev.coxswain.apiserver.WebhookServer.patched;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Writes of clients pass the admission webhooks that match, as in a real API server. */
final class AdmissionWebhooksTest {
  private static final String GROUP = "/apis/admissionregistration.k8s.io/v1/";
  private static final String VALIDATING = "ValidatingWebhookConfiguration";
  private static final String MUTATING = "MutatingWebhookConfiguration";
  private static final String MAPS = "/api/v1/namespaces/default/configmaps";

  @TempDir private static Path folder;
  @RegisterExtension private static final ClassServer OWN = new ClassServer();
  private static final EmbeddedApiServer server = OWN.server;
  private static final Http http = OWN.http;
  private static WebhookServer hooks;

  @BeforeAll
  static void start() throws Exception {
    hooks = WebhookServer.start(folder);
  }

  @AfterAll
  static void stop() {
    hooks.close();
  }

  @AfterEach
  void clean() {
    http.delete(GROUP + "validatingwebhookconfigurations");
    http.delete(GROUP + "mutatingwebhookconfigurations");
    http.delete(MAPS);
    hooks.forget();
  }

  private static Http.Answer configure(String kind, String name, String path, String more) {
    return install(hooks.configuration(kind, name, path, more));
  }

  private static Http.Answer install(ObjectNode configuration) {
    String plural = configuration.path("kind").asText().toLowerCase(java.util.Locale.ROOT) + "s";
    return http.post(GROUP + plural, configuration.toString());
  }

  private static String message(Http.Answer answer) {
    return answer.body().path("message").asText();
  }

  @Test
  void denial_hasStatusReasonAndMessageOfTheWebhook() {
    hooks.on("/deny", review -> denied(review, "no maps today"));
    assertThat(configure(VALIDATING, "deny", "/deny", "").status()).isEqualTo(201);

    Http.Answer answer = http.configMap("a", "");

    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.body().path("reason").asText()).isEqualTo("Forbidden");
    assertThat(message(answer))
        .isEqualTo("admission webhook \"deny.tests.dev\" denied the request: no maps today");
    assertThat(http.get(MAPS + "/a").status()).isEqualTo(404);
  }

  @Test
  void denialWithoutAStatus_isABadRequestWithoutExplanation() {
    hooks.on("/deny", review -> admission(review, "\"allowed\":false"));
    configure(VALIDATING, "deny", "/deny", "");

    Http.Answer answer = http.configMap("a", "");

    assertThat(answer.status()).isEqualTo(400);
    assertThat(message(answer))
        .isEqualTo("admission webhook \"deny.tests.dev\" denied the request without explanation");
  }

  @Test
  void patch_changesTheStoredObject_andWarningsAreHeaders() {
    hooks.on(
        "/patch",
        review -> patched(review, "[{\"op\":\"add\",\"path\":\"/data\",\"value\":{\"x\":\"1\"}}]"));
    hooks.on("/warn", review -> admission(review, "\"allowed\":true,\"warnings\":[\"look out\"]"));
    configure(MUTATING, "patch", "/patch", "");
    configure(VALIDATING, "warn", "/warn", "");

    Http.Answer answer = http.configMap("a", "");

    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.body().at("/data/x").asText()).isEqualTo("1");
    assertThat(answer.raw().headers().allValues("Warning")).containsExactly("299 - \"look out\"");
    assertThat(http.get(MAPS + "/a").body().at("/data/x").asText()).isEqualTo("1");
    assertThat(answer.body().at("/metadata/managedFields").toString()).doesNotContain("f:data");
    JsonNode validated = hooks.reviews().getLast().path("request");
    assertThat(validated.at("/object/data/x").asText()).isEqualTo("1");
    assertThat(validated.at("/object/metadata/uid").asText())
        .isEqualTo(answer.body().at("/metadata/uid").asText());
  }

  @Test
  void review_hasBothStates_userOptionsAndDryRun() {
    hooks.on("/see", WebhookServer::allowed);
    configure(VALIDATING, "see", "/see", "");
    http.configMap("a", "\"labels\":{\"k\":\"v\"}");
    Http.Answer changed =
        http.merge(MAPS + "/a?dryRun=All&fieldManager=me", "{\"data\":{\"x\":\"1\"}}");

    assertThat(changed.status()).isEqualTo(200);
    JsonNode request = hooks.reviews().getLast().path("request");
    assertThat(hooks.reviews().getLast().path("apiVersion").asText())
        .isEqualTo("admission.k8s.io/v1");
    assertThat(request.path("operation").asText()).isEqualTo("UPDATE");
    assertThat(request.path("dryRun").asBoolean()).isTrue();
    assertThat(request.path("name").asText()).isEqualTo("a");
    assertThat(request.path("namespace").asText()).isEqualTo("default");
    assertThat(request.at("/kind/kind").asText()).isEqualTo("ConfigMap");
    assertThat(request.at("/resource/resource").asText()).isEqualTo("configmaps");
    assertThat(request.at("/object/kind").asText()).isEqualTo("ConfigMap");
    assertThat(request.at("/object/data/x").asText()).isEqualTo("1");
    assertThat(request.at("/oldObject/apiVersion").asText()).isEqualTo("v1");
    assertThat(request.at("/oldObject").has("data")).isFalse();
    assertThat(request.at("/userInfo/username").asText()).isEqualTo("coxswain-admin");
    assertThat(request.at("/options/kind").asText()).isEqualTo("PatchOptions");
    assertThat(request.at("/options/fieldManager").asText()).isEqualTo("me");
    assertThat(http.get(MAPS + "/a").body().has("data")).isFalse();
  }

  @Test
  void deletion_isReviewedWithTheOldState_andCollectionsObjectByObject() {
    http.configMap("a", "");
    http.configMap("b", "");
    hooks.on(
        "/keep",
        review ->
            review.at("/request/name").asText().equals("b")
                ? denied(review, "b stays")
                : allowed(review));
    configure(VALIDATING, "keep", "/keep", "");

    Http.Answer all = http.delete(MAPS);

    assertThat(all.status()).isEqualTo(403);
    assertThat(message(all)).endsWith("denied the request: b stays");
    assertThat(http.get(MAPS + "/a").status()).isEqualTo(404);
    assertThat(http.get(MAPS + "/b").status()).isEqualTo(200);
    // They are sent at the same time and arrive in any order.
    assertThat(hooks.reviews())
        .extracting(review -> review.at("/request/oldObject/metadata/name").asText())
        .containsOnly("a", "b");
    assertThat(hooks.reviews())
        .allSatisfy(review -> {
          JsonNode request = review.path("request");
          assertThat(request.path("operation").asText()).isEqualTo("DELETE");
          assertThat(request.path("object").isNull()).isTrue();
          assertThat(request.path("name")).isEqualTo(request.at("/oldObject/metadata/name"));
        });
  }

  @Test
  void mutatingWebhooks_runInOrderOfTheirConfigurations_andAgainWhenNeeded() {
    AtomicInteger first = new AtomicInteger();
    hooks.on(
        "/first",
        review ->
            patched(
                review,
                "[{\"op\":\"add\",\"path\":\"/metadata/annotations\",\"value\":{\"n\":\"%s\"}}]"
                    .formatted(first.incrementAndGet())));
    hooks.on(
        "/second",
        review -> patched(review, "[{\"op\":\"add\",\"path\":\"/data\",\"value\":{\"x\":\"1\"}}]"));
    configure(MUTATING, "b-second", "/second", "");
    configure(MUTATING, "a-first", "/first", ",\"reinvocationPolicy\":\"IfNeeded\"");

    Http.Answer answer = http.configMap("a", "");

    assertThat(answer.body().at("/metadata/annotations/n").asText()).isEqualTo("2");
    assertThat(hooks.reviews()).hasSize(3);
    assertThat(hooks.reviews().get(1).at("/request/object/metadata/annotations/n").asText())
        .isEqualTo("1");
    assertThat(hooks.reviews().get(2).at("/request/object/data/x").asText()).isEqualTo("1");
  }

  @Test
  void failurePolicy_decidesOnWebhooksThatDoNotAnswer() {
    hooks.on("/broken", review -> "500 oops");
    configure(VALIDATING, "broken", "/broken", "");

    Http.Answer closed = http.configMap("a", "");
    assertThat(closed.status()).isEqualTo(500);
    assertThat(closed.body().path("reason").asText()).isEqualTo("InternalError");
    assertThat(message(closed))
        .isEqualTo(
            "Internal error occurred: failed calling webhook \"broken.tests.dev\": failed to call webhook: "
                + "an error on the server (\"oops\") has prevented the request from succeeding");

    http.delete(GROUP + "validatingwebhookconfigurations/broken");
    configure(VALIDATING, "broken", "/broken", ",\"failurePolicy\":\"Ignore\"");
    assertThat(http.configMap("a", "").status()).isEqualTo(201);
  }

  @Test
  void slowWebhook_endsAfterItsTimeout_whileTheServerAnswersOthers() {
    CountDownLatch released = new CountDownLatch(1);
    hooks.on(
        "/slow",
        review -> {
          try {
            released.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return allowed(review);
        });
    configure(VALIDATING, "slow", "/slow", ",\"timeoutSeconds\":1");
    try {
      Http.Answer answer = http.configMap("a", "");
      assertThat(message(answer))
          .isEqualTo(
              "Internal error occurred: failed calling webhook \"slow.tests.dev\": failed to call webhook: "
                  + "Post \"%s?timeout=1s\": context deadline exceeded"
                      .formatted(hooks.url("/slow")));
    } finally {
      released.countDown();
    }
  }

  @Test
  void untrustedCertificatesServicesAndWrongUids_areFailuresOfTheCall() {
    hooks.on("/uid", review -> allowed(review).replaceAll("\"uid\":\"[^\"]*\"", "\"uid\":\"x\""));
    ObjectNode service = hooks.configuration(VALIDATING, "service", "/uid", "");
    service
        .withObject("/webhooks/0/clientConfig")
        .removeAll()
        .putObject("service")
        .put("name", "hook")
        .put("namespace", "default");
    install(service);
    assertThat(message(http.configMap("a", "")))
        .endsWith(
            "failed to call webhook: Post \"https://hook.default.svc:443?timeout=10s\": service \"hook\" not found");
    http.delete(GROUP + "validatingwebhookconfigurations/service");

    configure(VALIDATING, "uid", "/uid", "");
    assertThat(message(http.configMap("a", "")))
        .contains("received invalid webhook response: expected response.uid=");
    http.delete(GROUP + "validatingwebhookconfigurations/uid");

    ObjectNode untrusted = hooks.configuration(VALIDATING, "untrusted", "/uid", "");
    untrusted.withObject("/webhooks/0/clientConfig").remove("caBundle");
    install(untrusted);
    assertThat(message(http.configMap("a", "")))
        .contains("failed to call webhook: Post", "tls: failed to verify certificate: x509");
    assertThat(http.delete(GROUP + "validatingwebhookconfigurations/untrusted").status())
        .isEqualTo(200);
  }

  @Test
  void selectorsAndConditions_excludeObjects() {
    hooks.on("/deny", review -> denied(review, "no"));
    configure(
        VALIDATING,
        "deny",
        "/deny",
        """
        ,"objectSelector":{"matchLabels":{"guard":"on"}},
        "namespaceSelector":{"matchExpressions":[{"key":"open","operator":"DoesNotExist"}]},
        "matchConditions":[{"name":"named","expression":"object == null || object.metadata.name != 'free'"}]
        """);

    assertThat(http.configMap("a", "").status()).isEqualTo(201);
    assertThat(http.configMap("free", "\"labels\":{\"guard\":\"on\"}").status()).isEqualTo(201);
    assertThat(http.configMap("b", "\"labels\":{\"guard\":\"on\"}").status()).isEqualTo(403);
    http.merge("/api/v1/namespaces/default", "{\"metadata\":{\"labels\":{\"open\":\"\"}}}");
    assertThat(http.configMap("b", "\"labels\":{\"guard\":\"on\"}").status()).isEqualTo(201);
    http.merge("/api/v1/namespaces/default", "{\"metadata\":{\"labels\":{\"open\":null}}}");
  }

  @Test
  void rules_distinguishSubresources() {
    server.apply(
        """
        apiVersion: apps/v1
        kind: Deployment
        metadata: {name: web}
        spec:
          selector: {matchLabels: {a: b}}
          template:
            metadata: {labels: {a: b}}
            spec: {containers: [{name: c, image: i}]}
        """);
    hooks.on("/deny", review -> denied(review, "no"));
    ObjectNode scale = hooks.configuration(VALIDATING, "scale", "/deny", "");
    ObjectNode rule = scale.withObject("/webhooks/0/rules/0");
    rule.putArray("apiGroups").add("apps");
    rule.putArray("resources").add("*/scale");
    install(scale);
    String web = "/apis/apps/v1/namespaces/default/deployments/web";

    assertThat(http.merge(web, "{\"spec\":{\"replicas\":2}}").status()).isEqualTo(200);
    assertThat(http.merge(web + "/scale", "{\"spec\":{\"replicas\":3}}").status()).isEqualTo(403);
    JsonNode request = hooks.reviews().getLast().path("request");
    assertThat(request.path("subResource").asText()).isEqualTo("scale");
    assertThat(request.at("/kind/kind").asText()).isEqualTo("Scale");
    assertThat(request.at("/object/spec/replicas").asInt()).isEqualTo(3);
    assertThat(http.get(web).body().at("/spec/replicas").asInt()).isEqualTo(2);
  }

  @Test
  void webhookConfigurations_areNeverReviewed() {
    hooks.on("/deny", review -> denied(review, "no"));
    ObjectNode all = hooks.configuration(VALIDATING, "all", "/deny", "");
    ObjectNode rule = all.withObject("/webhooks/0/rules/0");
    List.of("apiGroups", "apiVersions", "resources").forEach(f -> rule.putArray(f).add("*"));
    install(all);

    assertThat(http.configMap("a", "").status()).isEqualTo(403);
    assertThat(http.delete(GROUP + "validatingwebhookconfigurations/all").status()).isEqualTo(200);
  }

  @Test
  void aWriteMeanwhile_makesAPatchStartAgain_andAnUpdateFail() {
    http.configMap("a", "");
    String version = http.get(MAPS + "/a").body().at("/metadata/resourceVersion").asText();
    AtomicInteger calls = new AtomicInteger();
    hooks.on(
        "/race",
        review -> {
          if (calls.getAndIncrement() == 0) {
            http.merge(MAPS + "/a", "{\"data\":{\"other\":\"1\"}}");
          }
          return allowed(review);
        });
    configure(VALIDATING, "race", "/race", "");

    assertThat(http.merge(MAPS + "/a", "{\"data\":{\"mine\":\"1\"}}").status()).isEqualTo(200);
    assertThat(http.get(MAPS + "/a").body().path("data").toString())
        .isEqualTo("{\"other\":\"1\",\"mine\":\"1\"}");
    Http.Answer late =
        http.call(
            "PUT",
            MAPS + "/a",
            "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"%s\"}}".formatted(version),
            "application/json");
    assertThat(late.status()).isEqualTo(409);
  }

  @Test
  void wrongConfigurations_areRefusedWithTheirCauses() {
    Http.Answer answer =
        install(
            hooks.configuration(
                VALIDATING,
                "wrong",
                "/x",
                """
                ,"timeoutSeconds":31,
                "matchConditions":[{"name":"a","expression":"authorizer.path('/x').check('get').allowed()"}]
                """));

    assertThat(answer.status()).isEqualTo(422);
    assertThat(message(answer))
        .contains("webhooks[0].timeoutSeconds: Invalid value: 31: the timeout value must be")
        .contains("webhooks[0].matchConditions[0].expression: Invalid value");
    ObjectNode plain = hooks.configuration(VALIDATING, "plain", "/x", "");
    plain.withObject("/webhooks/0/clientConfig").put("url", "http://127.0.0.1/x");
    assertThat(message(install(plain))).contains("'https' is the only allowed URL scheme");
  }
}
