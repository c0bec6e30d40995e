// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.crd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.apiserver.DefinitionCheck;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.k8s.Kubernetes;
import dev.coxswain.k8s.client.KubernetesOptions;
import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.k8s.schema.CustomResource;
import dev.coxswain.k8s.schema.PrinterColumn;
import dev.coxswain.k8s.schema.Schema;
import dev.coxswain.reconcile.Request;
import io.kubernetes.client.openapi.models.V1Condition;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CustomResourceDefinitionsTest {

  private static final String VALID =
      """
      apiVersion: test.coxswain.dev/v1
      kind: Garden
      metadata: {name: rose, namespace: default}
      spec: {name: rose, seeds: 100}
      """;

  @Test
  void eachType_hasItsSchema() {
    JsonObject spec = properties(schema(Garden.class), "spec");
    assertThat(properties(spec, "seeds")).isEqualTo(json("{type: integer, format: int64}"));
    assertThat(properties(spec, "soil"))
        .isEqualTo(json("{type: string, enum: [CLAY, Loose-Sand], default: CLAY}"));
    assertThat(properties(spec, "beds"))
        .isEqualTo(
            json(
                "{type: integer, format: int32, description: How many., minimum: 1, maximum: 40,"
                    + " default: 3}"));
    assertThat(properties(spec, "tools"))
        .isEqualTo(
            json(
                "{type: object, additionalProperties: {type: object, properties: {sharp: {type:"
                    + " boolean}, photo: {type: string, format: byte}}}}"));
    assertThat(properties(spec, "gate").get("x-kubernetes-int-or-string").getAsBoolean()).isTrue();
    assertThat(properties(spec, "extra"))
        .isEqualTo(json("{x-kubernetes-preserve-unknown-fields: true}"));
    assertThat(properties(schema(Garden.class), "notWritten")).isNull();
    // A model of the official client: all that a pod has, with the names of Kubernetes.
    assertThat(properties(properties(spec, "shed"), "spec").getAsJsonObject("properties").keySet())
        .contains("containers", "hostPID", "tolerations");
  }

  @Test
  void namesColumnsAndSubresources_areThoseOfTheAnnotations() {
    JsonObject spec = CustomResourceDefinitions.of(Garden.class).getAsJsonObject("spec");
    assertThat(spec.get("names"))
        .isEqualTo(
            json(
                "{kind: Garden, listKind: GardenList, plural: gardens, singular: garden,"
                    + " shortNames: [gd], categories: [all]}"));
    JsonObject version = spec.getAsJsonArray("versions").get(0).getAsJsonObject();
    assertThat(version.get("additionalPrinterColumns"))
        .isEqualTo(
            JsonParser.parseString(
                "[{name: Beds, type: integer, jsonPath: .spec.beds},"
                    + "{name: Watered, type: date, jsonPath: .status.watered, priority: 1},"
                    + "{name: Age, type: date, jsonPath: .metadata.creationTimestamp}]"));
    assertThat(version.get("subresources"))
        .isEqualTo(
            json(
                "{status: {}, scale: {specReplicasPath: .spec.beds, statusReplicasPath:"
                    + " .status.beds}}"));
  }

  @Test
  void theServer_fillsInTheDefaults_andTheClassReadsThem() {
    try (EmbeddedApiServer server = server()) {
      server.apply(VALID);
      try (Kubernetes k8s = Kubernetes.at(server.url(), KubernetesOptions.DEFAULT)) {
        Garden found = k8s.resource(Garden.class).get(Request.of("default", "rose")).orElseThrow();
        Garden.Spec spec = Objects.requireNonNull(found.spec);
        assertThat(spec.beds()).isEqualTo(3);
        assertThat(spec.soil()).isEqualTo(Garden.Soil.CLAY);
        assertThat(spec.needs()).containsExactly("sun");
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          seeds: 100}             | seeds: 100, beds: 0}                 | spec.beds
          seeds: 100}             | seeds: 100, beds: 41}                | spec.beds
          seeds: 100}             | seeds: 100, depth: 0.4}              | spec.depth
          name: rose, seeds       | name: Rose, seeds                    | spec.name
          name: rose, seeds       | name: r, seeds                       | spec.name
          name: rose, seeds       | seeds                                | spec.name
          seeds: 100}             | seeds: 100, soil: SAND}              | spec.soil
          seeds: 100}             | seeds: 100, side: west}              | spec.side
          seeds: 100}             | seeds: 100, needs: [a, b, c]}        | spec.needs
          seeds: 100}             | seeds: 5}                            | each bed needs two seeds
          seeds: 100}             | seeds: 100, tools: {hoe: {sharp: 1}}} | spec.tools
          """)
  void theServer_rejectsWhatAnAnnotationForbids(String valid, String invalid, String named) {
    try (EmbeddedApiServer server = server()) {
      assertThatThrownBy(() -> server.apply(VALID.replace(valid, invalid)))
          .hasMessageContaining(named);
    }
  }

  @KubernetesResource(group = "test.coxswain.dev", version = "v1", plural = "keyed", kind = "Keyed")
  static final class Keyed extends CustomObject {
    @Nullable Status status;

    record Status(
        @Schema(listMapKeys = "type") List<V1Condition> conditions,
        @Schema(listMapKeys = {"containerPort", "protocol"}) List<V1ContainerPort> ports,
        @Schema(listMapKeys = {"zone", "row"}) List<Bed> beds,
        List<V1Condition> unkeyed) {}

    record Bed(
        @Schema(required = true) String zone, @Schema(defaultValue = "1") int row, int size) {}
  }

  /** Each API server refused them: keys that may be absent identify nothing. */
  @Test
  void keysOfLists_areRequiredInTheirItems_alsoInModels_unlessTheyHaveADefault() {
    JsonObject status = properties(schema(Keyed.class), "status");
    assertThat(properties(status, "conditions").getAsJsonObject("items").get("required").toString())
        .isEqualTo("[\"type\"]");
    assertThat(properties(status, "ports").getAsJsonObject("items").get("required").toString())
        .isEqualTo("[\"containerPort\",\"protocol\"]");
    assertThat(properties(status, "beds").getAsJsonObject("items").get("required").toString())
        .isEqualTo("[\"zone\"]");
    assertThat(properties(status, "unkeyed").getAsJsonObject("items").has("required")).isFalse();
    assertThat(DefinitionCheck.problems(CustomResourceDefinitions.of(Keyed.class).toString()))
        .isEmpty();
    try (EmbeddedApiServer server = server()) {
      server.apply(CrdYaml.write(CustomResourceDefinitions.of(Keyed.class)));
    }
  }

  @KubernetesResource(
      group = "test.coxswain.dev",
      version = "v1",
      plural = "wrongs",
      kind = "Wrong")
  static final class WrongKey extends CustomObject {
    @Schema(listMapKeys = "kind")
    @Nullable List<V1Condition> conditions;
  }

  @Test
  void aKeyThatIsNoFieldOfTheItems_isRefused() {
    assertThatThrownBy(() -> CustomResourceDefinitions.of(WrongKey.class))
        .hasMessage(
            "WrongKey.conditions: listMapKeys has \"kind\", which is no field of the items");
  }

  @KubernetesResource(
      group = "test.coxswain.dev",
      version = "v2",
      plural = "gardens",
      kind = "Garden")
  @CustomResource(stored = false)
  static final class GardenV2 extends CustomObject {
    @Nullable String layout;
  }

  @Test
  void classesOfOneKind_areItsVersions_andTheNamesAreThoseOfTheStoredOne() {
    List<JsonObject> made = CustomResourceDefinitions.of(List.of(GardenV2.class, Garden.class));
    assertThat(made).hasSize(1);
    JsonObject spec = made.getFirst().getAsJsonObject("spec");
    assertThat(spec.getAsJsonArray("versions"))
        .extracting(version -> version.getAsJsonObject().get("name").getAsString())
        .containsExactly("v1", "v2");
    assertThat(spec.getAsJsonObject("names").get("shortNames")).isNotNull();
    assertThatThrownBy(() -> CustomResourceDefinitions.of(GardenV2.class))
        .hasMessageContaining("exactly one of its versions is stored");
  }

  @KubernetesResource(group = "test.coxswain.dev", version = "v1", plural = "trees")
  static final class Tree extends CustomObject {
    @Nullable Node root;

    record Node(List<Node> children) {}
  }

  @KubernetesResource(group = "test.coxswain.dev", version = "v1", plural = "keys")
  static final class NumberedKeys extends CustomObject {
    @Nullable Map<Integer, String> byNumber;
  }

  @KubernetesResource(group = "test.coxswain.dev", version = "v1", plural = "unfits")
  static final class Unfit extends CustomObject {
    @Schema(minimum = 1)
    @Nullable String text;
  }

  @KubernetesResource(group = "test.coxswain.dev", version = "v1", plural = "columns")
  @CustomResource(columns = @PrinterColumn(name = "X", jsonPath = ".spec.x"))
  static final class WrongColumn extends CustomObject {}

  @ParameterizedTest
  @ValueSource(classes = {Tree.class, NumberedKeys.class, Unfit.class, WrongColumn.class})
  void whatHasNoSchema_isRefused_withItsField(Class<? extends CustomObject> type) {
    Map<Class<?>, String> messages =
        Map.of(
            Tree.class, "Tree.root.children.[]: contains itself",
            NumberedKeys.class, "NumberedKeys.byNumber: the keys of a map are texts",
            Unfit.class, "Unfit.text: minimum is for numbers, and this is string",
            WrongColumn.class, "no plain field is at .spec.x");
    assertThatThrownBy(() -> CustomResourceDefinitions.of(type))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(messages.get(type));
  }

  private static EmbeddedApiServer server() {
    EmbeddedApiServer server = EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
    server.apply(CrdYaml.write(CustomResourceDefinitions.of(Garden.class)));
    return server;
  }

  private static JsonObject schema(Class<? extends CustomObject> type) {
    return CustomResourceDefinitions.of(type)
        .getAsJsonObject("spec")
        .getAsJsonArray("versions")
        .get(0)
        .getAsJsonObject()
        .getAsJsonObject("schema")
        .getAsJsonObject("openAPIV3Schema");
  }

  private static JsonObject properties(JsonObject schema, String name) {
    return schema.getAsJsonObject("properties").getAsJsonObject(name);
  }

  private static JsonObject json(String flow) {
    return CrdYaml.read(flow).getFirst();
  }
}
