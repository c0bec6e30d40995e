// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;

/** Metadata of a converted object: what an author sets, and what is kept. */
class ConversionMetadataTest {

  private static final Vertx vertx = Vertx.vertx();

  @AfterAll
  static void close() {
    vertx.close();
  }

  /** An annotation is where a field goes that the other version does not have; labels were lost with it. */
  @Test
  void newMetadataWithAnAnnotation_keepsLabelsAndTheOtherAnnotations() throws Exception {
    assertThat(
            converted(old -> {
              NewCan made = new NewCan();
              made.setMetadata(new V1ObjectMeta().putAnnotationsItem("lid", "red"));
              return made;
            }))
        .isEqualTo(
            JsonParser.parseString(
                """
                {"name": "a", "uid": "x", "labels": {"l": "1"}, "annotations": {"other": "2", "lid": "red"}}
                """));
  }

  @Test
  void metadataOfTheOriginal_withoutItsLabels_hasNone() throws Exception {
    assertThat(
            converted(old -> {
              NewCan made = new NewCan();
              made.setMetadata(old.getMetadata().labels(null).annotations(Map.of("lid", "red")));
              return made;
            }))
        .isEqualTo(
            JsonParser.parseString(
                """
                {"name": "a", "uid": "x", "annotations": {"lid": "red"}}
                """));
  }

  /** An object that is created with a generated name is converted before it has one. */
  @Test
  void metadataOfAnOriginalWithoutAName_withoutItsLabels_hasNone() throws Exception {
    assertThat(
            converted(
                """
                {"generateName": "a-", "labels": {"l": "1"}, "annotations": {"other": "2"}}
                """,
                old -> {
                  NewCan made = new NewCan();
                  made.setMetadata(
                      old.getMetadata().labels(null).annotations(Map.of("lid", "red")));
                  return made;
                }))
        .isEqualTo(
            JsonParser.parseString(
                """
                {"generateName": "a-", "annotations": {"lid": "red"}}
                """));
  }

  @Test
  void newMetadataWithTheName_keepsLabelsAndAnnotations() throws Exception {
    assertThat(
            converted(old -> {
              NewCan made = new NewCan();
              made.setMetadata(new V1ObjectMeta().name(old.getMetadata().getName()));
              return made;
            }))
        .isEqualTo(
            JsonParser.parseString(
                """
                {"name": "a", "uid": "x", "labels": {"l": "1"}, "annotations": {"other": "2"}}
                """));
  }

  private static JsonObject converted(Function<OldCan, NewCan> up) throws Exception {
    return converted(
        """
        {"name": "a", "uid": "x", "labels": {"l": "1"}, "annotations": {"other": "2"}}
        """,
        up);
  }

  private static JsonObject converted(String metadata, Function<OldCan, NewCan> up)
      throws Exception {
    ConversionWebhook webhook =
        new Webhooks("cans")
            .converting(OldCan.class, NewCan.class, up, can -> new OldCan())
            .conversion()
            .getFirst();
    String review =
        """
        {"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview", "request": {"uid": "u",
         "desiredAPIVersion": "tests.dev/v2", "objects": [{"apiVersion": "tests.dev/v1", "kind": "Can",
          "metadata": METADATA}]}}
        """
            .replace("METADATA", metadata);
    Promise<JsonObject> response = Promise.promise();
    vertx.runOnContext(
        _ -> webhook.review(JsonParser.parseString(review).getAsJsonObject()).onComplete(response));
    return response
        .future()
        .toCompletionStage()
        .toCompletableFuture()
        .get(30, TimeUnit.SECONDS)
        .getAsJsonObject("response")
        .getAsJsonArray("convertedObjects")
        .get(0)
        .getAsJsonObject()
        .getAsJsonObject("metadata");
  }

  @KubernetesResource(group = "tests.dev", version = "v1", plural = "cans", kind = "Can")
  private static final class OldCan extends CustomObject {}

  @KubernetesResource(group = "tests.dev", version = "v2", plural = "cans", kind = "Can")
  private static final class NewCan extends CustomObject {}
}
