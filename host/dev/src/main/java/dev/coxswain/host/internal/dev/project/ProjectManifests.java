// SPDX-License-Identifier: Apache-2.0
package dev.coxswain.host.internal.dev.project;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import dev.coxswain.authoring.crd.CrdYaml;
import dev.coxswain.authoring.rbac.RoleManifests;
import dev.coxswain.host.internal.dev.author.AuthorRights;
import dev.coxswain.k8s.client.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The objects of the chart for a project, as Helm makes them of the default values of its chart. They are
 * rendered beforehand, with names that are replaced here; a test compares the result with that of Helm.
 *
 * <p>Thread rule: immutable, but not the objects.
 *
 * @param objects all but the configuration and the definitions
 * @param config the configuration, which the pods mount
 */
public record ProjectManifests(List<JsonObject> objects, JsonObject config) {

  /** The suffix of the names of what only webhooks need. */
  static final String WEBHOOKS = "-webhooks";

  private static final Pattern PLACE = Pattern.compile("bundle-(name|namespace|image|version)\\b");
  private static final String CONTROLLERS = "-controllers";
  private static final String WEBHOOK_RULE = "bundle-webhooks.coxswain.dev";
  private static final String DEFINITION_RULE = "bundle.definitions";

  /** Copies the list. */
  public ProjectManifests {
    objects = List.copyOf(objects);
  }

  /** Returns the rules of the values of the chart. */
  static JsonArray rules(AuthorRights rights) {
    return RightsCheck.rules("the chart", RoleManifests.chartValues(rights.controllers()));
  }

  /**
   * Returns the manifests of a project.
   *
   * @param folder where the rendered files are
   * @param rules what the controllers may do
   */
  static ProjectManifests of(
      Path folder, ProjectJars project, String namespace, AuthorRights rights, JsonArray rules)
      throws IOException {
    return of(
        folder,
        Map.of(
            "name", project.shortName(),
            "namespace", namespace,
            "image", project.name(),
            "version", project.version()),
        rights.webhooks(),
        rights.conversions(),
        rules);
  }

  /**
   * Returns the manifests of a chart.
   *
   * @param folder where the rendered files are
   * @param values what the places in them are replaced by
   * @param webhooks the controllers with webhooks
   * @param conversions the definitions that are converted
   * @param rules what the controllers may do
   */
  static ProjectManifests of(
      Path folder,
      Map<String, String> values,
      List<String> webhooks,
      List<String> conversions,
      JsonArray rules)
      throws IOException {
    Map<String, JsonObject> rendered = new LinkedHashMap<>();
    read(folder.resolve("plain.yaml"), rendered);
    if (!webhooks.isEmpty() || !conversions.isEmpty()) {
      read(folder.resolve("webhooks.yaml"), rendered);
    }
    JsonObject config = new JsonObject();
    List<JsonObject> objects = new ArrayList<>();
    for (JsonObject object : rendered.values()) {
      String name = name(object);
      switch (kind(object) + name.substring(Math.max(0, name.lastIndexOf('-')))) {
        case "ClusterRole" + CONTROLLERS -> {
          object.add("rules", rules);
          objects.add(object);
        }
        case "ClusterRole" + WEBHOOKS -> {
          object.add("rules", webhookRules(object.getAsJsonArray("rules"), webhooks, conversions));
          objects.add(object);
        }
        case "Service" + WEBHOOKS -> {
          object
              .getAsJsonObject("spec")
              .addProperty("publishNotReadyAddresses", !conversions.isEmpty());
          objects.add(object);
        }
        case "ConfigMap-config" ->
            config =
                replaced(
                        CrdYaml.read(Json.text(object.getAsJsonObject("data"), "config.yaml"))
                            .getFirst(),
                        values)
                    .getAsJsonObject();
        default -> objects.add(object);
      }
    }
    if (rules.isEmpty()) {
      objects.removeIf(object -> name(object).endsWith(CONTROLLERS));
    }
    return new ProjectManifests(
        objects.stream().map(object -> replaced(object, values).getAsJsonObject()).toList(),
        config);
  }

  /** Returns the name of the objects that register the webhooks of a controller. */
  public static String webhookConfiguration(String controller) {
    return controller + ".coxswain.dev";
  }

  public static String kind(JsonObject object) {
    return Json.text(object, "kind");
  }

  public static String name(JsonObject object) {
    return Json.text(object.getAsJsonObject("metadata"), "name");
  }

  /** Reads objects; one of the same kind and name takes the place of a former one. */
  private static void read(Path file, Map<String, JsonObject> into) throws IOException {
    for (JsonObject object : CrdYaml.read(Files.readString(file))) {
      into.put(kind(object) + "/" + name(object), object);
    }
  }

  /** Names the controllers and definitions in the rules; a rule that would name none is left out. */
  private static JsonArray webhookRules(
      JsonArray rules, List<String> webhooks, List<String> conversions) {
    JsonArray result = new JsonArray();
    for (JsonElement one : rules) {
      JsonObject rule = one.getAsJsonObject();
      List<String> names = texts(rule.get("resourceNames"));
      List<String> ours = List.of();
      if (names.contains(WEBHOOK_RULE)) {
        ours = webhooks.stream().map(ProjectManifests::webhookConfiguration).toList();
      } else if (names.contains(DEFINITION_RULE)) {
        ours = conversions;
      }
      if (names.isEmpty() || !ours.isEmpty()) {
        if (!ours.isEmpty()) {
          JsonArray named = new JsonArray();
          ours.forEach(named::add);
          rule.add("resourceNames", named);
        }
        result.add(rule);
      }
    }
    return result;
  }

  /** Returns the texts of a list, which may be missing. */
  static List<String> texts(@Nullable JsonElement list) {
    return list instanceof JsonArray array
        ? array.asList().stream().map(JsonElement::getAsString).toList()
        : List.of();
  }

  /** All in one pass: the name of a project may be like one of the places. */
  private static JsonElement replaced(JsonElement json, Map<String, String> values) {
    if (json instanceof JsonObject object) {
      JsonObject copy = new JsonObject();
      object.entrySet().forEach(e -> copy.add(e.getKey(), replaced(e.getValue(), values)));
      return copy;
    }
    if (json instanceof JsonArray array) {
      JsonArray copy = new JsonArray();
      array.forEach(one -> copy.add(replaced(one, values)));
      return copy;
    }
    if (json instanceof JsonPrimitive value && value.isString()) {
      return new JsonPrimitive(
          PLACE
              .matcher(value.getAsString())
              .replaceAll(found ->
                  Matcher.quoteReplacement(
                      Objects.requireNonNull(values.get(found.group(1)), "a place"))));
    }
    return json;
  }
}
