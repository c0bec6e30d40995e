// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.authoring.classes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import dev.coxswain.k8s.client.Json;
import dev.coxswain.k8s.resource.ResourceType;
import dev.coxswain.testing.TestLength;
import io.kubernetes.client.common.KubernetesObject;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever names and sizes a definition has, its class compiles, and reads and writes the same JSON. */
class HardNamesTest {

  @TempDir private Path folder;

  private static JsonObject definition(String group, String kind, JsonObject schema) {
    JsonObject definition =
        JsonParser.parseString(
                """
                {"metadata": {"name": "things.%1$s"},
                 "spec": {"group": "%1$s", "scope": "Namespaced", "names": {"plural": "things"},
                  "versions": [{"name": "v1", "storage": true, "schema": {}}]}}
                """
                    .formatted(group))
            .getAsJsonObject();
    JsonObject spec = definition.getAsJsonObject("spec");
    spec.getAsJsonObject("names").addProperty("kind", kind);
    spec.getAsJsonArray("versions")
        .get(0)
        .getAsJsonObject()
        .getAsJsonObject("schema")
        .add("openAPIV3Schema", schema);
    return definition;
  }

  private static JsonObject schema(String properties) {
    JsonObject schema = new JsonObject();
    schema.addProperty("type", "object");
    schema.add("properties", JsonParser.parseString(properties));
    return schema;
  }

  private Class<? extends KubernetesObject> compiled(JsonObject schema) throws Exception {
    String source = ClassWriter.write(definition("a.example", "Thing", schema), "", "made.here");
    return CompiledClasses.of(folder, Map.of("made.here.Thing", source)).get("made.here.Thing");
  }

  private static void assertRoundTrip(Class<? extends KubernetesObject> type, JsonObject object) {
    JsonObject written = Json.encode(Json.decode(object.toString(), type));
    if (!object.has("metadata")) {
      written.remove("metadata");
    }
    assertThat(written).isEqualTo(object);
  }

  private static JsonObject json(String text) {
    return JsonParser.parseString(text).getAsJsonObject();
  }

