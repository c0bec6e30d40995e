// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Objects are converted between the versions that have classes, and lose nothing on the way. */
@SuppressWarnings("SameNameButDifferent") // three types, each with a Spec
final class ConversionWebhooksTest extends ReviewSupport {

  /** A definition that is newer than both classes. */
  @Test
  void conversion_keepsMembersThatNeitherClassHas() throws Exception {
    ConversionWebhook webhook =
        new Webhooks("boxes")
            .converting(
                OldShelf.class,
                NewShelf.class,
                shelf -> {
                  NewShelf made = new NewShelf();
                  made.spec =
                      new NewShelf.Spec(
                          shelf.spec.boxes.stream()
                              .filter(box -> box.size() > 0)
                              .map(box -> new NewShelf.Item(box.name(), box.size(), null))
                              .toList(),
                          null);
                  return made;
                },
                shelf -> new OldShelf())
            .conversion()
            .getFirst();
    JsonObject response =
        reviewed(
            webhook,
            json(
                """
                {"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u2",
                 "desiredAPIVersion":"tests.dev/v2","objects":[{"apiVersion":"tests.dev/v1","kind":"Shelf",
                   "metadata":{"name":"a"},"extra":1,"spec":{"newer":{"x":null},"onlyNew":"text",
                   "boxes":[{"name":"gone","size":0,"y":0},{"name":"kept","size":1,"y":1,"depth":"far"}]}}]}}
                """));

    assertThat(response.getAsJsonArray("convertedObjects").get(0))
        .isEqualTo(
            json(
                """
                {"apiVersion":"tests.dev/v2","kind":"Shelf","metadata":{"name":"a"},"extra":1,
                 "spec":{"newer":{"x":null},"boxes":[{"name":"kept","count":1,"y":1}]}}
                """));
  }

  @KubernetesResource(group = "tests.dev", version = "v1", plural = "shelves", kind = "Shelf")
  private static final class OldShelf extends CustomObject {
    private Spec spec = new Spec(List.of());

    private record Spec(List<Box> boxes) {}

    private record Box(String name, int size) {}
  }

  /** Has fields that the old class does not have: an absent one is its conversion's decision. */
  @KubernetesResource(group = "tests.dev", version = "v2", plural = "shelves", kind = "Shelf")
  private static final class NewShelf extends CustomObject {
    private @Nullable Spec spec;

    private record Spec(List<Item> boxes, @Nullable Integer onlyNew) {}

    private record Item(String name, int count, @Nullable Integer depth) {}
  }

  @Test
  void conversion_goesOverDeclaredVersions_andKeepsTheMetadata() throws Exception {
    ConversionWebhook webhook =
        new Webhooks("boxes")
            .converting(
                OldBox.class,
                NewBox.class,
                ConversionWebhooksTest::upgrade,
                ConversionWebhooksTest::downgrade)
            .converting(
                NewBox.class,
                LastBox.class,
                box -> {
                  LastBox last = new LastBox();
                  last.count = box.spec == null ? 0 : box.spec.replicas();
                  return last;
                },
                box -> {
                  NewBox made = new NewBox();
                  made.spec = new NewBox.Spec(box.count, null);
                  return made;
                })
            .conversion()
            .getFirst();
    String review =
        """
        {"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{"uid":"u2",
         "desiredAPIVersion":"%s","objects":[{"apiVersion":"%s","kind":"Box",
           "metadata":{"name":"a","uid":"x","labels":{"l":"1"}},%s}]}}
        """;

    JsonObject up =
        reviewed(webhook, json(review.formatted("tests.dev/v3", "tests.dev/v1", "\"size\":4")));
    JsonObject down =
        reviewed(webhook, json(review.formatted("tests.dev/v1", "tests.dev/v3", "\"count\":5")));
    JsonObject unknown =
        reviewed(webhook, json(review.formatted("tests.dev/v9", "tests.dev/v1", "\"size\":4")));

    assertThat(up.getAsJsonObject("result").get("status").getAsString()).isEqualTo("Success");
    assertThat(up.getAsJsonArray("convertedObjects").get(0))
        .isEqualTo(
            json(
                """
                {"apiVersion":"tests.dev/v3","kind":"Box","count":4,
                 "metadata":{"name":"a","uid":"x","labels":{"l":"1"}}}
                """));
    assertThat(down.getAsJsonArray("convertedObjects").toString()).contains("\"size\":5");
    assertThat(unknown.getAsJsonObject("result").get("message").getAsString())
        .isEqualTo("no conversion from tests.dev/v1 to tests.dev/v9");
  }

  private static NewBox upgrade(OldBox box) {
    NewBox made = new NewBox();
    made.spec = new NewBox.Spec(box.size, null);
    return made;
  }

  private static OldBox downgrade(NewBox box) {
    OldBox made = new OldBox();
    made.size = box.spec == null ? 0 : box.spec.replicas();
    return made;
  }

  @KubernetesResource(group = "tests.dev", version = "v1", plural = "boxes", kind = "Box")
  private static final class OldBox extends CustomObject {
    private int size;
  }

  @KubernetesResource(group = "tests.dev", version = "v3", plural = "boxes", kind = "Box")
  private static final class LastBox extends CustomObject {
    private int count;
  }
}
