// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.marcnuri.helm.TemplateCommand;
import dev.coxswain.apiserver.EmbeddedApiServer;
import dev.coxswain.apiserver.EmbeddedApiServerOptions;
import dev.coxswain.host.e2e.process.RenderedChart;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.reader.ConfigurationException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

/**
 * Combinations of values, of {@code chart-values.yaml}: the chart renders objects that an API server accepts with a
 * configuration that the host accepts, or refuses the values, as it does with all that the host refuses.
 */
@Timeout(120)
class ChartValuesIT {

  private static final Path CASES = Path.of("src", "test", "resources", "chart-values.yaml");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String HEADER =
      "apiVersion: config.coxswain.dev/v1alpha1\nkind: CoxswainConfiguration\n";

  private static EmbeddedApiServer server;

  @TempDir private Path folder;

  @BeforeAll
  static void start() {
    server = EmbeddedApiServer.startBlocking(EmbeddedApiServerOptions.defaults());
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("accepted")
  void acceptedValues_giveObjectsForTheServer_andAConfigurationForTheHost(String name, JsonNode one)
      throws Exception {
    String rendered = chart(one.path("values")).call();
    for (JsonNode text : one.path("has")) {
      assertThat(rendered).as(name).contains(text.asText());
    }
    for (JsonNode text : one.path("hasNot")) {
      assertThat(rendered).as(name).doesNotContain(text.asText());
    }
    List<JsonNode> objects = RenderedChart.objects(rendered);
    List<String> known = new ArrayList<>();
    for (JsonNode object : objects) {
      assertThat(names(object.at("/spec/template/spec/containers/0/env"))).doesNotHaveDuplicates();
      if (!object
          .path("apiVersion")
          .asText()
          .matches("(monitoring\\.coreos\\.com|cert-manager\\.io)/.*")) {
        known.add(object.toString());
      }
    }
    server.apply(String.join("\n---\n", known));
    JsonNode deployment = only(objects, "Deployment", "");
    String text = only(objects, "ConfigMap", "-config").at("/data/config.yaml").asText();
    Path file = Files.writeString(folder.resolve("config.yaml"), text);
    assertThat(ConfigurationLoader.load(file, environment(deployment), List.of()))
        .satisfies(configuration -> {
          JsonNode container = deployment.at("/spec/template/spec/containers/0");
          assertThat(port(container, "metrics"))
              .isEqualTo(configuration.metrics().listener().port());
          assertThat(port(container, "health")).isEqualTo(configuration.health().port());
          assertThat(deployment.at("/spec/template/spec/terminationGracePeriodSeconds").asLong())
              .isGreaterThan(configuration.drainLimit().toSeconds());
        });
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refused")
  void refusedValues_haveAMessageThatNamesThem(String name, JsonNode one) throws Exception {
    TemplateCommand chart = chart(one.path("values"));
    assertThatThrownBy(chart::call).as(name).hasMessageContaining(one.path("message").asText());
    if (one.path("host").asBoolean()) {
      Path file =
          Files.writeString(folder.resolve("config.yaml"), HEADER + yaml(one.at("/values/config")));
      assertThatThrownBy(() -> ConfigurationLoader.load(file, Map.of(), List.of()))
          .as("the host with %s", file)
          .isInstanceOf(ConfigurationException.class);
    }
  }

  @Test
  void thereAreEnoughCombinations() throws Exception {
    assertThat(accepted()).hasSizeGreaterThan(20);
    assertThat(refused()).hasSizeGreaterThan(20);
  }

  static Stream<Arguments> accepted() throws Exception {
    return cases("accepted");
  }

  static Stream<Arguments> refused() throws Exception {
    return cases("refused");
  }

  private static Stream<Arguments> cases(String kind) throws Exception {
    JsonNode all = JSON.valueToTree(new Yaml().load(Files.readString(CASES)));
    List<Arguments> cases = new ArrayList<>();
    all.path(kind).forEach(one -> cases.add(Arguments.of(one.path("name").asText(), one)));
    return cases.stream();
  }

  private TemplateCommand chart(JsonNode values) throws Exception {
    return RenderedChart.template()
        .withValuesFile(Files.writeString(folder.resolve("values.yaml"), yaml(values)));
  }

  private static String yaml(JsonNode tree) {
    return new Yaml().dump(JSON.convertValue(tree, Map.class));
  }

  private static JsonNode only(List<JsonNode> objects, String kind, String suffix) {
    return objects.stream()
        .filter(object -> object.path("kind").asText().equals(kind))
        .filter(object -> object.at("/metadata/name").asText().endsWith(suffix))
        .findFirst()
        .orElseThrow();
  }

  private static List<String> names(JsonNode list) {
    List<String> names = new ArrayList<>();
    list.forEach(one -> names.add(one.path("name").asText()));
    return names;
  }

  private static int port(JsonNode container, String name) {
    for (JsonNode port : container.path("ports")) {
      if (port.path("name").asText().equals(name)) {
        return port.path("containerPort").asInt();
      }
    }
    throw new AssertionError(name);
  }

  private static Map<String, String> environment(JsonNode deployment) {
    Map<String, String> environment = new HashMap<>();
    for (JsonNode variable : deployment.at("/spec/template/spec/containers/0/env")) {
      String field = variable.at("/valueFrom/fieldRef/fieldPath").asText();
      environment.put(
          variable.path("name").asText(),
          switch (field) {
            case "status.podIP" -> "10.0.0.1";
            case "metadata.namespace" -> "default";
            case "metadata.name" -> "coxswain-6b8d-x2x4";
            default -> variable.path("value").asText("0123456789abcdef0123456789abcdef");
          });
    }
    return environment;
  }
}
