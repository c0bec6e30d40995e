// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import dev.coxswain.host.e2e.process.DebianPackages;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.Yaml;

/**
 * The base for kustomize has the objects of the chart. {@code -Dcoxswain.update=true} renders it
 * again.
 */
public class KustomizeIT {

  private static final Path CHART = Path.of("..", "chart").toAbsolutePath().normalize();
  private static final Path BASE = Path.of("..", "kustomize", "base").toAbsolutePath().normalize();
  private static final Path PROJECT = BASE.resolveSibling("project");
  private static final DumperOptions OPTIONS = new DumperOptions();

  static {
    OPTIONS.setDefaultFlowStyle(FlowStyle.BLOCK);
    OPTIONS.setWidth(120);
  }

  private static final Path GUIDE = Path.of("..", "..", "docs", "guides", "deploying.md");
  private static final String NAMESPACE = "coxswain";
  private static final ObjectMapper JSON = new ObjectMapper();

  /** Labels that name Helm, or a version that the overlay chooses. */
  private static final List<String> OF_HELM =
      List.of("helm.sh/chart", "app.kubernetes.io/managed-by", "app.kubernetes.io/version");

  @TempDir private Path folder;

  @Test
  void theBase_isTheRenderedChart() throws Exception {
    Map<String, JsonNode> objects = chart(NAMESPACE);
    JsonNode config =
        Objects.requireNonNull(objects.remove("ConfigMap/coxswain-config")).at("/data/config.yaml");
    same(BASE.resolve("coxswain.yaml"), text("with default values", objects));
    same(BASE.resolve("config.yaml"), config.asText());
  }

  /** Names in capital letters would be refused: each of these stands for one of a project. */
  private static TemplateCommand ofAProject() {
    return new Helm(CHART)
        .template()
        .withName("bundle-name")
        .withNamespace("bundle-namespace")
        .withKubeVersion("1.33.0")
        .set("image.repository", "bundle-image")
        .set("image.tag", "bundle-version")
        .set("controllerRules[0].apiGroups[0]", "bundle-rules")
        .set("controllerRules[0].resources[0]", "bundle-rules")
        .set("controllerRules[0].verbs[0]", "bundle-rules");
  }

  /** What {@code coxswain bundle} replaces names in; of webhooks what is different with them. */
  @Test
  void theManifestsOfProjects_areTheRenderedChart() throws Exception {
    Map<String, JsonNode> plain = objects(ofAProject().call());
    Map<String, JsonNode> webhooks =
        objects(
            ofAProject()
                .set("webhooks.enabled", true)
                .set("webhooks.controllers[0]", "bundle-webhooks")
                .set("webhooks.definitions[0]", "bundle.definitions")
                .call());
    assertThat(webhooks.keySet()).containsAll(plain.keySet());
    webhooks.values().removeAll(plain.values());
    same(PROJECT.resolve("plain.yaml"), text("with default values", plain));
    same(PROJECT.resolve("webhooks.yaml"), text("what differs with webhooks.enabled", webhooks));
  }

  private static String text(String what, Map<String, JsonNode> objects) {
    StringBuilder text =
        new StringBuilder(
            """
            # SPDX-License-Identifier: Apache-2.0
            # Written by KustomizeIT with -Dcoxswain.update=true: the chart, %s.
            """
                .formatted(what));
    for (JsonNode object : objects.values()) {
      text.append("---\n").append(new Yaml(OPTIONS).dump(JSON.convertValue(object, Map.class)));
    }
    return text.toString();
  }

  private static void same(Path file, String content) throws Exception {
    if (Boolean.getBoolean("coxswain.update")) {
      Files.writeString(file, content);
    }
    assertThat(content).isEqualTo(Files.readString(file));
  }

