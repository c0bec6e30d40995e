// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.ctl.internal.cli.Resources;
import dev.coxswain.host.internal.Version;
import dev.coxswain.sharding.internal.membership.MembershipOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The schema of the chart's values has the schema of the configuration, and the page lists each value. {@code
 * -Dcoxswain.update=true} writes both again.
 */
class ChartValuesTest {

  private static final boolean UPDATE = Boolean.getBoolean("coxswain.update");
  private static final Path SCHEMA = Path.of("chart/values.schema.json");
  private static final Path PAGE = Path.of("../docs/reference/chart-values.md");

  @Test
  void theSchemaOfConfig_isThatOfTheHost() throws IOException {
    JsonObject expected =
        JsonParser.parseString(
                KeyReference.of(Resources.text(Version.class, "defaults.yaml")).schema())
            .getAsJsonObject();
    // The chart has both, and one schema language.
    List.of("$schema", "title", "required").forEach(expected::remove);
    JsonObject schema = schema();
    if (UPDATE) {
      JsonObject definitions = new JsonObject();
      definitions.add("config", expected);
      schema.add("definitions", definitions);
      Files.writeString(
          SCHEMA,
          new GsonBuilder().setPrettyPrinting().disableHtmlEscaping().create().toJson(schema)
              + "\n");
    }
    assertThat(schema.getAsJsonObject("definitions").get("config")).isEqualTo(expected);
    assertThat(schema.getAsJsonObject("properties").get("config").toString())
        .contains("\"#/definitions/config\"");
  }

  @Test
  void theChart_hasAsManyReplicasAsTheHost() throws IOException {
    for (String value : List.of("replicas", "maxReplicas")) {
      assertThat(
              schema()
                  .getAsJsonObject("properties")
                  .getAsJsonObject(value)
                  .get("maximum")
                  .getAsInt())
          .as(value)
          .isEqualTo(MembershipOptions.MAX_COUNT);
    }
  }

  @Test
  void thePage_listsEachValue_withItsMeaning() throws IOException {
    DefaultsReader defaults = DefaultsReader.read(Files.readString(Path.of("chart/values.yaml")));
    List<String> rows = new ArrayList<>();
    JsonObject values = schema().getAsJsonObject("properties");
    rows(rows, "", values, defaults);
    String page =
        """
        <!-- SPDX-License-Identifier: Apache-2.0 -->
        <!-- Written by ChartValuesTest with -Dcoxswain.update=true; the schema of the values, and values.yaml. -->
        # Values of the chart

        Look up a value of the [Helm chart](../guides/deploying.md#the-helm-chart). The schema refuses others; `config` accepts
        the [keys of the configuration](configuration.md) except those that the chart sets by other values.

        | value | accepts | default | meaning |
        |---|---|---|---|
        """
            + String.join("", rows);
    if (UPDATE) {
      Files.writeString(PAGE, page);
    }
    assertThat(Files.readString(PAGE)).isEqualTo(page);
    assertThat(defaults.order())
        .as("values of values.yaml that are in the schema")
        .allMatch(path ->
            page.contains("| `" + path + "` |")
                || page.contains("| `" + path + ".")
                || page.contains(
                    "| `" + path.substring(0, Math.max(0, path.lastIndexOf('.'))) + "` |"));
  }

  private static void rows(
      List<String> rows, String parent, JsonObject properties, DefaultsReader defaults) {
    // In the order of the file that people read.
    List<String> names = new ArrayList<>(properties.keySet());
    names.remove("global");
    names.sort((one, other) ->
        Integer.compare(
            defaults.order().indexOf(parent + one), defaults.order().indexOf(parent + other)));
    for (String name : names) {
      String path = parent + name;
      JsonObject schema = properties.getAsJsonObject(name);
      DefaultsReader.Entry entry = defaults.of(path);
      assertThat(defaults.order()).as("in values.yaml").contains(path);
      if (schema.has("properties") && !entry.value().equals("{}")) {
        if (!entry.text().isEmpty()) {
          rows.add(row(path, "a map", "", entry.text()));
        }
        rows(rows, path + ".", schema.getAsJsonObject("properties"), defaults);
      } else {
        rows.add(row(path, accepts(schema), entry.value(), entry.text()));
      }
    }
  }

  private static String row(String path, String accepts, String value, String text) {
    return "| `%s` | %s | %s | %s |%n"
        .formatted(path, accepts, value.isEmpty() ? "" : "`" + value + "`", text);
  }

  private static String accepts(JsonObject schema) {
    if (schema.has("$ref")) {
      return "a map";
    }
    if (schema.has("anyOf")) {
      return String.join(
          " or ",
          schema.getAsJsonArray("anyOf").asList().stream()
              .map(JsonElement::getAsJsonObject)
              .map(ChartValuesTest::accepts)
              .toList());
    }
    if (schema.has("enum")) {
      List<String> words =
          schema.getAsJsonArray("enum").asList().stream()
              .map(JsonElement::getAsString)
              .filter(word -> !word.isEmpty())
              .toList();
      return String.join(", ", words);
    }
    JsonElement type = schema.get("type");
    String first =
        type.isJsonArray() ? type.getAsJsonArray().get(0).getAsString() : type.getAsString();
    return switch (first) {
          case "integer" -> "a whole number" + bounds(schema);
          case "boolean" -> "true or false";
          case "array" -> "a list";
          case "object" -> "a map";
          default -> "text";
        }
        + (type.isJsonArray() ? " or null" : "");
  }

  private static String bounds(JsonObject schema) {
    return (schema.has("minimum") ? " from " + schema.get("minimum").getAsInt() : "")
        + (schema.has("maximum") ? " to " + schema.get("maximum").getAsInt() : "");
  }

  private static JsonObject schema() throws IOException {
    return JsonParser.parseString(Files.readString(SCHEMA)).getAsJsonObject();
  }
}
