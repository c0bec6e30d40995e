// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.apiserver;

import static dev.coxswain.apiserver.WebhookServer.allowed;
import static dev.coxswain.apiserver.WebhookServer.patched;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Objects are stored in one version and converted by a webhook for every other one. Version v1 has
 * {@code spec.size}, version v2 has {@code spec.replicas}.
 */
final class ConversionWebhooksTest {
  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  private static final String V1 = "/apis/tests.dev/v1/namespaces/default/boxes";
  private static final String V2 = "/apis/tests.dev/v2/namespaces/default/boxes";

  @TempDir private static Path folder;
  @RegisterExtension private static final ClassServer OWN = new ClassServer();
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

  @BeforeEach
  void define() throws Exception {
    hooks.on("/convert", review -> WebhookServer.converted(review, ConversionWebhooksTest::rename));
    assertThat(http.post(DEFINITIONS, definition("v1", hooks.bundle())).status()).isEqualTo(201);
    Http.await("served", () -> http.get(V1).status() == 200);
  }

  @AfterEach
  void clean() throws Exception {
    http.delete("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations");
    http.delete(DEFINITIONS + "/boxes.tests.dev");
    Http.await("gone", () -> http.get(DEFINITIONS + "/boxes.tests.dev").status() == 404);
    hooks.forget();
  }

  private static String definition(String storage, String bundle) {
    String version =
        """
        {"name":"%s","served":true,"storage":%s,"subresources":{"status":{}},
         "schema":{"openAPIV3Schema":{"type":"object","properties":{
           "spec":{"type":"object","properties":{"%s":{"type":"integer"}}},
           "status":{"type":"object","properties":{"ok":{"type":"boolean"}}}}}}}
        """;
    return """
    {"metadata":{"name":"boxes.tests.dev"},"spec":{"group":"tests.dev","scope":"Namespaced",
     "names":{"plural":"boxes","kind":"Box"},"versions":[%s,%s],
     "conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],
       "clientConfig":{"url":"%s","caBundle":"%s"}}}}}
    """
        .formatted(
            version.formatted("v1", storage.equals("v1"), "size"),
            version.formatted("v2", storage.equals("v2"), "replicas"),
            hooks.url("/convert"),
            bundle);
  }

  private static ObjectNode rename(ObjectNode object) {
    ObjectNode spec = object.withObject("/spec");
    boolean toNew = spec.has("size");
    JsonNode value = spec.remove(toNew ? "size" : "replicas");
    if (value != null) {
      spec.set(toNew ? "replicas" : "size", value);
    }
    return object;
  }

  private static Http.Answer create(String path, String version, String name, String spec) {
    return http.post(
        path,
        "{\"apiVersion\":\"tests.dev/%s\",\"kind\":\"Box\",\"metadata\":{\"name\":\"%s\"},\"spec\":%s}"
            .formatted(version, name, spec));
  }

  @Test
  void aWriteInAnotherVersion_isStoredConverted_andAnsweredInItsOwn() {
    Http.Answer created = create(V2, "v2", "a", "{\"replicas\":3}");

    assertThat(created.status()).isEqualTo(201);
    assertThat(created.body().path("apiVersion").asText()).isEqualTo("tests.dev/v2");
    assertThat(created.body().at("/spec/replicas").asInt()).isEqualTo(3);
    hooks.forget();
    assertThat(http.get(V1 + "/a").body().at("/spec/size").asInt()).isEqualTo(3);
    assertThat(hooks.reviews()).isEmpty(); // it is the stored version
    Http.Answer read = http.get(V2 + "/a");
    assertThat(read.body().at("/spec").toString()).isEqualTo("{\"replicas\":3}");
    assertThat(read.body().at("/metadata/resourceVersion"))
        .isEqualTo(created.body().at("/metadata/resourceVersion"));
  }

  @Test
  void patchesAndStatusWrites_seeTheObjectInTheirVersion() {
    create(V1, "v1", "a", "{\"size\":1}");

    assertThat(http.merge(V2 + "/a", "{\"spec\":{\"replicas\":5}}").body().at("/spec/replicas"))
        .hasToString("5");
    assertThat(http.merge(V2 + "/a/status", "{\"status\":{\"ok\":true}}").status()).isEqualTo(200);
    JsonNode stored = http.get(V1 + "/a").body();
    assertThat(stored.at("/spec/size").asInt()).isEqualTo(5);
    assertThat(stored.at("/status/ok").asBoolean()).isTrue();
    assertThat(stored.at("/metadata/generation").asInt()).isEqualTo(2);
    String version = stored.at("/metadata/resourceVersion").asText();
    Http.Answer same = http.merge(V2 + "/a", "{\"spec\":{\"replicas\":5}}");
    assertThat(same.body().at("/metadata/resourceVersion").asText()).isEqualTo(version);
    assertThat(http.delete(V2 + "/a").status()).isEqualTo(200);
    assertThat(http.get(V1 + "/a").status()).isEqualTo(404);
  }

