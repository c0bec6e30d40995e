// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.host.internal.dev.dist.Program;
import dev.coxswain.host.internal.dev.dist.SourceTree;
import dev.coxswain.host.internal.jvm.StallLimit;
import dev.coxswain.host.internal.lifecycle.HostException;
import dev.coxswain.k8s.client.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What {@code coxswain chart} has written into a chart, besides what all charts of Coxswain have.
 *
 * <p>Thread rule: immutable, but not the objects.
 *
 * @param name the name of the chart, and of what it installs
 * @param version its version, which is the tag of the image
 * @param image the name of the image
 * @param rules what the controllers may do
 * @param webhooks the controllers with webhooks
 * @param conversions the definitions that are converted
 * @param definitions the custom resources
 */
public record ChartFile(
    String name,
    String version,
    String image,
    JsonArray rules,
    List<String> webhooks,
    List<String> conversions,
    List<JsonObject> definitions) {

  /** Copies the lists. */
  public ChartFile {
    webhooks = List.copyOf(webhooks);
    conversions = List.copyOf(conversions);
    definitions = List.copyOf(definitions);
  }

  /**
   * Reads a chart.
   *
   * @param file the archive
   * @param folder an empty folder for its files
   * @param limit how long the program that unpacks it may do nothing
   * @throws HostException when it is not a chart of this command
   */
  public static ChartFile read(Path file, Path folder, StallLimit limit)
      throws IOException, HostException {
    Program.output(limit, "tar", "-xzf", file.toString(), "-C", folder.toString());
    List<Path> found;
    try (Stream<Path> files = Files.list(folder)) {
      found = files.toList();
    }
    if (found.size() != 1 || !Files.isRegularFile(found.getFirst().resolve("values.yaml"))) {
      throw notOurs(file);
    }
    Path chart = found.getFirst();
    JsonObject description = CrdYaml.read(Files.readString(chart.resolve("Chart.yaml"))).getFirst();
    String text = Files.readString(chart.resolve("values.yaml"));
    List<JsonObject> documents = CrdYaml.read(text);
    JsonObject values = documents.isEmpty() ? new JsonObject() : documents.getFirst();
    if (!(values.get("image") instanceof JsonObject image
        && values.get("webhooks") instanceof JsonObject webhooks
        && values.has("controllerRules"))) {
      throw notOurs(file); // a chart of others has values as well
    }
    List<JsonObject> definitions = new ArrayList<>();
    Path custom = chart.resolve("definitions");
    if (Files.isDirectory(custom)) {
      try (Stream<Path> files = Files.list(custom)) {
        for (Path definition : files.sorted().toList()) {
          definitions.addAll(CrdYaml.read(Files.readString(definition)));
        }
      }
    }
    return new ChartFile(
        Json.text(description, "name"),
        Json.text(description, "version"),
        Json.text(image, "repository"),
        RightsCheck.rules(file.toString(), text),
        ProjectManifests.texts(webhooks.get("controllers")),
        ProjectManifests.texts(webhooks.get("definitions")),
        definitions);
  }

  private static HostException notOurs(Path file) {
    return new HostException(file + " is not a chart of \"coxswain chart\"");
  }

  /** Returns the name of its image, with the tag. */
  public String reference() {
    return image + ":" + version;
  }

  /** Returns the objects that Helm makes of the chart with its default values, but not the definitions. */
  public ProjectManifests manifests(SourceTree tree, String namespace) throws IOException {
    return ProjectManifests.of(
        tree.manifests(),
        Map.of("name", name, "namespace", namespace, "image", image, "version", version),
        webhooks,
        conversions,
        rules);
  }
}