  @Test
  void randomSchemasWithHardNames_compile_andRoundTrip() throws Exception {
    for (long seed : TestLength.seeds(2, 40).toList()) {
      Random random = new Random(seed);
      Map<String, String> sources = new LinkedHashMap<>();
      Map<String, JsonObject> objects = new LinkedHashMap<>();
      for (int i = 0; i < 10; i++) {
        RandomDefinition made = new RandomDefinition(random);
        JsonObject schema = new JsonObject();
        made.properties(schema, 5, 1 + random.nextInt(20));
        List.of("apiVersion", "kind", "metadata")
            .forEach(schema.getAsJsonObject("properties")::remove);
        String name = "made.p" + i + ".Thing";
        sources.put(
            name, ClassWriter.write(definition("a.example", "Thing", schema), "", "made.p" + i));
        objects.put(name, made.object(schema).getAsJsonObject());
      }
      CompiledClasses classes;
      try {
        classes = CompiledClasses.of(folder.resolve("s" + seed), sources);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed, e);
      }
      for (Map.Entry<String, JsonObject> one : objects.entrySet()) {
        JsonObject written =
            Json.encode(Json.decode(one.getValue().toString(), classes.get(one.getKey())));
        written.remove("metadata");
        assertThat(written)
            .as("seed %s, %s:%n%s", seed, one.getKey(), sources.get(one.getKey()))
            .isEqualTo(one.getValue());
      }
    }
  }

  @Test
  void symbolsNullAndClashes_inEnums_areConstants() throws Exception {
    JsonObject schema =
        schema(
            """
            {"operators": {"type": "array", "items": {"type": "string", "nullable": true,
              "enum": ["<", "<=", "*", "", "8", "a-b", "a_b", "A_B_2", "Always", "always", "class", null]}},
             "odd": {"type": "string", "enum": [null]}}
            """);
    JsonObject object =
        json(
            """
            {"operators": ["<", "<=", "*", "", "8", "a-b", "a_b", "A_B_2", "Always", "always", "class"],
             "odd": "anything"}
            """);
    assertRoundTrip(compiled(schema), object);
  }

  @Test
  void aRequiredEnumWithNull_mayBeNull() {
    JsonObject schema =
        schema(
            "{\"spec\": {\"type\": \"object\", \"required\": [\"mode\"], \"properties\": {\"mode\": {\"type\": \"string\", \"enum\": [\"a\", null]}}}}");

    assertThat(ClassWriter.write(definition("a.example", "Thing", schema), "", "made.here"))
        .contains("@Nullable Mode mode");
  }

  @Test
  void namesThatBecomeOneIdentifier_areDifferent_inRecordsAndInTheClassItself() throws Exception {
    String names =
        """
        {"foo-bar": {"type": "string"}, "fooBar": {"type": "string"}, "FooBar": {"type": "string"},
         "foo.bar": {"type": "string"}, "getMetadata": {"type": "string"}, "toString": {"type": "string"}}
        """;
    JsonObject schema = schema(names);
    JsonObject spec = schema(names);
    schema.getAsJsonObject("properties").add("spec", spec);
    JsonObject values = new JsonObject();
    json(names).keySet().forEach(name -> values.addProperty(name, "of " + name));
    JsonObject object = values.deepCopy();
    object.add("spec", values);

    assertRoundTrip(compiled(schema), object);
  }

  private static JsonObject fields(int count, String type) {
    JsonObject properties = new JsonObject();
    for (int i = 0; i < count; i++) {
      properties.add("f" + i, json("{\"type\": \"" + type + "\"}"));
    }
    JsonObject schema = new JsonObject();
    schema.addProperty("type", "object");
    schema.add("properties", properties);
    JsonArray required = new JsonArray();
    properties.keySet().forEach(required::add);
    schema.add("required", required);
    return schema;
  }

  @Test
  void moreFieldsThanAConstructorHasParameters_areAClass_andFarMoreAreAMap() throws Exception {
    for (String type : List.of("string", "integer")) {
      for (int count : new int[] {127, 128, 254, 255, 256, 1_000, 1_001, 5_000}) {
        JsonObject schema = schema("{}");
        schema.getAsJsonObject("properties").add("spec", fields(count, type));
        JsonObject spec = new JsonObject();
        for (int i = 0; i < count; i++) {
          spec.add(
              "f" + i, type.equals("string") ? new JsonPrimitive("v" + i) : new JsonPrimitive(i));
        }
        JsonObject object = new JsonObject();
        object.add("spec", spec);
        String source =
            ClassWriter.write(definition("a.example", "Thing", schema), "", "made.here");
        String name = "made.here.Thing";
        Path own = folder.resolve(type + count);
        assertRoundTrip(CompiledClasses.of(own, Map.of(name, source)).get(name), object);
      }
    }
    assertThatThrownBy(() ->
            ClassWriter.write(definition("a.example", "Thing", fields(5_000, "string")), "", "p"))
        .hasMessageContaining("things.a.example has 5000 fields at its top");
  }

  @Test
  void deepNesting_longNames_andManyConstants_compile() throws Exception {
    JsonObject innermost = schema("{\"leaf\": {\"type\": \"string\"}}");
    JsonElement value = json("{\"leaf\": \"green\"}");
    for (int i = 0; i < 60; i++) {
      String name = (i % 3 == 0 ? "same" : "level" + i) + "x".repeat(i);
      JsonObject outer = schema("{}");
      outer.getAsJsonObject("properties").add(name, innermost);
      JsonObject of = new JsonObject();
      of.add(name, value);
      innermost = outer;
      value = of;
    }
    JsonArray many = new JsonArray();
    for (int i = 0; i < 20_000; i++) {
      many.add("v" + i);
    }
    JsonObject enumeration = json("{\"type\": \"string\"}");
    enumeration.add("enum", many);
    innermost.getAsJsonObject("properties").add("many", enumeration);
    JsonObject longest = json("{\"type\": \"string\"}");
    longest.add("enum", JsonParser.parseString("[\"" + "y".repeat(70_000) + "\"]"));
    innermost.getAsJsonObject("properties").add("longest", longest);
    value.getAsJsonObject().addProperty("many", "v19999");
    value.getAsJsonObject().addProperty("longest", "y".repeat(70_000));

    assertRoundTrip(compiled(innermost), value.getAsJsonObject());
  }

  @Test
  void kindsThatAreNoClassNames_haveOne_andKeepTheirKind() throws Exception {
    JsonObject schema = schema("{\"spec\": {\"type\": \"string\"}}");
    List<String> kinds =
        List.of(
            "record",
            "class",
            "foo-bar",
            "Object",
            "String",
            "List",
            "CustomObject",
            "var",
            "3d",
            "Thing");
    for (String kind : kinds) {
      JsonObject definition = definition("a.example", kind, schema);
      String name = "made." + ClassWriter.className(definition);
      String source = ClassWriter.write(definition, "", "made");
      Class<? extends KubernetesObject> type =
          CompiledClasses.of(folder.resolve(kind), Map.of(name, source)).get(name);
      assertThat(ResourceType.of(type).kind()).isEqualTo(kind);
      assertRoundTrip(type, json("{\"spec\": \"x\"}"));
    }
    assertThat(ClassWriter.className(definition("a.example", "Thing", schema))).isEqualTo("Thing");
  }

  @Test
  void oneKindInTwoGroups_andKindsThatDifferByCase_haveClassesOfTheirOwn() {
    JsonObject schema = schema("{}");
    List<JsonObject> definitions =
        List.of(
            definition("sea.example.com", "Boat", schema),
            definition("lake.example.com", "Boat", schema),
            definition("lake.example.org", "BOAT", schema),
            definition("sea.example.com", "SeaBoat", schema),
            definition("sea.example.com", "Ship", schema));

    assertThat(ClassWriter.classNames(definitions))
        .containsExactly("SeaBoat2", "LakeBoat", "LakeBOAT2", "SeaBoat", "Ship");
  }

  @Test
  void packagesThatJavaRefuses_areRefused() {
    JsonObject thing = definition("a.example", "Thing", schema("{}"));
    for (String name : List.of("com.new.x", "com.1a", "com..x", "", "java.x", "com.true", "a b")) {
      assertThatThrownBy(() -> ClassWriter.write(thing, "", name))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("\"" + name + "\"");
    }
  }
}