  @Test
  void lists_areConvertedInBatches() {
    for (int i = 0; i < 120; i++) {
      create(V1, "v1", "b" + i, "{\"size\":%s}".formatted(i));
    }
    hooks.forget();

    JsonNode items = http.get(V2).body().path("items");

    assertThat(items).hasSize(120).allMatch(item -> item.at("/spec/replicas").isInt());
    assertThat(hooks.reviews()).hasSize(2);
    assertThat(hooks.reviews().getFirst().at("/request/objects")).hasSize(100);
  }

  @Test
  void watches_deliverConvertedEventsInOrder() throws Exception {
    create(V1, "v1", "a", "{\"size\":1}");
    try (Http.Watch watch = http.watch(V2 + "?watch=true")) {
      assertThat(watch.next().at("/object/spec/replicas").asInt()).isEqualTo(1);
      for (int i = 2; i <= 20; i++) {
        http.merge(V1 + "/a", "{\"spec\":{\"size\":%s}}".formatted(i));
      }
      http.delete(V1 + "/a");
      for (int i = 2; i <= 20; i++) {
        JsonNode event = watch.next();
        assertThat(event.path("type").asText()).isEqualTo("MODIFIED");
        assertThat(event.at("/object/apiVersion").asText()).isEqualTo("tests.dev/v2");
        assertThat(event.at("/object/spec/replicas").asInt()).isEqualTo(i);
      }
      assertThat(watch.next().path("type").asText()).isEqualTo("DELETED");
    }
  }

  @Test
  void aFailedConversion_failsTheRequestAndEndsTheWatch() throws Exception {
    create(V1, "v1", "a", "{\"size\":1}");
    hooks.on(
        "/convert",
        review ->
            """
            {"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","response":{"uid":"%s",
             "result":{"status":"Failed","message":"too big"}}}
            """
                .formatted(review.at("/request/uid").asText()));

    Http.Answer write = create(V2, "v2", "b", "{\"replicas\":3}");
    Http.Answer list = http.get(V2);

    assertThat(write.status()).isEqualTo(500);
    assertThat(write.body().path("message").asText())
        .isEqualTo("conversion webhook for tests.dev/v2, Kind=Box failed: too big");
    assertThat(list.body().path("message").asText())
        .isEqualTo("conversion webhook for tests.dev/v1, Kind=BoxList failed: too big");
    assertThat(http.get(V1 + "/b").status()).isEqualTo(404);
    try (Http.Watch watch = http.watch(V2 + "?watch=true")) {
      JsonNode event = watch.next();
      assertThat(event.path("type").asText()).isEqualTo("ERROR");
      assertThat(event.at("/object/message").asText()).contains("failed: too big");
      assertThat(watch.ends()).isTrue();
    }
  }

  @Test
  void aConversionThatChangesTheIdentity_isRefused() {
    create(V1, "v1", "a", "{\"size\":1}");
    hooks.on(
        "/convert",
        review ->
            WebhookServer.converted(
                review,
                object -> {
                  object.withObject("/metadata").put("name", "other");
                  return object;
                }));

    assertThat(http.get(V2 + "/a").body().path("message").asText())
        .isEqualTo(
            "conversion webhook for tests.dev/v1, Kind=Box returned invalid converted object at index 0: "
                + "must have the same name: a != other");
  }

  @Test
  void anotherStoredVersion_convertsWhatIsStored() throws Exception {
    create(V1, "v1", "a", "{\"size\":4}");
    ObjectNode changed =
        (ObjectNode) WebhookServer.MAPPER.readTree(definition("v2", hooks.bundle()));
    JsonNode before = http.get(DEFINITIONS + "/boxes.tests.dev").body();
    changed.withObject("/metadata").set("resourceVersion", before.at("/metadata/resourceVersion"));
    Http.Answer put =
        http.call("PUT", DEFINITIONS + "/boxes.tests.dev", changed.toString(), "application/json");
    assertThat(put.status()).isEqualTo(200);

    Http.await(
        "converted",
        () -> {
          hooks.forget();
          boolean right = http.get(V2 + "/a").body().at("/spec/replicas").asInt() == 4;
          return right && hooks.reviews().isEmpty();
        });
    assertThat(http.get(V1 + "/a").body().at("/spec/size").asInt()).isEqualTo(4);
  }

  @Test
  void admissionWebhooks_receiveTheVersionOfTheirRule() {
    hooks.on(
        "/patch",
        review ->
            review.at("/request/object/spec/replicas").isMissingNode()
                ? allowed(review)
                : patched(
                    review, "[{\"op\":\"replace\",\"path\":\"/spec/replicas\",\"value\":9}]"));
    ObjectNode configuration =
        hooks.configuration("MutatingWebhookConfiguration", "patch", "/patch", "");
    ObjectNode rule = configuration.withObject("/webhooks/0/rules/0");
    rule.putArray("apiGroups").add("tests.dev");
    rule.putArray("apiVersions").add("v2");
    rule.putArray("resources").add("boxes");
    http.post(
        "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
        configuration.toString());

    assertThat(create(V1, "v1", "a", "{\"size\":1}").body().at("/spec/size").asInt()).isEqualTo(9);
  }
}
