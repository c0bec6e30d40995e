// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.k8s.integration;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.client.Unstructured;
import dev.coxswain.k8s.object.StatusConditions;
import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.Finalizers;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.k8s.resource.OwnerReferences;
import dev.coxswain.k8s.resource.Resource;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.reconcile.Request;
import dev.coxswain.spi.Clock;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * A class that is older than the definition, or that has only some of its fields, changes what it has:
 * the rest stays, also inside the elements of lists.
 */
// Reflection reads the fields; each object here has a spec and a status.
@SuppressWarnings({"UnusedVariable", "NullAway"})
class TypedChangesTest {

  private static final EmbeddedApiServer server =
      EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  private static final Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT);

  @BeforeAll
  static void start() {
    server.apply(Widget.DEFINITION);
  }

  @AfterAll
  static void stop() {
    k8s.close();
    server.close();
  }

  private final Resource<Old> old = k8s.resource(Old.class);
  private final Resource<Unstructured> trees =
      k8s.resource(ResourceType.unstructured("test.coxswain.dev", "v1", "widgets", "Widget", true));

  /** A view of a widget. */
  @KubernetesResource(
      group = "test.coxswain.dev",
      version = "v1",
      plural = "widgets",
      kind = "Widget")
  private static final class Old extends CustomObject {
    @Nullable Spec spec;
    @Nullable Status status;

    private static final class Spec {
      int size;
      List<Part> parts = new ArrayList<>();
    }

    private static final class Part {
      @Nullable String name;
      int weight;
    }

    private static final class Status {
      List<V1Condition> conditions = new ArrayList<>();
    }
  }

  private Request stored(TestInfo test) {
    Request key =
        Request.of(
            "default",
            test.getTestMethod()
                .orElseThrow()
                .getName()
                .toLowerCase(Locale.ROOT)
                .replace('_', '-'));
    JsonObject json =
        JsonParser.parseString(
                """
                {"metadata":{"namespace":"default","name":"%s"},
                 "spec":{"size":1,"parts":[{"name":"x","weight":1,"newer":{"a":[1]}},{"name":"y","weight":1}]},
                 "status":{"conditions":[
                   {"type":"Theirs","status":"True","lastTransitionTime":"2026-01-01T00:00:00Z","severity":"high"},
                   {"type":"Ours","status":"False","lastTransitionTime":"2026-01-01T00:00:00Z"}]}}
                """
                    .formatted(key.name()))
            .getAsJsonObject();
    trees.create(Unstructured.of(json.deepCopy()));
    trees.modifyStatusJson(key, tree -> tree.add("status", json.get("status")));
    return key;
  }

  private String text(Request key, String part) {
    return trees.get(key).orElseThrow().json().get(part).toString();
  }

  @Test
  void modify_ofAnotherElement_keepsUnknownFields(TestInfo test) {
    Request key = stored(test);

    old.modify(key, widget -> widget.spec.parts.get(1).weight = 2);

    assertThat(text(key, "spec"))
        .isEqualTo(
            "{\"size\":1,\"parts\":[{\"name\":\"x\",\"weight\":1,\"newer\":{\"a\":[1]}},"
                + "{\"name\":\"y\",\"weight\":2}]}");
  }

  @Test
  void createOrPatch_removesAnElementWithItsUnknownFields(TestInfo test) {
    Request key = stored(test);

    old.createOrPatch(key, Old::new, widget -> widget.spec.parts.removeFirst());

    assertThat(text(key, "spec"))
        .isEqualTo("{\"size\":1,\"parts\":[{\"name\":\"y\",\"weight\":1}]}");
  }

  @Test
  void modifyStatus_keepsTheFieldsOfAnotherControllersCondition(TestInfo test) {
    Request key = stored(test);

    old.modifyStatus(
        key,
        widget ->
            widget.status.conditions =
                StatusConditions.with(
                    widget.status.conditions,
                    new V1Condition().type("Ours").status("True").reason("Done"),
                    Clock.system()));

    assertThat(text(key, "status"))
        .contains("\"severity\":\"high\"", "\"type\":\"Ours\",\"status\":\"True\"");
  }

  @Test
  void createOrPatchWithStatus_keepsUnknownFieldsOfBoth(TestInfo test) {
    Request key = stored(test);

    old.createOrPatchWithStatus(
        key,
        Old::new,
        widget -> {
          widget.spec.parts.getFirst().weight = 3;
          widget.status.conditions.get(1).setStatus("True");
        });

    assertThat(text(key, "spec")).contains("{\"name\":\"x\",\"weight\":3,\"newer\":{\"a\":[1]}}");
    assertThat(text(key, "status")).contains("severity", "\"type\":\"Ours\",\"status\":\"True\"");
  }

  @Test
  void aChangeThatChangesNothing_writesNothing(TestInfo test) {
    Request key = stored(test);
    String before = trees.get(key).orElseThrow().json().toString();

    old.modify(key, widget -> widget.spec.parts = new ArrayList<>(widget.spec.parts));
    old.modifyStatus(key, widget -> widget.status.conditions.getFirst().setStatus("True"));
    old.createOrPatchWithStatus(key, Old::new, widget -> {});

    assertThat(trees.get(key).orElseThrow().json().toString()).isEqualTo(before);
  }

  @Test
  void finalizersAndOwners_leaveTheRestOfTheMetadata(TestInfo test) {
    Request key = stored(test);
    JsonObject before = trees.get(key).orElseThrow().json();

    Finalizers.add(trees, key, "test.coxswain.dev/a");
    Finalizers.remove(trees, key, "test.coxswain.dev/a");

    JsonObject after = trees.get(key).orElseThrow().json();
    assertThat(after.get("spec")).isEqualTo(before.get("spec"));
    JsonObject owned =
        JsonParser.parseString(
                "{\"metadata\":{\"namespace\":\"default\",\"name\":\"x\",\"newer\":1,\"ownerReferences\":["
                    + "{\"apiVersion\":\"v1\",\"kind\":\"A\",\"name\":\"a\",\"uid\":\"1\",\"newer\":2}]}}")
            .getAsJsonObject();
    Old owner = new Old();
    owner.setMetadata(new V1ObjectMeta().namespace("default").name("o").uid("2"));
    OwnerReferences.setController(ResourceType.of(Old.class), owner, owned);
    assertThat(owned.toString()).contains("\"newer\":1", "\"newer\":2", "\"uid\":\"2\"");
  }
}
