// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import dev.coxswain.controller.Controller;
import dev.coxswain.controller.ControllerDefinition;
import dev.coxswain.controller.ControllerEnvironment;
import dev.coxswain.examples.cron.CronController;
import dev.coxswain.host.internal.config.ConfigurationLoader;
import dev.coxswain.host.internal.config.CoxswainConfiguration;
import dev.coxswain.host.internal.dev.author.AuthorClasses;
import dev.coxswain.host.internal.dev.author.AuthorRights;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.k8s.resource.CustomObject;
import dev.coxswain.k8s.resource.KubernetesResource;
import dev.coxswain.k8s.webhook.WebhookDefinition;
import dev.coxswain.k8s.webhook.Webhooks;
import dev.coxswain.reconcile.Result;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;

/** What a chart has of the controllers of an author. */
class ProjectChartTest {

  private static final Path VALUES = Path.of("..", "chart", "values.yaml");
  private static final Path SCHEMA = Path.of("..", "chart", "values.schema.json");

  @TempDir private Path folder;

  private static AuthorRights rights(Path place) throws Exception {
    CoxswainConfiguration configuration = ConfigurationLoader.load(null, Map.of(), List.of());
    try (AuthorClasses classes = AuthorClasses.of(List.of(place))) {
      return AuthorRights.of(classes, configuration, new StallLimit(StallLimit.DEFAULT));
    }
  }

  private static Map<String, Object> values(AuthorRights rights) throws IOException {
    return new Yaml()
        .load(ChartCommand.values(Files.readString(VALUES), "registry.example.com/shop", rights));
  }

  /** A folder that names definitions whose classes are on the class path of this test. */
  private Path naming(Class<?> definition) throws IOException {
    Path file = folder.resolve("META-INF/services/dev.coxswain.controller.ControllerDefinition");
    Files.createDirectories(file.getParent());
    Files.writeString(file, definition.getName() + "\n");
    return folder;
  }

