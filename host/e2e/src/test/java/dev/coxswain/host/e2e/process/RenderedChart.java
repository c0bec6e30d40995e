// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.e2e.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.TemplateCommand;
import dev.coxswain.apiserver.EmbeddedApiServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.yaml.snakeyaml.Yaml;

/** The chart of the source tree, rendered by Helm's own engine, and objects in what comes out. */
public final class RenderedChart {

  public static final Path CHART = Path.of("..", "chart").toAbsolutePath().normalize();

  /** What every cluster has, and the chart binds. */
  public static final String CLUSTER =
      """
      apiVersion: rbac.authorization.k8s.io/v1
      kind: ClusterRole
      metadata: {name: "system:auth-delegator"}
      rules:
      - {apiGroups: [authentication.k8s.io], resources: [tokenreviews], verbs: [create]}
      - {apiGroups: [authorization.k8s.io], resources: [subjectaccessreviews], verbs: [create]}
      """;

  private static final ObjectMapper JSON = new ObjectMapper();

  private RenderedChart() {}

  public static TemplateCommand template() {
    return new Helm(CHART)
        .template()
        .withName("coxswain")
        .withNamespace("default")
        .withKubeVersion("1.33.0");
  }

  /** Installs the chart with a certificate of Helm's own; returns the kubeconfig that was used. */
  public static Path install(EmbeddedApiServer server, Path folder) throws IOException {
    Path kubeconfig = Files.writeString(folder.resolve("kubeconfig"), server.kubeconfig());
    new Helm(CHART)
        .install()
        .withName("coxswain")
        .withNamespace("default")
        .withKubeConfig(kubeconfig)
        .set("admin.certificate.from", "helm")
        .call();
    return kubeconfig;
  }

  public static List<JsonNode> objects(TemplateCommand command) {
    return objects(command.call());
  }

  public static List<JsonNode> objects(String rendered) {
    List<JsonNode> objects = new ArrayList<>();
    for (Object object : new Yaml().loadAll(rendered)) {
      if (object != null) {
        objects.add(JSON.valueToTree(object));
      }
    }
    return objects;
  }

  public static List<String> kinds(List<JsonNode> objects) {
    return objects.stream().map(object -> object.path("kind").asText()).toList();
  }

  public static List<String> names(List<JsonNode> objects) {
    return objects.stream().map(object -> object.at("/metadata/name").asText()).toList();
  }

  public static JsonNode one(List<JsonNode> objects, String kind, String name) {
    return objects.stream()
        .filter(object -> object.path("kind").asText().equals(kind))
        .filter(object -> object.at("/metadata/name").asText().equals(name))
        .findFirst()
        .orElseThrow();
  }
}