  /** The overlay of the guide, in another namespace, is the chart installed there. */
  @Test
  void anOverlay_isTheChartInItsNamespace() throws Exception {
    assumeTrue(DebianPackages.onPath("kubectl").isPresent(), "kubectl is missing");
    Matcher block =
        Pattern.compile("```text\n(apiVersion: kustomize.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(GUIDE));
    assertThat(block.find()).isTrue();
    String overlay = block.group(1).replaceAll("- \\S+/base", "- " + relative(BASE));
    Files.writeString(folder.resolve("kustomization.yaml"), overlay);
    Files.writeString(
        folder.resolve("rights.yaml"),
        """
        apiVersion: rbac.authorization.k8s.io/v1
        kind: ClusterRole
        metadata: {name: shop-controllers}
        """);
    Files.copy(BASE.resolve("config.yaml"), folder.resolve("config.yaml"));
    Map<String, JsonNode> built =
        objects(DebianPackages.run("kubectl", "kustomize", folder.toString()));
    assertThat(built.remove("ClusterRole/shop-controllers")).isNotNull();

    Map<String, JsonNode> expected = chart("shop");
    ObjectNode deployment =
        (ObjectNode) Objects.requireNonNull(expected.get("Deployment/coxswain"));
    ((ObjectNode) deployment.get("spec")).put("replicas", 5);
    ((ObjectNode) deployment.at("/spec/template/spec/containers/0"))
        .put("image", "registry.example.com/coxswain:1");
    assertThat(built.keySet()).isEqualTo(expected.keySet());
    built.forEach((name, object) ->
        assertThat(object.toString())
            .as(name)
            .isEqualTo(inNamespaceOfBase(String.valueOf(expected.get(name)))));
  }

  private Path relative(Path path) throws Exception {
    return folder.toRealPath().relativize(path.toRealPath());
  }

  /** Names of cluster roles begin with the namespace of the chart, and not of the overlay. */
  private static String inNamespaceOfBase(String text) {
    return text.replace("shop-coxswain-", NAMESPACE + "-coxswain-");
  }

  private static Map<String, JsonNode> chart(String namespace) {
    return objects(
        new Helm(CHART)
            .template()
            .withName("coxswain")
            .withNamespace(namespace)
            .withKubeVersion("1.33.0")
            .call());
  }

  /** Returns objects by kind and name, without what Helm or kustomize puts into each. */
  public static Map<String, JsonNode> objects(String rendered) {
    String unhashed = rendered.replaceAll("-config-[a-z0-9]{10}\\b", "-config");
    Map<String, JsonNode> objects = new TreeMap<>();
    for (Object object : new Yaml().loadAll(unhashed)) {
      if (object != null) {
        JsonNode json = sorted(JSON.valueToTree(object));
        clean((ObjectNode) json);
        String name = inNamespaceOfBase(json.at("/metadata/name").asText());
        objects.put(json.path("kind").asText() + "/" + name, json);
      }
    }
    assertThat(objects).hasSizeGreaterThan(10);
    return objects;
  }

  private static void clean(ObjectNode object) {
    if (object.path("metadata") instanceof ObjectNode metadata) {
      if (metadata.path("labels") instanceof ObjectNode labels) {
        labels.remove(OF_HELM);
        if (labels.isEmpty()) {
          metadata.remove("labels");
        }
      }
      if (metadata.path("annotations") instanceof ObjectNode annotations) {
        annotations.remove("coxswain.dev/config-checksum");
        if (annotations.isEmpty()) {
          metadata.remove("annotations");
        }
      }
    }
    if (object.at("/spec/template") instanceof ObjectNode template) {
      clean(template);
    }
  }

  private static JsonNode sorted(JsonNode node) {
    if (node instanceof ObjectNode object) {
      ObjectNode copy = JSON.createObjectNode();
      Map<String, JsonNode> fields = new TreeMap<>();
      object.properties().forEach(field -> fields.put(field.getKey(), sorted(field.getValue())));
      copy.setAll(fields);
      return copy;
    }
    if (node.isArray()) {
      var copy = JSON.createArrayNode();
      node.forEach(one -> copy.add(sorted(one)));
      return copy;
    }
    return node;
  }
}