  @Test
  void theValues_haveTheImage_theRightsAndTheWebhooksOfTheControllers() throws Exception {
    Path examples =
        Path.of(CronController.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Map<String, Object> values = values(rights(examples));
    assertThat(values.get("image")).asString().contains("repository=registry.example.com/shop");
    assertThat(values.get("controllerRules"))
        .asString()
        .contains("resources=[crontasks/status], verbs=[patch]");
    assertThat(values.get("webhooks"))
        .isEqualTo(
            Map.of(
                "enabled",
                true,
                "callbacks",
                false,
                "controllers",
                List.of("cron"),
                "definitions",
                List.of()));
  }

  @Test
  void ofAControllerThatConverts_theDefinitionIsNamed_andNoAdmission() throws Exception {
    AuthorRights rights = rights(naming(Converting.class));
    assertThat(rights.conversions()).containsExactly("ships.example.com");
    assertThat(rights.webhooks()).isEmpty();
    assertThat(values(rights).get("webhooks"))
        .asString()
        .contains("enabled=true", "controllers=[]", "definitions=[ships.example.com]");
  }

  @Test
  void withoutWebhooks_theChartServesNone() throws Exception {
    assertThat(values(rights(naming(Plain.class))).get("webhooks"))
        .asString()
        .contains("enabled=false", "controllers=[]");
  }

  /** A key without a value is null, which the schema of the chart refuses. */
  @Test
  void withoutRights_theRulesAreAnEmptyList() throws Exception {
    assertThat(values(rights(naming(Plain.class))).get("controllerRules")).isEqualTo(List.of());
  }

  @Test
  void webhooksThatCannotBeDeclaredHere_areOneMessage() throws Exception {
    Path place = naming(Failing.class);
    assertThatThrownBy(() -> rights(place))
        .hasMessageContaining("controller \"failing\" cannot be built without a cluster")
        .hasMessageContaining("no such key");
  }

  @Test
  void theKeysOfAConfiguration_areInTheSchema_withTheirDefaultsInComments() throws Exception {
    AuthorRights rights = rights(naming(Configured.class));
    String values =
        ChartCommand.values(Files.readString(VALUES), "registry.example.com/shop", rights);
    assertThat(values)
        .contains(
            """
            config: {}
            # The keys of the controllers, with their defaults:
            # config:
            #   controllers:
            #     configured:
            #       config:
            #         region: north
            #         interval: 5m
            #         targets: []

            """);
    JsonObject schema =
        JsonParser.parseString(ConfigSchema.in(Files.readString(SCHEMA), rights.configs()))
            .getAsJsonObject();
    JsonObject controllers =
        schema
            .getAsJsonObject("definitions")
            .getAsJsonObject("config")
            .getAsJsonObject("properties")
            .getAsJsonObject("controllers");
    JsonObject configured =
        controllers
            .getAsJsonObject("properties")
            .getAsJsonObject("configured")
            .getAsJsonObject("properties");
    assertThat(configured.get("concurrency"))
        .as("a controller has all keys that each one has")
        .isEqualTo(
            controllers
                .getAsJsonObject("additionalProperties")
                .getAsJsonObject("properties")
                .get("concurrency"));
    assertThat(configured.get("config"))
        .isEqualTo(
            JsonParser.parseString(
                """
                {"type": "object", "additionalProperties": false, "properties": {
                  "region": {"type": ["string", "null"], "default": "north"},
                  "interval": {"anyOf": [
                      {"const": 0},
                      {"type": "string", "pattern": "^(\\\\d+(\\\\.\\\\d+)?(h|ms|m|s|us|ns))+$"},
                      {"type": "null"}],
                    "default": "5m"},
                  "targets": {"type": ["array", "null"], "default": [],
                    "items": {"type": "object", "additionalProperties": false,
                      "properties": {"url": {"type": "string"}, "weight": {"type": "integer"}},
                      "required": ["url", "weight"]}}}}
                """));
  }

  @Test
  void aRecordInsideOfItself_isAnyMapThere() throws Exception {
    record Node(String name, List<Node> children) {}

    assertThat(ConfigSchema.in(Files.readString(SCHEMA), Map.of("a", new Node("x", List.of()))))
        .contains("\"children\"");
  }

  @Test
  void aChartWithoutConfigurations_hasTheSchemaOfTheDistribution() throws Exception {
    String schema = Files.readString(SCHEMA);
    assertThat(JsonParser.parseString(ConfigSchema.in(schema, Map.of())))
        .isEqualTo(JsonParser.parseString(schema));
  }

  /** Reads its configuration as a record. */
  public static class Configured extends Plain {

    private record Target(String url, int weight) {}

    private record Settings(String region, Duration interval, List<Target> targets) {}

    @Override
    public String name() {
      return "configured";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      Settings settings =
          environment.config(new Settings("north", Duration.ofMinutes(5), List.of()));
      assertThat(settings.region()).isEqualTo("north");
      return super.create(environment);
    }
  }

  /** Has no webhooks. */
  public static class Plain implements ControllerDefinition {
    @Override
    public String name() {
      return "plain";
    }

    @Override
    public Controller<?> create(ControllerEnvironment environment) {
      return Controller.named(name()).reconciles((request, context) -> Result.done());
    }
  }

  /** Converts a kind, and checks none. */
  public static class Converting extends Plain implements WebhookDefinition {
    @Override
    public void webhooks(Webhooks webhooks, ControllerEnvironment environment) {
      webhooks.converting(Ship.class, NewShip.class, _ -> new NewShip(), _ -> new Ship());
    }
  }

  /** Needs a configuration. */
  public static class Failing extends Plain implements WebhookDefinition {
    @Override
    public String name() {
      return "failing";
    }

    @Override
    public void webhooks(Webhooks webhooks, ControllerEnvironment environment) {
      throw new IllegalStateException("no such key");
    }
  }

  /** One version. */
  @KubernetesResource(group = "example.com", version = "v1", kind = "Ship", plural = "ships")
  public static class Ship extends CustomObject {}

  /** The other one. */
  @KubernetesResource(group = "example.com", version = "v2", kind = "Ship", plural = "ships")
  public static class NewShip extends CustomObject {}
}
